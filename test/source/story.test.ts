/**
 * The numbers and states that the source articles give, one after the other, as somebody at a terminal sees them.
 * docs/source-map.md says which check of the source each test shows.
 */
import { describe, expect, test } from 'vitest';
import { openSqliteReceiver } from '../../src/receiver/sqlite.ts';
import { world } from '../cli/on-temporal.ts';
import { sandbox } from '../cli/sandbox.ts';
import { leaseMs } from '../support/ledger-world.ts';
import { PortsWorld } from '../support/ports-world.ts';
import { dump } from '../support/sqlite-file.ts';
import { temporaryDirectory } from '../support/temporary.ts';

const approve = (id: string, ...more: string[]): string[] => ['approve', id, '--reviewer', 'rosa', ...more];
const decline = (id: string): string[] => ['decline', id, '--reviewer', 'rosa', '--reason', 'changed my mind'];

test('child exit 17 → Executing and one effect → Completed → Completed, one attempt', async () => {
  const at = sandbox();
  const { operationId } = await at.proposed();

  const child = await at.command(approve(operationId, '--crash-at', 'receiver.committed'));
  expect(child.code).toBe(17);
  expect(at.operation(operationId)).toMatchObject({ state: 'Executing', attempts: 1 });
  expect(at.effects()).toStrictEqual([operationId]);

  for (const finding of ['matching', null]) {
    const reconciled = await at.ask(['reconcile', operationId]);
    expect(reconciled).toMatchObject({ code: 0, answer: { outcome: 'Committed', state: 'Completed', attempts: 1 } });
    if (finding !== null) expect(reconciled.answer['finding']).toBe(finding);
    expect(at.operation(operationId)).toMatchObject({ state: 'Completed', attempts: 1 });
    expect(at.effects()).toStrictEqual([operationId]);
  }
});

describe('no evidence → Unknown', () => {
  test('then, at the embedded receiver, claimed again: attempt 2, and one effect', async () => {
    const at = sandbox();
    const { operationId } = await at.crashedAt('receiver.request-sent');

    const reconciled = await at.ask(['reconcile', operationId]);
    expect(reconciled).toMatchObject({ code: 6, answer: { outcome: 'Unknown', finding: 'absent', attempts: 1 } });
    expect(at.operation(operationId)).toMatchObject({ state: 'Unknown', attempts: 1 });
    expect(at.effects()).toStrictEqual([]);

    at.leaseEnds(operationId, Date.now());
    const again = await at.ask(approve(operationId));
    expect(again).toMatchObject({ code: 0, answer: { outcome: 'repeated', state: 'Completed', attempts: 2 } });
    expect(at.operation(operationId)).toMatchObject({ state: 'Completed', attempts: 2 });
    expect(at.effects()).toStrictEqual([operationId]);
  });

  test('at an eventual one it stays Unknown: absence there is only a look', async () => {
    const world = new PortsWorld(temporaryDirectory(), { fake: { lookup: 'eventual' } });
    const operationId = await world.approved();
    world.fake.loseNextRequest();
    await expect(world.execute(operationId)).rejects.toMatchObject({ code: 'receiver_unavailable' });

    for (const waitedMs of [0, leaseMs, 10 * leaseMs]) {
      world.clock.advance(waitedMs);
      expect(await world.reconcile(operationId)).toMatchObject({ outcome: 'Unknown', finding: 'absent' });
      expect((await world.execute(operationId)).receipt).toBeNull();
      expect(await world.view(operationId)).toMatchObject({ operation: { state: 'Unknown', attempts: 1 } });
    }
    expect(world.fake.effectsOf(operationId)).toBe(0);
  });
});

test('new version, new event → Overlap, no attempt counted', async () => {
  const at = sandbox();
  const object = { id: 'ticket-1042', version: 3, scope: 'blue' };
  const quotation = 'Update 4.2 can restart the unit.';
  const first = { object, eventId: 'evt-1', evidence: [{ sourceId: 'HOLD-7', version: 2, quotation }] };
  const second = { object, eventId: 'evt-2', evidence: [{ sourceId: 'HOLD-7', version: 3, quotation }] };
  const holder = await at.crashedAt('receiver.request-sent', first);
  await at.ask(['reconcile', holder.operationId]);
  const { operationId } = await at.proposed(second);
  expect(operationId).not.toBe(holder.operationId);

  const { code, answer } = await at.ask(approve(operationId));

  expect({ code, ...answer }).toMatchObject({ code: 7, outcome: 'recorded', claim: 'overlap', attempts: 0 });
  expect(at.operation(operationId)).toMatchObject({ state: 'Approved', attempts: 0 });
  expect(at.operation(holder.operationId)).toMatchObject({ state: 'Unknown', attempts: 1 });
  expect(at.rows(at.ledgerFile, 'SELECT operation_id FROM attempts')).toStrictEqual([
    { operation_id: holder.operationId },
  ]);
  expect(at.effects()).toStrictEqual([]);
});

