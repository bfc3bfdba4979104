/** Runs that were terminated, deleted, or lost with the server's file: what is known and what may happen stays the same. */
import { WorkflowNotFoundError } from '@temporalio/client';
import { expect, inject, onTestFinished, test } from 'vitest';
import { sweep } from '../../src/operations/sweep.ts';
import { freePorts } from '../../src/server/ports.ts';
import { passingToRuns } from '../../src/worker/runs.ts';
import { approvalSignal, decideUpdate } from '../../workflows/messages.ts';
import { MortalServer } from '../support/own-server.ts';
import { activitiesOf } from '../support/resetting.ts';
import {
  databases,
  eventually,
  heldReceiver,
  newCase,
  openEnvironment,
  settingsFor,
  statusOf,
  type Environment,
  type ReviewHandle,
} from '../support/temporal.ts';
import { expectOneEffect } from './one-effect.ts';
import { environment } from './on-shared-server.ts';

const approve = (operationId: string) => ({ operationId, approved: true, reviewer: 'rosa' });
const longLease = { leaseMs: 3_600_000, longestLeaseMs: 3_600_000 };

const losses = {
  terminated: (_at: Environment, handle: ReviewHandle) => handle.terminate('by a test'),
  async deleted(at: Environment, handle: ReviewHandle) {
    const { workflowId } = handle;
    const { runId } = await handle.describe();
    const { namespace } = at.settings;
    await at.connection.workflowService.deleteWorkflowExecution({
      namespace,
      workflowExecution: { workflowId, runId },
    });
    await eventually('the run is gone', () =>
      handle.describe().then(
        () => false,
        (thrown: unknown) => thrown instanceof WorkflowNotFoundError,
      ),
    );
  },
} as const;
const ways = ['terminated', 'deleted'] as const;

test.each(ways)('%s while it waits and started again, a review takes its decision and has one effect', async (way) => {
  const at = await environment();
  await at.startWorker();
  const input = newCase();
  const { handle, prepared } = await at.startReview(input);
  const { operationId } = prepared;

  await losses[way](at, handle);
  const again = await at.startReview(input);
  await again.handle.executeUpdate(decideUpdate, { args: [approve(operationId)] });

  expect(again.prepared).toMatchObject({ operationId, admission: 'duplicate', state: 'Pending' });
  expect(await again.handle.result()).toMatchObject({ operationId, status: 'Committed', replayed: false });
  expect(await activitiesOf(again.handle)).toStrictEqual(['propose', 'decide', 'execute', 'readState']);
  await expectOneEffect(at, operationId);
});

test.each(ways)('%s between approval and claim and started again, a review executes what was approved', async (way) => {
  const at = await environment();
  let reachable = true;
  await at.startWorker({
    receiver: (embedded) => ({
      ...embedded,
      describe: () => (reachable ? embedded.describe() : Promise.reject(new Error('connection refused'))),
    }),
  });
  const input = newCase();
  const { handle, prepared } = await at.startReview(input);
  const { operationId } = prepared;
  reachable = false;
  await handle.executeUpdate(decideUpdate, { args: [approve(operationId)] });

  // An attempt of the lost run that is already on its way could otherwise be the one that executes.
  await at.stopWorker();
  await losses[way](at, handle);
  expect(databases.operation(at.paths, operationId)).toMatchObject({ state: 'Approved', attempts: 0 });
  await at.startWorker();
  const again = await at.startReview(input);

  expect(await again.handle.result()).toMatchObject({ operationId, status: 'Committed', effectCount: 1, attempts: 1 });
  expect(await activitiesOf(again.handle)).toStrictEqual(['propose', 'execute', 'readState']);
  await expectOneEffect(at, operationId);
});

