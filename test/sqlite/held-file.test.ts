// Files that are taken away, replaced or put back under a process that has them open: SQLite would go on as if nothing
// had happened, in files that nobody will read again.
import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openSqliteLedger } from '../../src/ledger/sqlite/ledger.ts';
import type { EffectRequest } from '../../src/ports/receiver.ts';
import { openSqliteReceiver } from '../../src/receiver/sqlite.ts';
import { ManualClock } from '../support/clock.ts';
import { World } from '../support/ledger-world.ts';
import { dump } from '../support/sqlite-file.ts';
import { temporaryDirectory } from '../support/temporary.ts';

const root = temporaryDirectory();

function freshPath(): string {
  const directory = join(root, randomUUID());
  mkdirSync(directory, { mode: 0o700 });
  return join(directory, 'file.db');
}

const parts = (path: string): string[] => [path, `${path}-wal`, `${path}-shm`].filter((part) => existsSync(part));

/** Ways to lose a file, and what brings the very file back where it is somewhere still. */
const losses: readonly (readonly [how: string, lose: (path: string) => (() => void) | null])[] = [
  [
    'removed',
    (path) => {
      for (const part of parts(path)) rmSync(part);
      return null;
    },
  ],
  [
    'removed without its log',
    (path) => {
      rmSync(path);
      return null;
    },
  ],
  [
    'left without its log',
    (path) => {
      rmSync(`${path}-wal`);
      return null;
    },
  ],
  [
    'replaced by a copy',
    (path) => {
      copyFileSync(path, `${path}.copy`);
      renameSync(`${path}.copy`, path);
      return null;
    },
  ],
  [
    'moved away with its directory',
    (path) => {
      const directory = dirname(path);
      renameSync(directory, `${directory}-away`);
      return () => renameSync(`${directory}-away`, directory);
    },
  ],
];

describe.each(losses)('a ledger that was %s', (_how, lose) => {
  test('decides, claims, tells and shows nothing more', async () => {
    const path = freshPath();
    const clock = new ManualClock();
    const ledger = openSqliteLedger(path, { clock });
    const world = new World({ ledger, clock, dump: () => dump(path), reopen: () => ledger });
    const pending = await world.propose({ caseId: 'T-1' });
    const approved = await world.approved({ caseId: 'T-2' });
    const putBack = lose(path);

    const gone = { code: 'ledger_unavailable', message: expect.stringContaining('removed or replaced') as unknown };
    await expect(world.propose({ caseId: 'T-3' })).rejects.toMatchObject(gone);
    await expect(world.decide(pending)).rejects.toMatchObject(gone);
    // What is on record, as far as this process knows: whoever looks elsewhere would not find it.
    await expect(world.decide(approved)).rejects.toMatchObject(gone);
    await expect(world.claim(approved)).rejects.toMatchObject(gone);
    await expect(world.ledger.list({ limit: 10 })).rejects.toMatchObject(gone);

    if (putBack) {
      putBack();
      expect(await world.ledger.list({ limit: 10 })).toMatchObject([{ state: 'Pending' }, { state: 'Approved' }]);
      expect(await world.decide(pending)).toMatchObject({ outcome: 'recorded' });
    }
    world.ledger.close();
  });
});

describe.each(losses)('a receiver that was %s', (_how, lose) => {
  test('records no effect, and what it does not find is not called absent', async () => {
    const path = freshPath();
    const receiver = openSqliteReceiver(path, { ledgerId: 'ledger-1' });
    const request = (operationId: string): EffectRequest => ({
      operationId,
      payload: Buffer.from(operationId),
      attempt: 1,
      ledgerId: 'ledger-1',
      ledgerSequence: 1,
      ledgerHash: 'hash',
    });
    await receiver.commit(request('op-1'));
    const putBack = lose(path);

    const gone = { code: 'receiver_unavailable', message: expect.stringContaining('removed or replaced') as unknown };
    await expect(receiver.commit(request('op-2'))).rejects.toMatchObject(gone);
    await expect(receiver.lookup('op-2')).rejects.toMatchObject(gone);
    await expect(receiver.describe()).rejects.toMatchObject(gone);

    if (putBack) {
      putBack();
      expect(await receiver.describe()).toMatchObject({ sequence: 1 });
      expect(await receiver.commit(request('op-2'))).toMatchObject({ answer: 'created', sequence: 2 });
    }
    receiver.close();
  });
});

test('a file that goes between a commit and its answer is not reported as recorded', async () => {
  const path = freshPath();
  const receiver = openSqliteReceiver(path, {
    ledgerId: 'ledger-1',
    crash: { reach: (point) => (point === 'receiver.committed' ? rmSync(path) : undefined) },
  });

  const committing = receiver.commit({
    operationId: 'op-1',
    payload: Buffer.from('op-1'),
    attempt: 1,
    ledgerId: 'ledger-1',
    ledgerSequence: 1,
    ledgerHash: 'hash',
  });
  await expect(committing).rejects.toMatchObject({ code: 'receiver_unavailable' });
  receiver.close();
});