test('approved, died before the claim → NoLocalEffectRecorded, resumed → one record', async () => {
  const at = sandbox();
  const { operationId } = await at.crashedAt('claim.before-commit');
  expect(at.operation(operationId)).toMatchObject({ state: 'Approved', attempts: 0 });

  const reconciled = await at.ask(['reconcile', operationId]);
  expect(reconciled).toMatchObject({ code: 0, answer: { outcome: 'NoLocalEffectRecorded', state: 'Approved' } });
  expect(at.effects()).toStrictEqual([]);

  const resumed = await at.ask(approve(operationId));
  expect(resumed).toMatchObject({ code: 0, answer: { outcome: 'repeated', state: 'Completed', attempts: 1 } });
  expect(at.decisions()).toStrictEqual([{ operation_id: operationId, approved: 1, reviewer: 'rosa' }]);
  expect(at.effects()).toStrictEqual([operationId]);
});

test('begin, approve, lost receipt (42), reconcile, approve, approve, decline: one decision, one attempt, one effect', async () => {
  const at = await world();
  const dying = await at.startWorker('--crash-at', 'receiver.committed');
  const { operationId } = await at.begun();
  const steps: unknown[] = [];
  const said = async (args: string[]): Promise<void> => {
    const { code, answer } = await at.askOn(args);
    steps.push([args[0], code, answer['outcome'], answer['state']]);
  };

  const approved = await at.askOn(approve(operationId, '--no-wait'));
  expect(approved).toMatchObject({ code: 0, answer: { outcome: 'recorded' } });
  expect((await dying.finished()).code).toBe(42);
  expect(at.operation(operationId)).toMatchObject({ state: 'Executing', attempts: 1 });
  expect(at.effects()).toStrictEqual([operationId]);
  await said(['reconcile', operationId]);
  await said(approve(operationId, '--no-wait'));
  await said(approve(operationId, '--no-wait'));
  await said(decline(operationId));

  expect(steps).toStrictEqual([
    ['reconcile', 0, 'Committed', 'Completed'],
    ['approve', 0, 'repeated', 'Completed'],
    ['approve', 0, 'repeated', 'Completed'],
    ['decline', 5, 'conflicting_decision', 'Completed'],
  ]);
  expect(at.decisions()).toStrictEqual([{ operation_id: operationId, approved: 1, reviewer: 'rosa' }]);
  expect(at.operation(operationId)).toMatchObject({ state: 'Completed', attempts: 1 });
  expect(at.effects()).toStrictEqual([operationId]);
});

test('naive key → two effects; the operation identity as key → one', async () => {
  const world = new PortsWorld(temporaryDirectory());
  const operationId = await world.approved();
  world.failAt('receiver.half-reply');
  await expect(world.execute(operationId)).rejects.toThrow();
  const { ledgerId } = world.ports.ledger;
  const [stored] = dump(world.receiverPath)['effects'] as {
    payload: Buffer;
    ledger_sequence: number;
    ledger_hash: string;
  }[];
  const sent = {
    payload: stored!.payload,
    ledgerId,
    ledgerSequence: stored!.ledger_sequence,
    ledgerHash: stored!.ledger_hash,
  };

  // The same payload, sent again after the lost receipt: under its identity, then under a key of each attempt.
  const receiver = openSqliteReceiver(world.receiverPath, { ledgerId });
  const answers = [];
  for (const key of [operationId, 'run-1/activity-1/attempt-1', 'run-1/activity-1/attempt-2']) {
    answers.push((await receiver.commit({ ...sent, operationId: key, attempt: 1 })).answer);
  }
  receiver.close();

  expect(answers).toStrictEqual(['exists', 'created', 'created']);
  const effects = dump(world.receiverPath)['effects'] as { operation_id: string; payload_sha256: string }[];
  expect(new Set(effects.map(({ payload_sha256 }) => payload_sha256)).size).toBe(1);
  expect(effects.filter(({ operation_id }) => operation_id === operationId)).toHaveLength(1);
  expect(effects.filter(({ operation_id }) => operation_id.startsWith('run-1/'))).toHaveLength(2);
});
