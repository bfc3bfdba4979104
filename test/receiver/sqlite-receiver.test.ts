// The receivers against the contract of every receiver: SQLite, files, and the fake in every row of the table; and what
// only the SQLite one promises.
import { randomUUID } from 'node:crypto';
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Lookup } from '../../src/core/recovery.ts';
import { openFilesReceiver } from '../../src/receiver/files.ts';
import { openSqliteReceiver } from '../../src/receiver/sqlite.ts';
import { receiverContract, type ReceiverHarness } from '../contract/receiver.contract.ts';
import { ManualClock } from '../support/clock.ts';
import { FakeReceiver } from '../support/fake-receiver.ts';
import { dump, withHandle } from '../support/sqlite-file.ts';
import { temporaryDirectory } from '../support/temporary.ts';

const directory = temporaryDirectory();
const ledgerId = 'ledger-1';
const authoritative = { deduplicates: true, lookup: 'authoritative', binding: true };

function sqlite(): ReceiverHarness & { path: string } {
  const path = join(directory, `${randomUUID()}.db`);
  const open = () => openSqliteReceiver(path, { ledgerId });
  return { path, ledgerId, receiver: open(), reopen: open };
}

function files(): ReceiverHarness {
  const path = join(directory, randomUUID());
  mkdirSync(path, { mode: 0o700 });
  const open = () => openFilesReceiver(path, { ledgerId });
  return { ledgerId, receiver: open(), reopen: open };
}

receiverContract('SQLite', sqlite, authoritative);
receiverContract('files', files, authoritative);

for (const deduplicates of [true, false]) {
  for (const lookup of ['authoritative', 'eventual', 'none'] as const satisfies Lookup[]) {
    const make = (): ReceiverHarness => {
      const clock = new ManualClock();
      const visibleAfterMs = lookup === 'eventual' ? 1_000 : 0;
      const receiver = new FakeReceiver({ clock, deduplicates, lookup, visibleAfterMs });
      return { ledgerId, receiver, settle: () => clock.advance(visibleAfterMs) };
    };
    receiverContract(`fake (deduplicates ${deduplicates}, lookup ${lookup})`, make, {
      deduplicates,
      lookup,
      binding: false,
    });
  }
}

describe('the SQLite receiver', () => {
  const request = {
    operationId: `op-v1-${'a'.repeat(64)}`,
    payload: new TextEncoder().encode('the frame'),
    attempt: 1,
    ledgerId,
    ledgerSequence: 5,
    ledgerHash: 'f'.repeat(64),
  };

  test('belongs to the first ledger that opens it and refuses another at once', async () => {
    const { path, receiver } = sqlite();
    await receiver.commit(request);
    const before = dump(path);
    expect(() => openSqliteReceiver(path, { ledgerId: 'ledger-2' })).toThrow(/belongs to ledger-1/);
    expect(dump(path)).toEqual(before);
    expect(await receiver.lookup(request.operationId)).toMatchObject({ sequence: 1 });
  });

  test.each([
    ['DELETE FROM effects', /never deleted/],
    [`UPDATE effects SET payload = x'00'`, /never changes/],
    ['UPDATE effects SET attempt = attempt', /never changes/],
    ['INSERT OR REPLACE INTO effects SELECT * FROM effects', /written once/],
  ])('keeps its effects against a stranger with a handle of their own (%s)', async (sql, because) => {
    const { path, receiver } = sqlite();
    await receiver.commit(request);
    const before = dump(path);
    expect(() => withHandle(path, (db) => db.exec(sql))).toThrow(because);
    expect(dump(path)).toEqual(before);
  });

  test('two handles count together', async () => {
    const { receiver, reopen } = sqlite();
    const other = reopen!();
    await receiver.commit(request);
    const second = await other.commit({ ...request, operationId: `op-v1-${'b'.repeat(64)}` });
    expect(second).toMatchObject({ answer: 'created', sequence: 2 });
    expect((await receiver.describe()).sequence).toBe(2);
    other.close();
  });

  test('a closed receiver leaves it open whether an effect happened: it throws', async () => {
    const { receiver } = sqlite();
    receiver.close();
    await expect(receiver.commit(request)).rejects.toThrow();
    await expect(receiver.lookup(request.operationId)).rejects.toThrow();
  });
});

