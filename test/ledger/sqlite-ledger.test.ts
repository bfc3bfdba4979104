// The SQLite ledger against the contract of every ledger, and what the database itself enforces.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openSqliteLedger } from '../../src/ledger/sqlite/ledger.ts';
import { ledgerContract } from '../contract/ledger.contract.ts';
import { ManualClock } from '../support/clock.ts';
import { recovery, World, type LedgerHarness, type LedgerSettings } from '../support/ledger-world.ts';
import { dump, withHandle } from '../support/sqlite-file.ts';
import { temporaryDirectory } from '../support/temporary.ts';

const directory = temporaryDirectory();

function harness(settings: LedgerSettings = {}): LedgerHarness & { path: string } {
  const path = join(directory, `${randomUUID()}.db`);
  const clock = new ManualClock();
  const ledger = openSqliteLedger(path, { clock, recovery, ...settings });
  return {
    path,
    clock,
    ledger,
    dump: () => dump(path),
    reopen: (other) => openSqliteLedger(path, { clock, recovery, ...settings, ...other }),
  };
}

ledgerContract('SQLite', harness);

/** A ledger with at least one row in every table whose rows never change. */
async function full(): Promise<{ path: string; world: World; operationId: string }> {
  const made = harness();
  const world = new World(made);
  const operationId = await world.unknown({ object: { id: 'ticket' } });
  await world.ledger.noteRun(operationId, { workflowId: 'review/T-1042', runId: 'run-1' });
  await world.resolve(operationId, 'ask_again');
  await world.propose({ caseId: 'T-2', object: { id: 'ticket' } });
  const requestId = `draft-v1-${'a'.repeat(64)}`;
  await world.ledger.keepDraft({ requestId, caseId: 'T-3', drafter: 'model-1', body: 'the draft', askedAtMs: 0 });
  await world.ledger
    .witness({ subject: operationId, hash: 'f'.repeat(64), generation: 0, source: 'run 1' })
    .catch(() => 0);
  await world.ledger.acceptRestore({ operator: 'olga', reason: 'looked' });
  return { path: made.path, world, operationId };
}

