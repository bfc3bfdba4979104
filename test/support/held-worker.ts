/**
 * A worker as a process that comes to a halt once, at one place of an attempt: it writes a file there and goes on when
 * another file is there. Nothing of the process runs meanwhile but what the SDK does beside its event loop.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CrashPoint } from '../../src/ports/crash-points.ts';
import { prepareStateDirectory } from '../../src/worker/state-directory.ts';
import { createWorker } from '../../src/worker/worker.ts';
import { quietRuntime, settingsFor } from './temporal.ts';

export interface HeldSettings {
  readonly directory: string;
  readonly address: string;
  readonly namespace: string;
  readonly taskQueue: string;
  readonly leaseMs: number;
  /** `describe`: the question to the receiver that precedes every claim. */
  readonly place: CrashPoint | 'describe';
}

/** Written when it stands there; waited for; and written when its attempt is over. */
export const files = { held: 'held-here', go: 'go-on', over: 'attempt-over' } as const;

async function main(settings: HeldSettings): Promise<void> {
  const { directory, address, namespace, taskQueue, leaseMs, place } = settings;
  const within = (name: string): string => join(directory, name);
  let ready = false;
  let held = false;
  const arrive = (here: HeldSettings['place']): void => {
    if (here === 'execute.result-reported') writeFileSync(within(files.over), '');
    if (here !== place || held || !ready) return;
    held = true;
    writeFileSync(within(files.held), '');
    const never = new Int32Array(new SharedArrayBuffer(4));
    while (!existsSync(within(files.go))) Atomics.wait(never, 0, 0, 20);
  };
  quietRuntime();
  const running = await createWorker({
    paths: prepareStateDirectory(directory),
    connection: settingsFor(address, namespace),
    taskQueue,
    recovery: { leaseMs },
    embedding: {
      // No more polls than must be: a task that the server hands to a stopped process is lost until its timeout.
      options: (options) => ({
        ...options,
        maxConcurrentActivityTaskExecutions: 1,
        maxConcurrentWorkflowTaskExecutions: 1,
        maxConcurrentWorkflowTaskPolls: 1,
        maxCachedWorkflows: 0,
      }),
    },
    crash: { reach: arrive },
    receiver: (embedded) => ({
      ...embedded,
      describe() {
        arrive('describe');
        return embedded.describe();
      },
    }),
  });
  const done = running.run();
  ready = true;
  process.stdout.write('ready\n');
  await done;
}

const [, script, settings] = process.argv;
if (script === import.meta.filename && settings !== undefined) await main(JSON.parse(settings) as HeldSettings);
