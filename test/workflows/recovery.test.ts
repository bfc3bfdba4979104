/** What a run does when an attempt ends without a receipt, the ledger fails, or the run is cancelled meanwhile. */
import { CancelledFailure } from '@temporalio/client';
import { expect, test } from 'vitest';
import { execute } from '../../src/operations/execute.ts';
import type { CrashPoint } from '../../src/ports/crash-points.ts';
import type { Receiver } from '../../src/ports/receiver.ts';
import { armedCrashPoints } from '../../src/worker/crash.ts';
import { approvalSignal, decideUpdate, recheckSignal, resolveUpdate } from '../../workflows/messages.ts';
import {
  databases,
  detailsOf,
  eventually,
  heldReceiver,
  historyOf,
  newCase,
  refusalOf,
  statusOf,
  troubledTasks,
} from '../support/temporal.ts';
import { environment } from './on-shared-server.ts';

const approve = (operationId: string) => ({ operationId, approved: true, reviewer: 'rosa' });
const thrownOnceAt = (point: CrashPoint) =>
  armedCrashPoints({ point, manner: 'throw' }, { exitCode: 42, pauseMarker: '' });

test('a receipt lost after the effect is made good by asking the receiver: one effect, one attempt', async () => {
  const at = await environment();
  await at.startWorker({ crash: thrownOnceAt('receiver.committed') });
  const { handle, prepared } = await at.startReview(newCase());
  const { operationId } = prepared;

  await handle.signal(approvalSignal, approve(operationId));
  const result = await handle.result();

  // The effect existed when the run came to know of it; nothing was written for what it reports.
  expect(result).toStrictEqual({
    operationId,
    status: 'Committed',
    replayed: true,
    effectCount: 1,
    attempts: 1,
    headHash: databases.headHash(at.paths, operationId),
  });
  expect(databases.effectsOf(at.paths, operationId)).toBe(1);
  expect(databases.operation(at.paths, operationId)).toMatchObject({ state: 'Completed', attempts: 1 });
  expect(databases.journal(at.paths).map(({ what }) => what)).toContain('look: matching');
});

/** Where a fault is thrown once → what the result says. `replayed`: the receipt was lost after the effect. */
const faults: Partial<Record<CrashPoint, { attempts: number; replayed: boolean }>> = {
  'propose.before-commit': { attempts: 1, replayed: false },
  'propose.after-commit': { attempts: 1, replayed: false },
  'decide.before-commit': { attempts: 1, replayed: false },
  'decide.after-commit': { attempts: 1, replayed: false },
  'claim.before-commit': { attempts: 1, replayed: false },
  'claim.after-commit': { attempts: 2, replayed: false },
  'receiver.request-sent': { attempts: 2, replayed: false },
  'receiver.half-reply': { attempts: 1, replayed: true },
  'complete.before-commit': { attempts: 1, replayed: true },
  'complete.after-commit': { attempts: 1, replayed: false },
  'execute.result-reported': { attempts: 1, replayed: false },
};

test.each(Object.entries(faults))('a fault thrown at %s leaves one effect', async (point, { attempts, replayed }) => {
  const at = await environment();
  await at.startWorker({ crash: thrownOnceAt(point as CrashPoint), recovery: { leaseMs: 100 } });
  const { handle, prepared } = await at.startReview(newCase());
  const { operationId } = prepared;

  const reply = await handle.executeUpdate(decideUpdate, { args: [approve(operationId)] });

  // Its own retry is told `recorded`, not `repeated`.
  expect(reply.outcome).toBe('recorded');
  expect(await handle.result()).toMatchObject({ status: 'Committed', replayed, effectCount: 1, attempts });
  expect(databases.operation(at.paths, operationId)).toMatchObject({ state: 'Completed', attempts });
  expect(databases.effects(at.paths)).toBe(1);
  expect(databases.decisions(at.paths)).toHaveLength(1);
  expect(troubledTasks(await historyOf(handle))).toStrictEqual([]);
});

test.each(['reconcile.asked', 'reconcile.before-commit', 'reconcile.after-commit'] as const)(
  'a fault thrown at %s while a lost receipt is looked for is asked again',
  async (point) => {
    const at = await environment();
    const fault = thrownOnceAt(point);
    const lost = thrownOnceAt('receiver.committed');
    const both = {
      reach(here: CrashPoint) {
        lost.reach(here);
        fault.reach(here);
      },
    };
    await at.startWorker({ crash: both });
    const { handle, prepared } = await at.startReview(newCase());

    await handle.signal(approvalSignal, approve(prepared.operationId));

    expect(await handle.result()).toMatchObject({ status: 'Committed', replayed: true, effectCount: 1, attempts: 1 });
    expect(databases.effects(at.paths)).toBe(1);
  },
);

