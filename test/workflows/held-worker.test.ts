/**
 * Two workers, of which one is stopped (SIGSTOP) in the middle of an attempt, longer than its heartbeat may stay away, and
 * continued (SIGCONT) when another has taken over: an attempt that was given up for dead finishes beside its successor.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { beginRun } from '../../src/worker/runs.ts';
import { approvalSignal } from '../../workflows/messages.ts';
import { files, type HeldSettings } from '../support/held-worker.ts';
import { activitiesOf } from '../support/resetting.ts';
import { databases, eventually, heldReceiver, historyOf, newCase, type Environment } from '../support/temporal.ts';
import { expectOneEffect } from './one-effect.ts';
import { environment } from './on-shared-server.ts';

const script = fileURLToPath(new URL('../support/held-worker.ts', import.meta.url));
const leaseMs = 1_000;

async function startHeldWorker(at: Environment, place: HeldSettings['place']): Promise<ChildProcess> {
  const { address, namespace } = at.settings;
  const { taskQueue, paths } = at;
  const settings: HeldSettings = { directory: paths.directory, address, namespace, taskQueue, leaseMs, place };
  const child = spawn(process.execPath, ['--import', 'tsx', script, JSON.stringify(settings)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  await once(child.stdout, 'data');
  return child;
}

/** An approved case whose attempt stands at `place` in a worker that is stopped there. */
async function stoppedAt(place: HeldSettings['place']) {
  const at = await environment();
  const stopped = await startHeldWorker(at, place);
  const { prepared, workflowId } = await beginRun(at.client, newCase(), at.taskQueue);
  const { operationId } = prepared;
  const handle = at.handle(workflowId);
  await handle.signal(approvalSignal, { operationId, approved: true, reviewer: 'rosa' });
  await eventually('it stands there', () => existsSync(join(at.paths.directory, files.held)));
  stopped.kill('SIGSTOP');
  const { state, attempts } = databases.operation(at.paths, operationId)!;
  const found = { state, attempts, effects: databases.effects(at.paths) };
  /** Lets the stopped worker go on, and waits until its attempt is over. */
  const goOn = async (): Promise<void> => {
    writeFileSync(join(at.paths.directory, files.go), '');
    stopped.kill('SIGCONT');
    await eventually('its attempt is over', () => existsSync(join(at.paths.directory, files.over)));
  };
  return { at, handle, operationId, found, goOn };
}

/** Whether the server gave an attempt up because its heartbeats stayed away. */
async function gaveUp(handle: Awaited<ReturnType<typeof stoppedAt>>['handle']): Promise<number> {
  return (await historyOf(handle)).filter((event) => event.activityTaskTimedOutEventAttributes).length;
}

interface Row {
  readonly place: HeldSettings['place'];
  readonly found: { readonly state: string; readonly attempts: number; readonly effects: number };
  /** How many attempts there are in the end, and how often the run asked for one or for a look. */
  readonly attempts: number;
  readonly asked: Readonly<Record<string, number>>;
}

const rows: readonly Row[] = [
  {
    place: 'describe',
    found: { state: 'Approved', attempts: 0, effects: 0 },
    attempts: 1,
    asked: { execute: 2, reconcile: 0 },
  },
  {
    place: 'claim.after-commit',
    found: { state: 'Executing', attempts: 1, effects: 0 },
    attempts: 2,
    asked: { execute: 2, reconcile: 1 },
  },
  {
    place: 'receiver.request-sent',
    found: { state: 'Executing', attempts: 1, effects: 0 },
    attempts: 2,
    asked: { execute: 2, reconcile: 1 },
  },
  {
    place: 'receiver.committed',
    found: { state: 'Executing', attempts: 1, effects: 1 },
    attempts: 1,
    asked: { execute: 1, reconcile: 1 },
  },
  {
    place: 'complete.after-commit',
    found: { state: 'Completed', attempts: 1, effects: 1 },
    attempts: 1,
    asked: { execute: 1, reconcile: 0 },
  },
];

test.each(rows)('stopped at $place and continued after another worker finished: one effect', async (row) => {
  const { at, handle, operationId, found, goOn } = await stoppedAt(row.place);
  await at.startWorker({ recovery: { leaseMs } });

  const result = await handle.result();
  await goOn();

  expect(found).toStrictEqual(row.found);
  expect(result).toMatchObject({ operationId, status: 'Committed', effectCount: 1, attempts: row.attempts });
  expect(await gaveUp(handle)).toBe(1);
  const activities = await activitiesOf(handle);
  for (const [name, times] of Object.entries(row.asked)) {
    expect({ name, times: activities.filter((one) => one === name).length }).toStrictEqual({ name, times });
  }
  await expectOneEffect(at, operationId, row.attempts);
});

test.each([
  ['describe', 1],
  ['claim.after-commit', 2],
] as const)('stopped at %s and continued while another worker is at it: one effect', async (place, attempts) => {
  const { at, handle, operationId, goOn } = await stoppedAt(place);
  const receiver = heldReceiver();
  await at.startWorker({ receiver: receiver.wrap, recovery: { leaseMs } });
  await eventually('the other one sends', () => receiver.arrived() === 1);

  await goOn();
  const between = databases.effects(at.paths);
  receiver.release();

  expect(await handle.result()).toMatchObject({ operationId, status: 'Committed', effectCount: 1, attempts });
  // Before its claim it finds that somebody is at work; after it, its effect is the one, however late.
  expect(between).toBe(place === 'describe' ? 0 : 1);
  await expectOneEffect(at, operationId, attempts);
});
