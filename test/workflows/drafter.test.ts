/** Cases without a body on a real server: the model is called once, and by nothing that goes on after a fault. */
import { expect, test } from 'vitest';
import { scriptedDrafter } from '../../src/drafter/scripted.ts';
import { sweep } from '../../src/operations/sweep.ts';
import { passingToRuns, workflowIdOf } from '../../src/worker/runs.ts';
import { approvalSignal, reviseUpdate } from '../../workflows/messages.ts';
import { activitiesOf, doneAgain, excluded, firstTask, reset } from '../support/resetting.ts';
import {
  applicationFailure,
  databases,
  eventually,
  failureOf,
  historyOf,
  newUndrafted,
  statusOf,
  troubledTasks,
  type Environment,
  type ReviewHandle,
} from '../support/temporal.ts';
import { environment } from './on-shared-server.ts';
import { expectOneEffect } from './one-effect.ts';

const approve = (operationId: string) => ({ operationId, approved: true, reviewer: 'rosa' });

/** Every text is another one: a second call could not go unnoticed. */
function counting(fault: (call: number) => void = () => undefined) {
  let calls = 0;
  const drafter = scriptedDrafter((_request, call) => {
    calls = call;
    fault(call);
    return `draft ${call}`;
  });
  return { drafter, calls: () => calls };
}

/** A drafter that is at work until it is released. */
function held() {
  let calls = 0;
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const drafter = scriptedDrafter(async (_request, call) => {
    calls = call;
    await released;
    return `draft ${call}`;
  });
  return { drafter, calls: () => calls, release: () => release() };
}

/** One call, one stored draft, and one operation whose text it is. */
function expectOneDraft(at: Environment, caseId: string, calls: () => number): void {
  expect(calls()).toBe(1);
  expect(databases.drafts(at.paths)).toStrictEqual([{ case_id: caseId, drafter: 'scripted', body: 'draft 1' }]);
  expect(databases.operations(at.paths, caseId)).toHaveLength(1);
}

async function committed(handle: ReviewHandle, operationId: string): Promise<void> {
  await handle.signal(approvalSignal, approve(operationId));
  expect(await handle.result()).toMatchObject({ operationId, status: 'Committed', effectCount: 1 });
}

test('a case without a body is drafted by an activity of its own, and its effect is of exactly that text', async () => {
  const at = await environment();
  const { drafter, calls } = counting();
  await at.startWorker({ drafter });
  const input = newUndrafted();

  const { handle, prepared } = await at.startReview(input);

  expect(prepared).toMatchObject({ body: 'draft 1', admission: 'admitted', state: 'Pending' });
  expect(await activitiesOf(handle)).toStrictEqual(['draft', 'propose']);
  await committed(handle, prepared.operationId);
  expectOneDraft(at, input.caseId, calls);
  await expectOneEffect(at, prepared.operationId);
  expect(troubledTasks(await historyOf(handle))).toStrictEqual([]);
});

test('a second run, beside the first and after it, finds the draft', async () => {
  const at = await environment();
  const { drafter, calls } = counting();
  await at.startWorker({ drafter });
  const input = newUndrafted();
  const { handle, prepared } = await at.startReview(input);

  const beside = await at.startReview(input, `again/${input.caseId}`);
  expect(beside.prepared).toMatchObject({ operationId: prepared.operationId, admission: 'duplicate' });
  await committed(handle, prepared.operationId);
  await beside.handle.result();
  const after = await at.startReview(input);

  expect(await after.handle.result()).toMatchObject({ operationId: prepared.operationId, replayed: true });
  expectOneDraft(at, input.caseId, calls);
  await expectOneEffect(at, prepared.operationId);
});

test('a run that is reset to its start drafts nothing again', async () => {
  const at = await environment();
  const { drafter, calls } = counting();
  await at.startWorker({ drafter });
  const input = newUndrafted();
  const { handle, prepared } = await at.startReview(input);
  await committed(handle, prepared.operationId);

  const next = await reset(at, handle, firstTask(await historyOf(handle)), excluded.both);

  expect(await next.result()).toMatchObject({ operationId: prepared.operationId, status: 'Committed' });
  expect(await doneAgain(next)).toStrictEqual(['draft', 'propose']);
  expectOneDraft(at, input.caseId, calls);
  await expectOneEffect(at, prepared.operationId);
});