test('a decision given while the ledger cannot be written is kept, and the run stays answerable meanwhile', async () => {
  const at = await environment();
  let broken = true;
  const crash = {
    reach(point: CrashPoint) {
      if (broken && point === 'decide.before-commit') throw new Error('no space left on device');
    },
  };
  await at.startWorker({ crash });
  const { handle, prepared } = await at.startReview(newCase());

  await handle.signal(approvalSignal, approve(prepared.operationId));
  // Retried by a timer, not by a workflow task that stays open: such a task costs events and answers no query.
  await eventually('a retry waits for a timer', async () =>
    (await historyOf(handle)).some(({ timerStartedEventAttributes: timer }) => timer),
  );
  expect(await statusOf(handle)).toMatchObject({ state: 'Pending', refusals: [] });
  broken = false;

  expect(await handle.result()).toMatchObject({ status: 'Committed', effectCount: 1 });
});

test('an attempt that failed before its claim does not make the run doubt an attempt of somebody else', async () => {
  const at = await environment();
  let failed = false;
  let letSecondAttemptGo = (): void => undefined;
  const claimedElsewhere = new Promise<void>((resolve) => (letSecondAttemptGo = resolve));
  await at.startWorker({
    crash: {
      reach(point) {
        if (failed || point !== 'claim.before-commit') return;
        failed = true;
        throw new Error('no space left on device');
      },
    },
    receiver: (embedded) => ({
      ...embedded,
      async describe() {
        if (failed) await claimedElsewhere;
        return embedded.describe();
      },
    }),
  });
  const { handle, prepared } = await at.startReview(newCase());
  const { operationId } = prepared;
  await handle.signal(approvalSignal, approve(operationId));
  await eventually('the run pauses before its next attempt', async () =>
    (await historyOf(handle)).some(({ timerStartedEventAttributes: timer }) => timer),
  );
  const receiver = heldReceiver();
  const elsewhere = execute({ ...at.ports, receiver: receiver.wrap(at.ports.receiver) }, operationId, 'command');
  await eventually('the claim of somebody else', () => receiver.arrived() === 1);
  letSecondAttemptGo();

  await eventually('the run waits', async () => (await detailsOf(handle)).includes('not known yet'));
  expect(await statusOf(handle)).toMatchObject({ state: 'Executing', attempts: 1 });
  expect(databases.journal(at.paths).filter(({ what }) => what.startsWith('look'))).toStrictEqual([]);
  receiver.release();
  expect(await elsewhere).toMatchObject({ outcome: 'claimed', receipt: 'created' });
  await handle.signal(recheckSignal);
  expect(await handle.result()).toMatchObject({ status: 'Committed', replayed: true, effectCount: 1, attempts: 1 });
});

/** A receiver whose commits fail before anything happens, and whose look-ups find nothing. */
const unreachable = (embedded: Receiver): Receiver => ({
  ...embedded,
  commit: () => Promise.reject(new Error('connection refused')),
});
const longLease = { leaseMs: 3_600_000, longestLeaseMs: 3_600_000 };

async function unknownOutcome() {
  const at = await environment();
  await at.startWorker({ receiver: unreachable, recovery: longLease });
  const { handle, prepared } = await at.startReview(newCase());
  await handle.signal(approvalSignal, approve(prepared.operationId));
  await eventually('the outcome is unknown', async () => (await statusOf(handle)).state === 'Unknown');
  return { at, handle, operationId: prepared.operationId };
}

test('an operator settles an unknown outcome through the run: it happened, with a reference', async () => {
  const { at, handle, operationId } = await unknownOutcome();
  const word = { operationId, resolution: 'effect_happened' as const, operator: 'olga', reason: 'seen in the ticket' };

  const without = await refusalOf(handle.executeUpdate(resolveUpdate, { args: [word] }));
  const answer = await handle.executeUpdate(resolveUpdate, { args: [{ ...word, reference: 'ticket-7#3' }] });

  expect(without).toMatchObject({ type: 'malformed_input', details: { pointer: '/reference' } });
  expect(answer).toStrictEqual({ outcome: 'resolved', state: 'Completed' });
  expect(await handle.result()).toMatchObject({ status: 'Committed', replayed: true, effectCount: 1, attempts: 1 });
  expect(databases.operation(at.paths, operationId)).toMatchObject({ state: 'Completed', attempts: 1 });
});

