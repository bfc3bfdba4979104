/** The sweep as a Temporal Schedule: made by the command, started through the server, and removed by the command. */
import { ScheduleNotFoundError } from '@temporalio/client';
import { expect, test } from 'vitest';
import { workflowIdOf } from '../../src/worker/runs.ts';
import { eventually } from '../support/temporal.ts';
import { world } from './on-temporal.ts';

test('a scheduled sweep starts what has no run and tells what was not told; unscheduled, it is gone', async () => {
  const at = await world();
  await at.startWorker();
  const lost = await at.begun();
  const untold = await at.begun();
  await at.client.workflow.getHandle(workflowIdOf(lost.caseId)).terminate('by a test');
  await at.decided(untold.operationId, true);
  const before = [lost, untold].map(({ operationId }) => at.operation(operationId));

  const created = await at.askOn(['sweep', '--every-minutes', '10000']);
  const schedule = at.client.schedule.getHandle('countersign-sweep');
  await schedule.trigger();
  await at.reaches(untold.operationId, 'Completed');
  const run = at.client.workflow.getHandle(workflowIdOf(lost.caseId));
  await eventually('another run', async () => (await run.describe()).status.name === 'RUNNING');
  const again = await at.askOn(['sweep', '--every-minutes', '9000', '--limit', '7']);
  const changed = await schedule.describe();
  const removed = await at.askOn(['sweep', '--unschedule']);
  const absent = await at.askOn(['sweep', '--unschedule']);

  expect(before).toMatchObject([{ state: 'Pending' }, { state: 'Approved', attempts: 0, untold: 1 }]);
  expect([created, again, removed, absent].map(({ code, answer }) => [code, answer['schedule']])).toStrictEqual([
    [0, 'created'],
    [0, 'updated'],
    [0, 'removed'],
    [0, 'absent'],
  ]);
  expect(changed.action).toMatchObject({ workflowType: 'sweepLedger', args: [7] });
  await expect(schedule.describe()).rejects.toThrow(ScheduleNotFoundError);
  expect(at.operation(untold.operationId)).toMatchObject({ attempts: 1, untold: 0 });
  expect(at.effects()).toStrictEqual([untold.operationId]);
});

test('a scheduled sweep goes on behind its first batch: the last of three is lost, and found two at a time', async () => {
  const at = await world();
  await at.startWorker();
  await at.begun();
  await at.begun();
  const lost = await at.begun();
  const handle = at.client.workflow.getHandle(workflowIdOf(lost.caseId));
  await handle.terminate('by a test');
  await at.askOn(['sweep', '--every-minutes', '10000', '--limit', '2']);

  await at.client.schedule.getHandle('countersign-sweep').trigger();

  await eventually('another run', async () => (await handle.describe()).status.name === 'RUNNING');
  expect(at.operation(lost.operationId)).toMatchObject({ state: 'Pending', attempts: 0 });
  expect(at.effects()).toStrictEqual([]);
});

test('a worker that starts sweeps: an open operation without a run gets one, and an approved one has its effect', async () => {
  const at = await world();
  const pending = await at.proposed();
  const approved = await at.proposed();
  await at.decided(approved.operationId, true);

  await at.startWorker();

  await at.reaches(approved.operationId, 'Completed');
  await eventually('a run for the other', () => at.operation(pending.operationId)?.workflow_id !== null);
  expect(at.operation(pending.operationId)).toMatchObject({
    state: 'Pending',
    workflow_id: workflowIdOf(pending.caseId),
  });
  expect(at.effects()).toStrictEqual([approved.operationId]);
});
