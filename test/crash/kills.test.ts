/**
 * kill -9 of the server in the middle of an approved case, together with a worker that stands at a crash point; a worker
 * alone dies at each point in temporal.test.ts. The times are printed, not asserted: the aim is that a case goes on
 * within 5 s of a new worker's start.
 */
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { crashRows } from '../../scripts/crash-rows.ts';
import type { CrashPoint } from '../../src/ports/crash-points.ts';
import { freePorts } from '../../src/server/ports.ts';
import { approvalSignal, decideUpdate } from '../../workflows/messages.ts';
import { MortalServer } from '../support/own-server.ts';
import { endCommands, startCommand, type RunningCommand } from '../support/processes.ts';
import {
  databases,
  eventually,
  heldReceiver,
  newCase,
  openEnvironment,
  settingsFor,
  type Environment,
  type OperationRow,
  type ReviewHandle,
} from '../support/temporal.ts';
import { arrives } from './stand.ts';

const points: readonly CrashPoint[] = [
  'claim.after-commit',
  'receiver.request-sent',
  'receiver.committed',
  'complete.after-commit',
];
const gaps = crashRows.filter(({ point }) => points.includes(point));

/** Workers of one environment, as processes. */
class Workers {
  private readonly at: Environment;
  private readonly started: RunningCommand[] = [];

  constructor(at: Environment) {
    this.at = at;
  }

  async start(...args: string[]): Promise<RunningCommand> {
    const { paths, taskQueue, settings } = this.at;
    const env = { TEMPORAL_ADDRESS: settings.address, TEMPORAL_NAMESPACE: settings.namespace };
    const state = ['--json', '--state', paths.directory];
    const worker = startCommand([...state, 'worker', '--task-queue', taskQueue, ...args], { env });
    this.started.push(worker);
    await worker.readyLine();
    return worker;
  }

  end(): Promise<void> {
    return endCommands(this.started);
  }
}

async function environment(address: string, namespace: string): Promise<{ at: Environment; workers: Workers }> {
  const at = await openEnvironment(settingsFor(address, namespace));
  const workers = new Workers(at);
  onTestFinished(async () => {
    await workers.end();
    await at.close();
  });
  return { at, workers };
}

const stored = (at: Environment, operationId: string): Partial<OperationRow> & { effects: number } => {
  const { state, attempts } = databases.operation(at.paths, operationId)!;
  return { state, attempts, effects: databases.effectsOf(at.paths, operationId) };
};

async function expectSettled(at: Environment, handle: ReviewHandle, operationId: string, attempts: number) {
  expect(await handle.result()).toMatchObject({ operationId, status: 'Committed', effectCount: 1, attempts });
  expect(stored(at, operationId)).toStrictEqual({ state: 'Completed', attempts, effects: 1 });
  expect(databases.effects(at.paths)).toBe(1);
}

/** Prints how long it took from the start of a new worker, and from the moment it was ready. */
async function timed(what: string, start: () => Promise<unknown>, settled: () => Promise<unknown>): Promise<void> {
  const from = Date.now();
  await start();
  const ready = Date.now();
  await settled();
  const now = Date.now();
  console.log(`${what}: ${now - from} ms from the new worker's start, ${now - ready} ms from its being ready`);
}

describe('the worker is killed', () => {
  test('before anybody decided: the next one knows the proposal, takes the approval and executes it once', async () => {
    const { at, workers } = await environment(inject('temporalAddress'), inject('temporalNamespace'));
    const doomed = await workers.start();
    const { handle, prepared } = await at.startReview(newCase());
    const { operationId } = prepared;

    doomed.kill('SIGKILL');
    await doomed.finished();
    await handle.signal(approvalSignal, { operationId, approved: true, reviewer: 'rosa' });
    await timed(
      'worker killed while the case waited',
      () => workers.start(),
      () => handle.result(),
    );

    await expectSettled(at, handle, operationId, 1);
  });
});

async function ownServer(): Promise<MortalServer> {
  const [port = 0] = await freePorts(1);
  const server = new MortalServer(inject('temporalCli'), port);
  onTestFinished(() => server.close());
  await server.start();
  return server;
}

describe('the server is killed', () => {
  test.each(gaps)('with its worker at $point, and both started again bring the case to its end', async (gap) => {
    const server = await ownServer();
    const { at, workers } = await environment(server.address, 'default');
    const doomed = await workers.start('--crash-at', `${gap.point}=pause`);
    const { handle, prepared } = await at.startReview(newCase());
    const { operationId } = prepared;
    await handle.executeUpdate(decideUpdate, { args: [{ operationId, approved: true, reviewer: 'rosa' }] });
    await arrives(at.paths.directory, doomed);

    await server.kill();
    doomed.kill('SIGKILL');
    await doomed.finished();
    const between = stored(at, operationId);
    await server.start();
    await timed(
      `server and worker killed at ${gap.point}`,
      () => workers.start(),
      () => handle.result(),
    );

    const { state, attempts, effects } = gap.atCrash;
    expect(between).toStrictEqual({ state, attempts, effects });
    await expectSettled(at, handle, operationId, gap.end.attempts);
  });

  test('while the effect is on its way: the worker records it alone, and the run ends when the server is back', async () => {
    const server = await ownServer();
    const { at } = await environment(server.address, 'default');
    const held = heldReceiver();
    await at.startWorker({ receiver: held.wrap });
    const { handle, prepared } = await at.startReview(newCase());
    const { operationId } = prepared;
    await handle.signal(approvalSignal, { operationId, approved: true, reviewer: 'rosa' });
    await eventually('the effect is on its way', () => held.arrived() === 1);

    await server.kill();
    held.release();
    await eventually('the ledger knows', () => databases.operation(at.paths, operationId)?.state === 'Completed');
    const between = stored(at, operationId);
    const from = Date.now();
    await server.start();
    await handle.result();
    console.log(`server killed while the worker lived: ${Date.now() - from} ms from the server's start`);

    expect(between).toStrictEqual({ state: 'Completed', attempts: 1, effects: 1 });
    await expectSettled(at, handle, operationId, 1);
    expect(held.arrived()).toBe(1);
  });

  test('after it acknowledged an approval that no worker has seen: the approval is still there', async () => {
    const server = await ownServer();
    const { at, workers } = await environment(server.address, 'default');
    const first = await workers.start();
    const { handle, prepared } = await at.startReview(newCase());
    const { operationId } = prepared;
    first.kill('SIGKILL');
    await first.finished();
    await handle.signal(approvalSignal, { operationId, approved: true, reviewer: 'rosa' });

    await server.kill();
    const between = stored(at, operationId);
    await server.start();
    await timed(
      'server killed after it took an approval',
      () => workers.start(),
      () => handle.result(),
    );

    expect(between).toStrictEqual({ state: 'Pending', attempts: 0, effects: 0 });
    await expectSettled(at, handle, operationId, 1);
  });
});