test('an operator abandons an unknown outcome through the run, and before it is unknown there is nothing to resolve', async () => {
  const { at, handle, operationId } = await unknownOutcome();
  const other = await at.startReview(newCase());
  const word = { resolution: 'abandon' as const, operator: 'olga', reason: 'the destination is gone' };

  const early = await refusalOf(
    other.handle.executeUpdate(resolveUpdate, { args: [{ ...word, operationId: other.prepared.operationId }] }),
  );
  const answer = await handle.executeUpdate(resolveUpdate, { args: [{ ...word, operationId }] });

  expect(early).toMatchObject({ type: 'not_unknown', details: { state: 'Pending' } });
  expect(answer).toStrictEqual({ outcome: 'resolved', state: 'Abandoned' });
  expect(await handle.result()).toMatchObject({ status: 'Abandoned', effectCount: 0, attempts: 1 });
});

test('cancelling a run whose outcome is unknown asks the receiver once more before it ends', async () => {
  const { at, handle, operationId } = await unknownOutcome();
  const looks = () => databases.journal(at.paths).filter(({ what }) => what.startsWith('look')).length;
  const before = looks();

  await handle.cancel();

  await expect(handle.result()).rejects.toMatchObject({ cause: expect.any(CancelledFailure) as CancelledFailure });
  expect(looks()).toBeGreaterThan(before);
  expect(databases.operation(at.paths, operationId)).toMatchObject({ state: 'Unknown', attempts: 1 });
});

test('a run cancelled during its attempt waits for it and returns what came of it', async () => {
  const at = await environment();
  const receiver = heldReceiver();
  await at.startWorker({ receiver: receiver.wrap });
  const { handle, prepared } = await at.startReview(newCase());
  await handle.signal(approvalSignal, approve(prepared.operationId));
  await eventually('the attempt', () => receiver.arrived() === 1);

  await handle.cancel();
  await eventually('the request is in the history', async () =>
    (await historyOf(handle)).some(({ workflowExecutionCancelRequestedEventAttributes: asked }) => asked),
  );
  receiver.release();

  expect(await handle.result()).toMatchObject({ status: 'Committed', replayed: false, effectCount: 1 });
  expect(databases.effects(at.paths)).toBe(1);
});

test('a run cancelled during an attempt whose receipt is lost asks the receiver, and does not say "cancelled" of an effect', async () => {
  const at = await environment();
  const receiver = heldReceiver({ loseReceipts: true });
  await at.startWorker({ receiver: receiver.wrap });
  const { handle, prepared } = await at.startReview(newCase());
  const { operationId } = prepared;
  await handle.signal(approvalSignal, approve(operationId));
  await eventually('the attempt', () => receiver.arrived() === 1);

  await handle.cancel();
  await eventually('the request is in the history', async () =>
    (await historyOf(handle)).some(({ workflowExecutionCancelRequestedEventAttributes: asked }) => asked),
  );
  receiver.release();

  expect(await handle.result()).toMatchObject({ status: 'Committed', replayed: true, effectCount: 1, attempts: 1 });
  expect(databases.operation(at.paths, operationId)).toMatchObject({ state: 'Completed', attempts: 1 });
  expect(databases.effects(at.paths)).toBe(1);
});

test('an approval and a cancellation in one task: the run ends, the decision stays, a new run executes it', async () => {
  const at = await environment();
  await at.startWorker();
  const input = newCase();
  const { handle, prepared } = await at.startReview(input);
  const { operationId } = prepared;
  await at.stopWorker();

  await handle.signal(approvalSignal, approve(operationId));
  await handle.cancel();
  await at.startWorker();

  await expect(handle.result()).rejects.toMatchObject({ cause: expect.any(CancelledFailure) as CancelledFailure });
  expect(databases.operation(at.paths, operationId)).toMatchObject({ state: 'Approved', attempts: 0 });
  expect(databases.effects(at.paths)).toBe(0);
  const next = await at.startReview(input);
  expect(await next.handle.result()).toMatchObject({ operationId, status: 'Committed', effectCount: 1 });
});