test('a terminated run is begun anew by a sweep with the text as it was drafted', async () => {
  const at = await environment();
  const { drafter, calls } = counting();
  await at.startWorker({ drafter });
  const input = newUndrafted();
  const { handle, prepared } = await at.startReview(input);
  await handle.terminate('by mistake');

  await sweep(at.ports, passingToRuns(at.client, at.ports.ledger, at.taskQueue), { limit: 100 });

  const next = at.handle(workflowIdOf(input.caseId));
  await committed(next, prepared.operationId);
  expect(await activitiesOf(next)).not.toContain('draft');
  expectOneDraft(at, input.caseId, calls);
});

test('a draft is used by a worker without any drafter, and a revision asks nobody either', async () => {
  const at = await environment();
  const { drafter, calls } = counting();
  await at.startWorker({ drafter });
  const input = newUndrafted();
  const { prepared } = await at.startReview(input);
  await at.stopWorker();
  await at.startWorker();

  const again = await at.startReview(input, `again/${input.caseId}`);
  const change = { expectedOperationId: prepared.operationId, revisedBy: 'ed', body: 'Shorter.' };
  const { operationId } = await again.handle.executeUpdate(reviseUpdate, { args: [change] });

  await committed(again.handle, operationId);
  expect(calls()).toBe(1);
  expect(databases.drafts(at.paths)).toHaveLength(1);
  await expectOneEffect(at, operationId);
});

test('a drafter that fails, or answers what is no text, is asked again until it does', async () => {
  const at = await environment();
  const drafter = scriptedDrafter((_request, call) => {
    if (call === 1) throw new Error('overloaded');
    return call === 2 ? 'not well-formed: \ud800' : `draft ${call}`;
  });
  await at.startWorker({ drafter });
  const input = newUndrafted();

  const { handle, prepared } = await at.startReview(input);

  expect(prepared.body).toBe('draft 3');
  expect(databases.drafts(at.paths)).toMatchObject([{ body: 'draft 3' }]);
  await committed(handle, prepared.operationId);
});

test('without a drafter the run ends as with any malformed case, and nothing is recorded', async () => {
  const at = await environment();
  await at.startWorker();
  const input = newUndrafted();

  const handle = await at.start([input]);

  const failure = await failureOf(handle.result());
  expect(failure).toMatchObject({ type: 'malformed_input', details: [{ pointer: '/body' }] });
  expect(databases.operations(at.paths, input.caseId)).toStrictEqual([]);
  expect(databases.drafts(at.paths)).toStrictEqual([]);
});

test('a run that is cancelled while the model is at work ends at once; the text that comes later is kept for the next', async () => {
  const at = await environment();
  const { drafter, calls, release } = held();
  await at.startWorker({ drafter });
  const input = newUndrafted();
  const handle = await at.start([input], workflowIdOf(input.caseId));
  await handle.signal(approvalSignal, approve(`op-v1-${'0'.repeat(64)}`));
  await eventually('the model is asked', () => calls() === 1);

  await handle.cancel();

  await expect(handle.result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });
  expect((await statusOf(handle)).refusals).toMatchObject([{ outcome: 'closed' }]);
  expect(databases.operations(at.paths, input.caseId)).toStrictEqual([]);
  release();
  await eventually('the text is kept', () => databases.drafts(at.paths).length === 1);
  const { prepared } = await at.startReview(input);
  expect(prepared).toMatchObject({ body: 'draft 1', admission: 'admitted' });
  expectOneDraft(at, input.caseId, calls);
});

test('whoever waits for the proposal of a run that is cancelled while drafting is told so', async () => {
  const at = await environment();
  const { drafter, calls, release } = held();
  await at.startWorker({ drafter });
  const input = newUndrafted();
  const waiting = at.startReview(input).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  await eventually('the model is asked', () => calls() === 1);

  await at.handle(workflowIdOf(input.caseId)).cancel();

  expect(applicationFailure(await waiting)).toMatchObject({ type: 'closed' });
  release();
});