describe('the files receiver', () => {
  const request = {
    operationId: `op-v1-${'a'.repeat(64)}`,
    payload: new TextEncoder().encode('the frame'),
    attempt: 1,
    ledgerId,
    ledgerSequence: 5,
    ledgerHash: 'f'.repeat(64),
  };

  test.each([
    ['removed', () => undefined],
    ['replaced by an empty one', (path: string) => mkdirSync(path, { recursive: true, mode: 0o700 })],
    ['replaced by a new receiver', (path: string) => openFilesReceiver(path, { ledgerId }).commit(request)],
  ])('in a directory that was %s records nothing and finds nothing absent', async (_how, replace) => {
    const path = join(directory, randomUUID());
    const receiver = openFilesReceiver(path, { ledgerId });
    await receiver.describe();
    renameSync(path, `${path}-away`);
    await replace(path);

    const gone = { code: 'receiver_unavailable' };
    await expect(receiver.describe()).rejects.toMatchObject(gone);
    await expect(receiver.lookup(request.operationId)).rejects.toMatchObject(gone);
    await expect(receiver.commit(request)).rejects.toMatchObject(gone);

    rmSync(path, { recursive: true, force: true });
    renameSync(`${path}-away`, path);
    expect(await receiver.lookup(request.operationId)).toMatchObject({ sequence: 0, payloadSha256: null });
    expect(await receiver.commit(request)).toMatchObject({ answer: 'created', sequence: 1 });
  });
});

describe('the fake receiver', () => {
  const request = {
    operationId: `op-v1-${'a'.repeat(64)}`,
    payload: new TextEncoder().encode('the frame'),
    attempt: 1,
    ledgerId,
    ledgerSequence: 5,
    ledgerHash: 'f'.repeat(64),
  };
  const { operationId } = request;
  const make = (over: Partial<ConstructorParameters<typeof FakeReceiver>[0]> = {}) => {
    const clock = new ManualClock();
    return { clock, receiver: new FakeReceiver({ clock, ...over }) };
  };
  const unavailable = { code: 'receiver_unavailable' };

  test('loses a request, or only its receipt', async () => {
    const { receiver } = make();
    receiver.loseNextRequest();
    await expect(receiver.commit(request)).rejects.toMatchObject(unavailable);
    expect(receiver.effectsOf(operationId)).toBe(0);
    receiver.loseNextReceipt();
    await expect(receiver.commit(request)).rejects.toMatchObject(unavailable);
    expect(receiver.effectsOf(operationId)).toBe(1);
    expect((await receiver.commit(request)).answer).toBe('exists');
  });

  test('holds a request on its way until it is let go', async () => {
    const { receiver } = make();
    const held = receiver.holdNextRequest();
    const receipt = receiver.commit(request);
    await held.arrived;
    expect(receiver.effectsOf(operationId)).toBe(0);
    expect((await receiver.commit({ ...request, attempt: 2 })).answer).toBe('created');
    held.release();
    expect((await receipt).answer).toBe('exists');
  });

  test('shows an effect late where its look-up is eventual', async () => {
    const { clock, receiver } = make({ lookup: 'eventual', visibleAfterMs: 10 });
    await receiver.commit(request);
    clock.advance(9);
    expect((await receiver.lookup(operationId)).payloadSha256).toBeNull();
    clock.advance(1);
    expect((await receiver.lookup(operationId)).payloadSha256).not.toBeNull();
  });

  test('forgets an identity after its retention, and then has the effect again', async () => {
    const { clock, receiver } = make({ retentionMs: 10 });
    await receiver.commit(request);
    clock.advance(10);
    expect((await receiver.lookup(operationId)).payloadSha256).toBeNull();
    expect((await receiver.commit(request)).answer).toBe('created');
    expect(receiver.effectsOf(operationId)).toBe(2);
  });

  test('is emptied, restored and swapped, and its sequence and id show it', async () => {
    const { receiver } = make();
    const empty = receiver.copy();
    await receiver.commit(request);
    receiver.restore(empty);
    expect(await receiver.lookup(operationId)).toMatchObject({ sequence: 0, payloadSha256: null });
    receiver.swap('receiver-other');
    expect((await receiver.describe()).declaration.receiverId).toBe('receiver-other');
  });

  test('may have no sequence, no look-up, and no connection', async () => {
    const { receiver } = make({ sequence: false, lookup: 'none' });
    expect((await receiver.commit(request)).sequence).toBeNull();
    await expect(receiver.lookup(operationId)).rejects.toMatchObject(unavailable);
    receiver.down = true;
    await expect(receiver.describe()).rejects.toMatchObject(unavailable);
    await expect(receiver.commit(request)).rejects.toMatchObject(unavailable);
  });
});