describe('a stranger with another handle on the file', () => {
  /** Tries one statement; the database must refuse it with the trigger's own words, and nothing may have changed. */
  const refused = async (sql: string, because: RegExp | string): Promise<void> => {
    const { path, world } = await full();
    const before = dump(path);
    expect(() => withHandle(path, (db) => db.exec(sql)), sql).toThrow(because);
    expect(dump(path)).toEqual(before);
    world.ledger.close();
  };

  test.each(['decisions', 'observations', 'resolutions', 'restorations', 'operations', 'attempts', 'runs', 'drafts'])(
    'cannot delete from %s',
    async (table) => {
      await refused(`DELETE FROM ${table}`, /never deleted/);
    },
  );

  test('cannot delete from the journal', async () => {
    await refused('DELETE FROM journal WHERE sequence = 1', /append-only/);
  });

  test.each([
    ['decisions', 'reviewer = reviewer', /a decision never changes/],
    ['decisions', 'approved = 0', /a decision never changes/],
    ['observations', `finding = 'matching'`, /an observation never changes/],
    ['resolutions', `resolution = 'abandon'`, /a resolution never changes/],
    ['restorations', `operator = 'nobody'`, /never changes/],
    ['drafts', `body = x'00'`, /a draft never changes/],
    ['journal', `what = 'approved'`, /append-only/],
    ['journal', 'at_ms = 0', /append-only/],
  ])('cannot update %s (%s)', async (table, set, because) => {
    await refused(`UPDATE ${table} SET ${set}`, because);
  });

  test.each([
    `operation_id = 'op-v1-${'0'.repeat(64)}'`,
    `case_id = 'T-9'`,
    `action = 'refund'`,
    `body = x'00'`,
    `evidence = '[]'`,
    `policy = '{"allowSelfApproval":true}'`,
    `checks = '[{"name":"clauses","result":"passed"}]'`,
    `object_version = 9`,
    `object_scope = 'red'`,
    `object_explicit = 1 - object_explicit`,
    `expires_at_ms = 1`,
    `decide_by_ms = 1`,
    `attempts = 0`,
  ])('cannot change the content of an operation (%s)', async (set) => {
    await refused(`UPDATE operations SET ${set} WHERE case_id = 'T-1042'`, /content of an operation never changes/);
  });

  test.each(['Pending', 'Approved', 'Declined', 'Superseded', 'Expired', 'Denied', 'Withdrawn'])(
    'cannot take a claim back to %s',
    async (state) => {
      await refused(
        `UPDATE operations SET state = '${state}' WHERE case_id = 'T-1042'`,
        /after a claim an operation is Executing, Unknown, Completed or Abandoned/,
      );
    },
  );

  test('cannot move a final state', async () => {
    const { path, world, operationId } = await full();
    await world.resolve(operationId, 'abandon');
    const reopen = `UPDATE operations SET state = 'Unknown' WHERE operation_id = '${operationId}'`;
    expect(() => withHandle(path, (db) => db.exec(reopen))).toThrow(/a final state never changes/);
    expect(await world.state(operationId)).toBe('Abandoned');
  });

  test('cannot change a stored receipt', async () => {
    const { path, world, operationId } = await full();
    await world.complete(operationId, 1, 'conflict');
    const change = `UPDATE attempts SET answer = 'created'`;
    expect(() => withHandle(path, (db) => db.exec(change))).toThrow(/a stored receipt never changes/);
    expect((await world.view(operationId)).attempts).toMatchObject([{ answer: 'conflict' }]);
  });

  test.each([
    ['decisions', /written once/],
    ['operations', /written once/],
    ['attempts', /written once/],
    ['observations', /written once/],
    ['resolutions', /written once/],
    ['drafts', /written once/],
    ['journal', /append-only/],
  ])('cannot replace a row of %s by inserting it again', async (table, because) => {
    await refused(`INSERT OR REPLACE INTO ${table} SELECT * FROM ${table} ORDER BY 1 LIMIT 1`, because);
  });

  test('cannot give a case a second open operation', async () => {
    const { path, world } = await full();
    const columns = withHandle(path, (db) => db.pragma('table_info(operations)') as { name: string }[])
      .map(({ name }) => name)
      .filter((name) => name !== 'sequence');
    const values = columns.map((name) => (name === 'operation_id' ? `'op-v1-${'0'.repeat(64)}'` : name));
    const sql = `INSERT INTO operations (${columns.join()}) SELECT ${values.join()} FROM operations WHERE case_id = 'T-2'`;
    expect(() => withHandle(path, (db) => db.exec(sql))).toThrow(/UNIQUE constraint failed: operations.case_id/);
    world.ledger.close();
  });

  test('cannot give an object a second claim', async () => {
    await refused(
      `UPDATE operations SET state = 'Executing', attempts = 1 WHERE case_id = 'T-2'`,
      /UNIQUE constraint failed: operations.object_id/,
    );
  });

  test.each([
    ['a state that does not exist', `UPDATE operations SET state = 'Done' WHERE case_id = 'T-2'`],
    ['a claim without an attempt', `UPDATE operations SET state = 'Executing' WHERE case_id = 'T-2'`],
    ['an attempt without a claim', `UPDATE operations SET attempts = 1 WHERE case_id = 'T-2'`],
    ['a draft of no request', `INSERT INTO drafts SELECT 'x', case_id, drafter, body, 0, 0 FROM drafts`],
    [
      'a draft from before it was asked for',
      `INSERT INTO drafts SELECT substr(request_id, 1, 72) || 'b', case_id, drafter, body, 2, 1 FROM drafts`,
    ],
    ['a run without its workflow', `UPDATE operations SET run_id = 'r' WHERE case_id = 'T-2'`],
  ])('cannot write %s', async (_what, sql) => {
    await refused(sql, /CHECK constraint failed/);
  });
});

test('two handles on one file see each other, and have one ledger id', async () => {
  const made = harness();
  const world = new World(made);
  const other = openSqliteLedger(made.path, { clock: made.clock });
  expect(other.ledgerId).toBe(made.ledger.ledgerId);
  const operationId = await world.propose();
  expect((await other.view(operationId))?.operation.state).toBe('Pending');
  other.close();
});

test('a closed ledger answers nothing', async () => {
  const made = harness();
  const world = new World(made);
  const operationId = await world.propose();
  made.ledger.close();
  await expect(world.decide(operationId)).rejects.toThrow();
});
