/** Why this project has a payload converter of its own: what happens without it, and that it mends a blocked run. */
import { NativeConnection, Worker } from '@temporalio/worker';
import { expect, onTestFinished, test } from 'vitest';
import { createActivities } from '../../activities/index.ts';
import { workflowBundle } from '../../src/worker/bundle.ts';
import { passingToRuns, workflowIdOf, workflowType } from '../../src/worker/runs.ts';
import { approvalSignal, preparedUpdate } from '../../workflows/messages.ts';
import {
  databases,
  eventually,
  historyOf,
  newCase,
  payloadOf,
  signalWithPayloads,
  statusOf,
  troubledTasks,
  type Environment,
} from '../support/temporal.ts';
import { environment } from './on-shared-server.ts';

/** The same workflow code, decoding with the SDK's own converter. */
async function bundleWithoutConverter(): Promise<{ code: string }> {
  const { code } = await workflowBundle();
  const ours = /\(__webpack_require__\([^)]*"\.\/workflows\/payload-converter\.(ts|cjs)"\)\.payloadConverter\)/;
  expect(code).toMatch(ours);
  return { code: code.replace(ours, '(undefined)') };
}

async function startPlainWorker(at: Environment): Promise<() => Promise<void>> {
  const connection = await NativeConnection.connect({ address: at.settings.address });
  const passing = passingToRuns(at.client, at.ports.ledger, at.taskQueue);
  const worker = await Worker.create({
    connection,
    namespace: at.settings.namespace,
    taskQueue: at.taskQueue,
    workflowBundle: await bundleWithoutConverter(),
    activities: { ...createActivities(at.ports, { searchAttributes: false, passing }) },
    stickyQueueScheduleToStartTimeout: '1 second',
  });
  const ended = worker.run();
  const stop = async (): Promise<void> => {
    if (worker.getState() === 'RUNNING') worker.shutdown();
    await ended;
    await connection.close();
  };
  onTestFinished(() => stop().catch(() => undefined));
  return stop;
}

test('with the SDK’s own converter one undecodable signal blocks a run for good; ours makes the same run go on', async () => {
  const at = await environment();
  const stopPlain = await startPlainWorker(at);
  const input = newCase();
  const handle = await at.client.workflow.start(workflowType, {
    ...at.startOptions([input], workflowIdOf(input.caseId)),
    // A task that failed twice is given up by its worker without a word and tried again after this.
    workflowTaskTimeout: '1 second',
  });
  const prepared = await handle.executeUpdate(preparedUpdate);

  await signalWithPayloads(at, handle.workflowId, 'approval', [payloadOf('binary/unknown', 'x')]);
  await handle.signal(approvalSignal, { operationId: prepared.operationId, approved: true, reviewer: 'rosa' });
  await eventually('the task fails, and fails again', async () => {
    const { raw } = await handle.describe();
    return (raw.pendingWorkflowTask?.attempt ?? 0) >= 2;
  });

  expect(troubledTasks(await historyOf(handle))).toContain('Unknown encoding: binary/unknown');
  expect(databases.operation(at.paths, prepared.operationId)).toMatchObject({ state: 'Pending', attempts: 0 });

  await stopPlain();
  await at.startWorker();

  expect(await handle.result()).toMatchObject({ status: 'Committed', effectCount: 1, attempts: 1 });
  expect((await statusOf(handle)).refusals).toMatchObject([{ message: 'approval', outcome: 'malformed_input' }]);
});