test.each(ways)('%s while its effect is on the way and started again, a review is told how that ended', async (way) => {
  const at = await environment();
  const receiver = heldReceiver();
  await at.startWorker({ receiver: receiver.wrap, recovery: longLease });
  const input = newCase();
  const { handle, prepared } = await at.startReview(input);
  const { operationId } = prepared;
  await handle.signal(approvalSignal, approve(operationId));
  await eventually('the attempt', () => receiver.arrived() === 1);

  await losses[way](at, handle);
  const again = await at.startReview(input);
  expect(again.prepared).toMatchObject({ operationId, state: 'Executing' });
  receiver.release();

  expect(await again.handle.result()).toMatchObject({ status: 'Committed', replayed: true, attempts: 1 });
  expect(await activitiesOf(again.handle)).toStrictEqual(['propose', 'readState']);
  expect(receiver.arrived()).toBe(1);
  await expectOneEffect(at, operationId);
});

test.each(ways)(
  '%s after its end and started again, a review returns what is stored and writes nothing',
  async (way) => {
    const at = await environment();
    await at.startWorker();
    const input = newCase();
    const { handle, prepared } = await at.startReview(input);
    const { operationId } = prepared;
    await handle.signal(approvalSignal, approve(operationId));
    await handle.result();
    // A finished run cannot be terminated; the ledger is asked all the same.
    await losses[way](at, handle).catch((thrown: unknown) => expect(thrown).toBeInstanceOf(WorkflowNotFoundError));
    const before = databases.journal(at.paths);

    const again = await at.start([input], handle.workflowId);

    expect(await again.result()).toMatchObject({ operationId, status: 'Committed', replayed: true, attempts: 1 });
    expect(await activitiesOf(again)).toStrictEqual(['propose']);
    expect(databases.journal(at.paths)).toStrictEqual(before);
    await expectOneEffect(at, operationId);
  },
);

async function onMortalServer(): Promise<{ server: MortalServer; at: Environment }> {
  const [port = 0] = await freePorts(1);
  const server = new MortalServer(inject('temporalCli'), port);
  onTestFinished(() => server.close());
  await server.start();
  const at = await openEnvironment(settingsFor(server.address, 'default'));
  onTestFinished(() => at.close());
  return { server, at };
}

/** Another server at the same port, which knows of nothing. */
async function replaced(server: MortalServer): Promise<void> {
  await server.kill();
  server.forget();
  await server.start();
}

test('with the server’s file removed while cases wait, are on their way and are done, each has one effect', async () => {
  const { server, at } = await onMortalServer();
  const receiver = heldReceiver();
  await at.startWorker({ recovery: longLease });
  const done = await at.startReview(newCase());
  await done.handle.signal(approvalSignal, approve(done.prepared.operationId));
  await done.handle.result();
  await at.stopWorker();
  const worker = await at.startWorker({ receiver: receiver.wrap, recovery: longLease });
  const waits = await at.startReview(newCase());
  const underWay = await at.startReview(newCase());
  await underWay.handle.signal(approvalSignal, approve(underWay.prepared.operationId));
  await eventually('the attempt', () => receiver.arrived() === 1);

  await replaced(server);
  receiver.release();
  await eventually('the ledger knows', () => databases.effects(at.paths) === 2);
  const swept = await eventually('a sweep that reaches the server', async () => {
    const answer = await sweep(worker.ports, passingToRuns(worker.client, worker.ports.ledger, at.taskQueue), {
      limit: 10,
    });
    return answer.swept.some(({ result }) => result === 'unreachable') ? null : answer.swept;
  });
  const { operationId } = waits.prepared;
  await eventually('its run', async () => (await statusOf(waits.handle)).state === 'Pending');
  await waits.handle.executeUpdate(decideUpdate, { args: [approve(operationId)] });

  expect(swept).toContainEqual(expect.objectContaining({ operationId, reason: 'no run', result: 'started' }));
  expect(await waits.handle.result()).toMatchObject({ operationId, status: 'Committed', replayed: false });
  for (const { prepared } of [done, underWay, waits]) {
    expect(databases.operation(at.paths, prepared.operationId)).toMatchObject({ state: 'Completed', attempts: 1 });
    expect(databases.effectsOf(at.paths, prepared.operationId)).toBe(1);
  }
  expect(databases.effects(at.paths)).toBe(3);
});
