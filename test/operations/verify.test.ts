// Every contradiction that can be planted behind the ledger's back is found, and named.
import { describe, expect, test } from 'vitest';
import { verify } from '../../src/operations/verify.ts';
import { scriptedDrafter } from '../../src/drafter/scripted.ts';
import { PortsWorld, undrafted } from '../support/ports-world.ts';
import { withHandle } from '../support/sqlite-file.ts';
import { temporaryDirectory } from '../support/temporary.ts';

const root = temporaryDirectory();

interface Made {
  readonly world: PortsWorld;
  readonly completed: string;
  readonly approved: string;
  readonly pending: string;
  readonly declined: string;
  readonly unknown: string;
}

/** One operation in each of the states that say something of an effect or a decision. */
async function made(): Promise<Made> {
  const world = new PortsWorld(root);
  const completed = await world.approved({ caseId: 'T-1' });
  await world.execute(completed);
  const unknown = await world.approved({ caseId: 'T-5' });
  world.failAt('receiver.request-sent');
  await world.execute(unknown).catch(() => 'lost');
  await world.reconcile(unknown);
  const approved = await world.approved({ caseId: 'T-2' });
  const { operationId: pending } = await world.propose({ caseId: 'T-3' });
  const { operationId: declined } = await world.propose({ caseId: 'T-4' });
  await world.decide(declined, { approved: false });
  return { world, completed, approved, pending, declined, unknown };
}

/** A ledger with one draft, and the request it was written for. */
async function withDraft(): Promise<{ world: PortsWorld; requestId: string }> {
  const world = new PortsWorld(root, { drafter: scriptedDrafter(() => 'the drafted text') });
  await world.proposeGiven(undrafted());
  const [requestId = ''] = await world.ports.ledger.draftRequests();
  return { world, requestId };
}

const plantedDrafts: readonly (readonly [string, RegExp, string])[] = [
  ['a draft whose text was changed', /not the one that the journal tells/, `UPDATE drafts SET body = CAST('another' AS BLOB)`],
  ['a draft that is said to be of another drafter', /not the one that the journal tells/, `UPDATE drafts SET drafter = 'mallory'`],
  ['a draft that is said to be of another case', /not the one that the journal tells/, `UPDATE drafts SET case_id = 'T-9'`],
  ['a draft that was taken away', /a draft that the ledger does not have/, 'DELETE FROM drafts'],
  ['a draft that nobody wrote', /a draft that its journal does not tell/, `INSERT INTO drafts SELECT substr(request_id, 1, 9) || '${'0'.repeat(64)}', case_id, drafter, body, 0, 0 FROM drafts`],
]; // prettier-ignore

/** As somebody who can write the file, and whom no trigger stops. */
function tamper(path: string, sql: string, ...values: (string | number)[]): void {
  withHandle(path, (db) => {
    db.pragma('ignore_check_constraints = ON');
    db.pragma('foreign_keys = OFF');
    const triggers = db.prepare<[], { name: string }>(`SELECT name FROM sqlite_schema WHERE type = 'trigger'`).all();
    for (const { name } of triggers) db.exec(`DROP TRIGGER "${name}"`);
    expect(db.prepare(sql).run(...values).changes).toBeGreaterThan(0);
  });
}

type Who = Exclude<keyof Made, 'world'>;
const ledger =
  (sql: string, who: Who) =>
  (all: Made): void =>
    tamper(all.world.ledgerPath, sql, all[who]);
const receiver =
  (sql: string, who: Who) =>
  (all: Made): void =>
    tamper(all.world.receiverPath, sql, all[who]);

const setState = (state: string) => `UPDATE operations SET state = '${state}' WHERE operation_id = ?`;
const effectOf = `INSERT INTO effects (operation_id, sequence, payload, payload_sha256, attempt, ledger_id,
  ledger_sequence, ledger_hash, recorded_at_ms)
  SELECT ?, 99, payload, payload_sha256, 1, ledger_id, ledger_sequence, ledger_hash, recorded_at_ms FROM effects`;

