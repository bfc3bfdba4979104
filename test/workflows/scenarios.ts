/**
 * One run for each way a review can go. `test/support/record-histories.ts` plays them on a real server and keeps their
 * histories; `replay.test.ts` replays those.
 */
import type { CaseInput, GivenCase } from '../../src/core/case.ts';
import { scriptedDrafter } from '../../src/drafter/scripted.ts';
import type { CrashPoint } from '../../src/ports/crash-points.ts';
import type { Receiver } from '../../src/ports/receiver.ts';
import { identify } from '../../src/identity/index.ts';
import { revise } from '../../src/operations/change.ts';
import { canonicalCase } from '../../src/operations/content.ts';
import { decide } from '../../src/operations/decide.ts';
import { armedCrashPoints } from '../../src/worker/crash.ts';
import { workflowIdOf, workflowType } from '../../src/worker/runs.ts';
import {
  approvalSignal,
  decideUpdate,
  recheckSignal,
  resolveUpdate,
  reviseUpdate,
  withdrawUpdate,
} from '../../workflows/messages.ts';
import { activitiesOf, excluded, points, reset } from '../support/resetting.ts';
import {
  eventually,
  heldReceiver,
  historyOf,
  jsonPayload,
  newCase,
  newUndrafted,
  payloadOf,
  signalWithPayloads,
  statusOf,
  type Environment,
  type ReviewHandle,
} from '../support/temporal.ts';

/** Plays a scenario to its end and returns the run whose history is kept. */
export type Scenario = (at: Environment) => Promise<ReviewHandle>;

const approve = (operationId: string) => ({ operationId, approved: true, reviewer: 'rosa' });
const decline = (operationId: string) => ({ operationId, approved: false, reviewer: 'rosa', reason: 'not covered' });
const thrownOnceAt = (point: CrashPoint) =>
  armedCrashPoints({ point, manner: 'throw' }, { exitCode: 42, pauseMarker: '' });
const settled = (promise: Promise<unknown>): Promise<unknown> => promise.catch(() => undefined);

async function approvedBySignal(at: Environment, input: GivenCase = newCase()): Promise<ReviewHandle> {
  const { handle, prepared } = await at.startReview(input);
  await handle.signal(approvalSignal, approve(prepared.operationId));
  await handle.result();
  return handle;
}

/** Commits fail before anything happens; look-ups find nothing; the lease never ends: the outcome stays unknown. */
async function unknownOutcome(at: Environment): Promise<{ handle: ReviewHandle; operationId: string }> {
  const receiver = (embedded: Receiver): Receiver => ({
    ...embedded,
    commit: () => Promise.reject(new Error('connection refused')),
  });
  await at.startWorker({ receiver, recovery: { leaseMs: 3_600_000, longestLeaseMs: 3_600_000 } });
  const { handle, prepared } = await at.startReview(newCase());
  const { operationId } = prepared;
  await handle.signal(approvalSignal, approve(operationId));
  await eventually('unknown', async () => (await statusOf(handle)).state === 'Unknown');
  return { handle, operationId };
}

async function onObject(at: Environment, object: NonNullable<CaseInput['object']>) {
  const { handle, prepared } = await at.startReview(newCase({ object }));
  return { handle, operationId: prepared.operationId };
}

