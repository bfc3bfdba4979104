/**
 * Files that were restored, emptied or swapped behind the program's back: what is noticed, by whom, and how it goes on.
 * The embedded receiver is a file as well, so a restored one has really forgotten what it held.
 */
import { cpSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { explain } from '../../src/operations/explain.ts';
import { drive } from '../../src/operations/drive.ts';
import { sandbox, type Sandbox } from './sandbox.ts';

type File = 'ledger.db' | 'receiver.db';
const approve = (id: string): string[] => ['approve', id, '--reviewer', 'rosa'];
const accept = ['restore', '--accept', '--operator', 'olga', '--reason', 'the backup of Monday'];

/** No command runs meanwhile, so everything is in the files themselves. */
function backUp(at: Sandbox): void {
  for (const file of ['ledger.db', 'receiver.db']) cpSync(join(at.state, file), join(at.directory, `older-${file}`));
}

function putBack(at: Sandbox, ...files: File[]): void {
  for (const file of files) {
    for (const suffix of ['-wal', '-shm']) rmSync(join(at.state, file + suffix), { force: true });
    cpSync(join(at.directory, `older-${file}`), join(at.state, file));
  }
}

/** Approved and completed, in this process. */
async function done(at: Sandbox, operationId: string): Promise<void> {
  await at.decided(operationId, true);
  const { status } = await at.arrange((ports) => drive(ports, operationId, 'test'));
  expect(status.state).toBe('Completed');
}

interface Verified {
  readonly verified: boolean;
  readonly first?: { readonly subject: string; readonly fault: string };
}

async function faultOf(at: Sandbox): Promise<{ code: number | null; subject?: string; fault?: string }> {
  const { code, answer } = await at.ask<Verified>(['verify']);
  expect(answer.verified).toBe(code === 0);
  return { code, ...answer.first };
}

describe('an older copy of the ledger', () => {
  test('from before the approval is noticed by what the receiver kept; nothing is decided until a person looked', async () => {
    const at = sandbox();
    const { operationId } = await at.proposed();
    const other = await at.proposed();
    backUp(at);
    await done(at, operationId);
    putBack(at, 'ledger.db');

    const refused = await at.ask(approve(operationId));
    const alsoOthers = await at.ask(approve(other.operationId));
    const asked = await at.ask(['restore']);

    for (const { code, answer } of [refused, alsoOthers, asked]) {
      expect({ code, error: answer.error?.code }).toStrictEqual({ code: 69, error: 'ledger_restored' });
      expect(answer.error?.message).toMatch(/lacks a record that receiver receiver-\S+ has seen/);
    }
    expect(at.decisions()).toStrictEqual([]);
    expect(await faultOf(at)).toMatchObject({
      code: 1,
      subject: operationId,
      fault: expect.stringMatching(/never claimed/) as string,
    });
    expect(at.effects()).toStrictEqual([operationId]);
  });

  test('goes on once a person accepted it: the same approval finds the effect and writes no second one', async () => {
    const at = sandbox();
    const { operationId } = await at.proposed();
    backUp(at);
    await done(at, operationId);
    putBack(at, 'ledger.db');
    await at.ask(approve(operationId));

    const accepted = await at.ask(accept);
    const again = await at.ask(approve(operationId));

    expect(accepted).toMatchObject({ code: 0, answer: { accepted: true, generation: 1 } });
    expect(again).toMatchObject({
      code: 0,
      answer: { outcome: 'recorded', state: 'Completed', result: { replayed: true, effectCount: 1, attempts: 1 } },
    });
    expect(at.effects()).toStrictEqual([operationId]);
    expect(await faultOf(at)).toStrictEqual({ code: 0 });
    const told = `SELECT actor, what FROM journal WHERE subject = 'ledger'`;
    expect(at.rows(at.ledgerFile, told)).toMatchObject([
      { what: 'lacks a record' },
      { actor: 'olga', what: 'restoration accepted' },
    ]);
  });

  test('restored together with the receiver fits it: no command can tell, and the one effect is made anew', async () => {
    const at = sandbox();
    const { operationId } = await at.proposed();
    backUp(at);
    await done(at, operationId);
    putBack(at, 'ledger.db', 'receiver.db');

    const again = await at.ask(approve(operationId));

    expect(await faultOf(at)).toStrictEqual({ code: 0 });
    expect(again).toMatchObject({ code: 0, answer: { outcome: 'recorded', state: 'Completed', attempts: 1 } });
    expect(at.effects()).toStrictEqual([operationId]);
  });
});

const lost: readonly (readonly [string, string, (at: Sandbox) => void])[] = [
  ['restored from an older copy', 'the receiver has lost records it once had', (at) => putBack(at, 'receiver.db')],
  [
    'emptied',
    'the receiver has lost records it once had',
    (at) => void at.rows(at.receiverFile, 'DELETE FROM effects'),
  ],
  [
    'replaced by a new one',
    'another receiver answered than the one that was sent to',
    (at) => {
      for (const suffix of ['', '-wal', '-shm']) rmSync(at.receiverFile + suffix, { force: true });
    },
  ],
];

/** One operation is Completed, so that the ledger has seen how far the receiver had come. */
async function seenOne(at: Sandbox): Promise<{ completed: string }> {
  const first = await at.proposed();
  backUp(at);
  await done(at, first.operationId);
  at.rows(at.receiverFile, 'DROP TRIGGER IF EXISTS effects_are_kept');
  return { completed: first.operationId };
}

describe.each(lost)('a receiver that was %s', (_how, why, spoil) => {
  test('under a Completed operation: verify names it, and approving again sends nothing', async () => {
    const at = sandbox();
    const { completed } = await seenOne(at);
    spoil(at);

    const again = await at.ask(approve(completed));

    expect(again).toMatchObject({ code: 0, answer: { outcome: 'repeated', state: 'Completed', attempts: 1 } });
    const fault = 'it is Completed, but the receiver holds no effect of it';
    expect(await faultOf(at)).toStrictEqual({ code: 1, subject: completed, fault });
    expect(at.effects()).toStrictEqual([]);
  });

  test.each(['Executing', 'Unknown'])(
    'under an %s one: its absence proves nothing, and nothing is sent again',
    async (state) => {
      const at = sandbox();
      await seenOne(at);
      const { operationId } = state === 'Unknown' ? await at.unknown() : await at.crashedAt('receiver.committed');
      expect(at.operation(operationId)?.state).toBe(state);
      spoil(at);
      at.leaseEnds(operationId, Date.now());

      const looked = await at.ask(['reconcile', operationId]);
      const again = await at.ask(approve(operationId));
      const { notEstablished } = await at.arrange((ports) => explain(ports, operationId));

      expect(looked).toMatchObject({ code: 6, answer: { outcome: 'Unknown', finding: 'absent', attempts: 1 } });
      expect(again).toMatchObject({ code: 6, answer: { outcome: 'repeated', state: 'Unknown', attempts: 1 } });
      expect(notEstablished.map(({ text }) => text)).toContain(
        `A look at the receiver found no effect. It proves nothing: ${why}.`,
      );
      expect(at.operation(operationId)).toMatchObject({ state: 'Unknown', attempts: 1 });
      expect(at.effects()).toStrictEqual([]);
    },
  );
});

describe('two ledgers at one receiver', () => {
  test('the second one is refused by every command that could decide or send, and neither file changes', async () => {
    const at = sandbox();
    const other = sandbox();
    const { operationId } = await at.proposed();
    await done(other, (await other.proposed()).operationId);
    at.file('state/receiver.db', readFileSync(other.receiverFile));
    const before = at.dump();

    const refused = [await at.ask(approve(operationId)), await at.ask(['reconcile']), await at.ask(['verify'])];

    for (const { code, answer } of refused) {
      expect({ code, error: answer.error?.code }).toStrictEqual({ code: 69, error: 'receiver_foreign' });
    }
    expect(at.dump()).toStrictEqual(before);
  });

  test('another ledger in the place of the true one is refused too', async () => {
    const at = sandbox();
    const other = sandbox();
    const { operationId } = await at.proposed();
    await done(at, operationId);
    await other.proposed();
    at.file('state/ledger.db', readFileSync(other.ledgerFile));

    const { code, answer } = await at.ask(['list']);

    expect({ code, error: answer.error?.code }).toStrictEqual({ code: 69, error: 'receiver_foreign' });
    expect(at.effects()).toStrictEqual([operationId]);
  });
});