const planted: readonly (readonly [string, Who, RegExp, (all: Made) => void])[] = [
  ['a pending operation that says it is approved', 'pending', /is Approved, but its journal says Pending/, ledger(setState('Approved'), 'pending')],
  ['a declined operation that says it is pending', 'declined', /is Pending, but its journal says Declined/, ledger(setState('Pending'), 'declined')],
  ['an unknown operation that says it is completed', 'unknown', /is Completed, but its journal says Unknown/, ledger(setState('Completed'), 'unknown')],
  ['a completed operation without its effect', 'completed', /is Completed, but the receiver holds no effect/, receiver('DELETE FROM effects WHERE operation_id = ?', 'completed')],
  ['an effect of other bytes than were approved', 'completed', /holds another payload under its identity/, receiver(`UPDATE effects SET payload_sha256 = '${'0'.repeat(64)}' WHERE operation_id = ?`, 'completed')],
  ['an effect whose bytes were changed afterwards', 'completed', /stored effect was changed/, receiver(`UPDATE effects SET payload = x'00' WHERE operation_id = ?`, 'completed')],
  ['an effect nobody claimed', 'approved', /was never claimed/, receiver(effectOf, 'approved')],
  ['an effect nobody approved', 'pending', /was never claimed/, receiver(effectOf, 'pending')],
  ['an effect of an operation that is not in the ledger', 'completed', /that the ledger does not have/, (all) => tamper(all.world.receiverPath, `UPDATE effects SET operation_id = 'op-v1-${'a'.repeat(64)}'`)],
  ['a claim whose approval is gone', 'completed', /without one recorded approval/, ledger('DELETE FROM decisions WHERE operation_id = ?', 'completed')],
  ['a claim whose approval became a refusal', 'completed', /without one recorded approval/, ledger('UPDATE decisions SET approved = 0 WHERE operation_id = ?', 'completed')],
  ['a refusal that became an approval', 'declined', /Declined without a recorded decision/, ledger('UPDATE decisions SET approved = 1 WHERE operation_id = ?', 'declined')],
  ['an approval that another gave than is told', 'approved', /decision is not the one that its journal tells/, ledger(`UPDATE decisions SET reviewer = 'mallory' WHERE operation_id = ?`, 'approved')],
  ['an approval nobody gave', 'pending', /decision is not the one that its journal tells/, ledger(`INSERT INTO decisions (operation_id, approved, reviewer, decided_at_ms, via) VALUES (?, 1, 'mallory', 1, 'command')`, 'pending')],
  ['a body that was altered', 'approved', /has the identity op-v1-/, ledger(`UPDATE operations SET body = CAST('another' AS BLOB) WHERE operation_id = ?`, 'approved')],
  ['evidence that was altered', 'completed', /has the identity op-v1-/, ledger(`UPDATE operations SET evidence = '[]' WHERE operation_id = ?`, 'completed')],
  ['an attempt that is not in the journal', 'completed', /counts 2 attempts, its journal 1/, ledger('UPDATE operations SET attempts = 2 WHERE operation_id = ?', 'completed')],
  ['an attempt that was taken away', 'unknown', /counts 1 attempts, its journal 1, its table 0/, ledger('DELETE FROM attempts WHERE operation_id = ?', 'unknown')],
  ['a receipt that was taken away', 'completed', /Completed without recorded evidence/, ledger('UPDATE attempts SET answer = NULL, answered_at_ms = NULL WHERE operation_id = ?', 'completed')],
  ['a look that was taken away', 'unknown', /tells 1 looks, its table holds 0/, ledger('DELETE FROM observations WHERE operation_id = ?', 'unknown')],
  ['a journal record that was changed', 'approved', /was changed after it was written/, ledger(`UPDATE journal SET actor = 'mallory' WHERE subject = ? AND what = 'approved'`, 'approved')],
  ['a journal record that was taken from the middle', 'completed', /is not number 2 of its chain/, ledger(`DELETE FROM journal WHERE subject = ? AND subject_sequence = 2`, 'completed')],
  ['a journal record that was taken from the end', 'approved', /is Approved, but its journal says Pending/, ledger(`DELETE FROM journal WHERE subject = ? AND what = 'approved'`, 'approved')],
  ['a chain that was taken away whole', 'pending', /is Pending, but its journal says nothing/, ledger('DELETE FROM journal WHERE subject = ?', 'pending')],
  ['an operation that was taken away', 'completed', /that the ledger does not have/, ledger('DELETE FROM operations WHERE operation_id = ?', 'completed')],
  ['an effect of a claim that this ledger never made', 'completed', /of a claim that its journal does not tell/, receiver(`UPDATE effects SET ledger_hash = '${'0'.repeat(64)}' WHERE operation_id = ?`, 'completed')],
  ['an operator\'s word that nobody gave', 'unknown', /tells 0 resolutions, its table holds 1/, ledger(`INSERT INTO resolutions (operation_id, attempt, resolution, operator, reason, resolved_at_ms) VALUES (?, 1, 'abandon', 'mallory', 'x', 1)`, 'unknown')],
  ['a proposal that was taken away', 'pending', /journal tells of an operation that the ledger does not have/, ledger('DELETE FROM operations WHERE operation_id = ?', 'pending')],
]; // prettier-ignore