export const scenarios: Readonly<Record<string, Scenario>> = {
  async 'committed-by-signal'(at) {
    await at.startWorker();
    return approvedBySignal(at);
  },

  async 'committed-by-update'(at) {
    await at.startWorker();
    const { handle, prepared } = await at.startReview(newCase());
    await handle.executeUpdate(decideUpdate, { args: [approve(prepared.operationId)] });
    await handle.result();
    return handle;
  },

  async 'approved-before-the-proposal'(at) {
    const input = newCase();
    const { operationId } = identify(canonicalCase(input));
    const started = await at.client.workflow.signalWithStart(workflowType, {
      ...at.startOptions([input], workflowIdOf(input.caseId)),
      signal: approvalSignal,
      signalArgs: [approve(operationId)],
    });
    await at.startWorker();
    await started.result();
    return at.handle(started.workflowId);
  },

  async 'drafted-and-committed'(at) {
    await at.startWorker({ drafter: scriptedDrafter(() => 'It is a known firmware issue.') });
    return approvedBySignal(at, newUndrafted());
  },

  async declined(at) {
    await at.startWorker();
    const { handle, prepared } = await at.startReview(newCase());
    await handle.executeUpdate(decideUpdate, { args: [decline(prepared.operationId)] });
    await handle.result();
    return handle;
  },

  async expired(at) {
    await at.startWorker();
    const { handle } = await at.startReview(newCase({ policy: { decisionTtlSeconds: 1 } }));
    await handle.result();
    return handle;
  },

  async withdrawn(at) {
    await at.startWorker();
    const { handle, prepared } = await at.startReview(newCase());
    const { operationId } = prepared;
    await handle.executeUpdate(withdrawUpdate, { args: [{ operationId, by: 'drafter', reason: 'sent by mistake' }] });
    await handle.result();
    return handle;
  },

  async 'revised-and-committed'(at) {
    await at.startWorker();
    const { handle, prepared } = await at.startReview(newCase());
    const revised = await handle.executeUpdate(reviseUpdate, {
      args: [{ expectedOperationId: prepared.operationId, revisedBy: 'ed', body: 'Shorter.' }],
    });
    await settled(handle.executeUpdate(decideUpdate, { args: [approve(prepared.operationId)] }));
    await handle.signal(approvalSignal, approve(revised.operationId));
    await handle.result();
    return handle;
  },

  async 'superseded-by-a-new-version'(at) {
    await at.startWorker();
    const { handle, operationId } = await onObject(at, { id: 'ticket-1' });
    await at.ports.ledger.setObject({ objectId: 'ticket-1', version: 2, actor: 'ops' });
    await handle.signal(approvalSignal, approve(operationId));
    await handle.result();
    return handle;
  },

  async 'denied-by-a-revoked-permission'(at) {
    await at.startWorker();
    const { handle } = await onObject(at, { id: 'ticket-1' });
    await at.ports.ledger.setObject({ objectId: 'ticket-1', version: 1, permitted: false, actor: 'ops' });
    await handle.signal(recheckSignal);
    await handle.result();
    return handle;
  },

  async 'started-again'(at) {
    await at.startWorker();
    const input = newCase();
    await approvedBySignal(at, input);
    const { handle } = await at.startReview(input);
    await handle.result();
    return handle;
  },

  async 'case-open'(at) {
    await at.startWorker();
    const input = newCase();
    await at.startReview(input);
    const handle = await at.start([{ ...input, body: 'Something else.' }]);
    await settled(handle.result());
    return handle;
  },

  async malformed(at) {
    await at.startWorker();
    const handle = await at.start([{ ...newCase(), body: 7 }]);
    await settled(handle.result());
    return handle;
  },

  async 'messages-refused'(at) {
    await at.startWorker();
    const { handle, prepared } = await at.startReview(newCase({ proposedBy: 'drafter' }));
    const { operationId } = prepared;
    await signalWithPayloads(at, handle.workflowId, 'approval', [payloadOf('binary/unknown', 'x')]);
    await signalWithPayloads(at, handle.workflowId, 'approval', [jsonPayload({ operationId, reviewer: 'rosa' })]);
    await signalWithPayloads(at, handle.workflowId, '__temporal_x', [jsonPayload('yes')]);
    await settled(handle.executeUpdate(decideUpdate, { args: [{ ...approve(operationId), reviewer: 'drafter' }] }));
    await eventually('four refusals', async () => (await statusOf(handle)).refusals.length === 4);
    return handle;
  },

  async 'cancelled-while-pending'(at) {
    await at.startWorker();
    const { handle } = await at.startReview(newCase());
    await handle.cancel();
    await settled(handle.result());
    return handle;
  },

  async 'cancelled-after-a-lost-receipt'(at) {
    const receiver = heldReceiver({ loseReceipts: true });
    await at.startWorker({ receiver: receiver.wrap });
    const { handle, prepared } = await at.startReview(newCase());
    await handle.signal(approvalSignal, approve(prepared.operationId));
    await eventually('the attempt', () => receiver.arrived() === 1);
    await handle.cancel();
    await eventually('the request', async () =>
      (await historyOf(handle)).some(({ workflowExecutionCancelRequestedEventAttributes: asked }) => asked),
    );
    receiver.release();
    await handle.result();
    return handle;
  },

  async 'cancelled-while-unknown'(at) {
    const { handle } = await unknownOutcome(at);
    await handle.cancel();
    await settled(handle.result());
    return handle;
  },

  async 'receipt-lost'(at) {
    await at.startWorker({ crash: thrownOnceAt('receiver.committed') });
    return approvedBySignal(at);
  },

  async 'claimed-again'(at) {
    await at.startWorker({ crash: thrownOnceAt('claim.after-commit'), recovery: { leaseMs: 100 } });
    return approvedBySignal(at);
  },

  async 'ledger-unavailable'(at) {
    let faults = 7;
    const crash = {
      reach(point: CrashPoint) {
        if (point !== 'decide.before-commit' || faults === 0) return;
        faults -= 1;
        throw new Error('no space left on device');
      },
    };
    await at.startWorker({ crash });
    return approvedBySignal(at);
  },

  async 'object-held'(at) {
    const receiver = heldReceiver();
    await at.startWorker({ receiver: receiver.wrap });
    const object = { id: 'ticket-1', version: 3, scope: 'blue' };
    const holder = await onObject(at, object);
    const { handle, operationId } = await onObject(at, object);
    await holder.handle.signal(approvalSignal, approve(holder.operationId));
    await eventually('the attempt', () => receiver.arrived() === 1);
    await handle.executeUpdate(decideUpdate, { args: [approve(operationId)] });
    receiver.release();
    await handle.result();
    return handle;
  },

  async 'unknown-abandoned'(at) {
    const { handle, operationId } = await unknownOutcome(at);
    const word = { operationId, resolution: 'abandon' as const, operator: 'olga', reason: 'the destination is gone' };
    await handle.executeUpdate(resolveUpdate, { args: [word] });
    await handle.result();
    return handle;
  },

  async 'unknown-established'(at) {
    const { handle, operationId } = await unknownOutcome(at);
    const word = { operationId, operator: 'olga', reason: 'seen in the ticket', reference: 'ticket-7#3' };
    await handle.executeUpdate(resolveUpdate, { args: [{ ...word, resolution: 'effect_happened' }] });
    await handle.result();
    return handle;
  },

  async 'reset-without-its-signals'(at) {
    await at.startWorker();
    const { handle, prepared } = await at.startReview(newCase());
    await handle.signal(recheckSignal);
    await eventually('a task of its own', async () => (await activitiesOf(handle)).includes('readState'));
    await handle.signal(approvalSignal, approve(prepared.operationId));
    await handle.result();
    const next = await reset(at, handle, points['before the approval'](await historyOf(handle)), excluded.both);
    await next.result();
    return next;
  },

  async 'decided-in-the-ledger-first'(at) {
    await at.startWorker();
    const input = newCase();
    const { handle, prepared } = await at.startReview(input);
    const { proposal } = await revise(
      at.ports,
      { expectedOperationId: prepared.operationId, revisedBy: 'ed', body: 'Shorter.' },
      { caseId: input.caseId, executor: 'test', via: 'command' },
    );
    const { operationId } = proposal!;
    await handle.signal(recheckSignal);
    await eventually('the revision', async () => (await statusOf(handle)).operationId === operationId);
    await decide(at.ports, approve(operationId), { caseId: null, requestId: null, via: 'command' });
    await handle.signal(recheckSignal);
    await handle.result();
    return handle;
  },
};

/** Two runs of one review, on a server that suggests early to continue as new; both histories are kept. */
export async function continuedAsNew(at: Environment): Promise<Record<string, ReviewHandle>> {
  await at.startWorker();
  const { handle, prepared } = await at.startReview(newCase());
  const { operationId } = prepared;
  const { runId: first } = await handle.describe();
  const second = await eventually('another run', async () => {
    await signalWithPayloads(at, handle.workflowId, 'approval', [jsonPayload({ operationId, reviewer: 'rosa' })]);
    const { runId } = await handle.describe();
    return runId === first ? null : runId;
  });
  await handle.signal(approvalSignal, approve(operationId));
  await handle.result();
  return {
    'continued-as-new': at.handle(handle.workflowId, first),
    'continued-from-another': at.handle(handle.workflowId, second),
  };
}

export const continuedNames = ['continued-as-new', 'continued-from-another'] as const;