describe('verify', () => {
  test('finds no fault where there is none, in any state, and changes nothing', async () => {
    const { world } = await made();
    const before = world.both();
    expect(await verify(world.ports)).toMatchObject({ operations: 5, effects: 1, faults: [] });
    expect(world.both()).toEqual(before);
  });

  test.each(planted)('names %s', async (_what, who, fault, plant) => {
    const all = await made();
    plant(all);
    const { faults } = await verify(all.world.ports);
    const subjects = fault.source.includes('that the ledger does not have')
      ? faults
      : faults.filter(({ subject }) => subject === all[who]);
    expect(subjects.map((found) => found.fault)).toContainEqual(expect.stringMatching(fault));
  });

  test('finds no fault in a draft, and changes nothing', async () => {
    const { world } = await withDraft();
    const before = world.both();
    expect(await verify(world.ports)).toMatchObject({ operations: 1, faults: [] });
    expect(world.both()).toEqual(before);
  });

  test.each(plantedDrafts)('names %s', async (_what, fault, sql) => {
    const { world, requestId } = await withDraft();
    tamper(world.ledgerPath, sql);
    const { faults } = await verify(world.ports);
    const planted = sql.startsWith('INSERT') ? `draft-v1-${'0'.repeat(64)}` : requestId;
    expect(faults).toEqual([{ subject: planted, fault: expect.stringMatching(fault) as string }]);
  });

  test('names what an honest ledger can hold, too: an effect of an operation that was given up', async () => {
    const { world, unknown } = await made();
    await world.resolve(unknown, 'abandon');
    expect((await verify(world.ports)).faults).toEqual([]);
    tamper(world.receiverPath, effectOf, unknown);
    const exactly = 'UPDATE effects SET payload_sha256 = substr(operation_id, 7) WHERE operation_id = ?';
    tamper(world.receiverPath, exactly, unknown);
    const givenUp = expect.stringMatching(/is Abandoned, but the receiver holds an effect/) as string;
    const faults = async () => (await verify(world.ports)).faults.map(({ fault }) => fault);
    expect(await faults()).toContainEqual(givenUp);
    // Once the contradiction is on record, show and explain tell of it.
    await world.reconcile(unknown, true);
    expect(await faults()).not.toContainEqual(givenUp);
  });
});

test.each([
  ['without a look-up', { lookup: 'none' }],
  ['that shows effects late', { lookup: 'eventual', visibleAfterMs: 60_000 }],
  ['that has forgotten the effect', { retentionMs: 1_000 }],
] as const)('a Completed operation at a receiver %s is no fault', async (_name, fake) => {
  const world = new PortsWorld(root, { fake });
  const completed = await world.approved({ caseId: 'T-1' });
  await world.execute(completed);
  world.clock.advance(2_000);

  expect((await verify(world.ports)).faults).toStrictEqual([]);
});
