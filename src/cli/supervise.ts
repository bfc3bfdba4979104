/** Keeps one worker process running below `up`: started again when it dies, never faster than once a second. */
import { fork, type ChildProcess } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { CountersignError } from '../core/errors.ts';
import { binary } from './package-info.ts';

export interface Supervised {
  /** Resolves when the first worker says that it is ready; rejects when it ends before. */
  readonly ready: Promise<number>;
  /** Resolves when the worker has ended after `stop`, or has died too often. */
  readonly ended: Promise<void>;
  stop(): void;
}

/** What a worker may take to finish what it has begun: its own grace for running activities, and some more. */
const stopGraceMs = 15_000;

/** A worker that cannot even start is not started for ever. */
const mostEarlyDeaths = 5;

export interface SuperviseOptions {
  readonly args: readonly string[];
  readonly log: (line: string) => void;
}

const didNotStart = (text: string): CountersignError =>
  new CountersignError('server_unavailable', {
    message: `The worker did not start (${text}).`,
    hint: 'What it said stands above; `countersign worker` starts it alone.',
  });

/** `args`: the arguments of `countersign`. The child ends when this process does: its IPC channel closes then. */
export function superviseWorker({ args, log }: SuperviseOptions): Supervised {
  let child: ChildProcess | null = null;
  const stopping = new AbortController();
  const stopped = (): boolean => stopping.signal.aborted;
  let resolveReady: (pid: number) => void = () => undefined;
  let rejectReady: (error: Error) => void = () => undefined;
  const ready = new Promise<number>((resolve, reject) => {
    resolveReady = resolve;
    rejectReady = reject;
  });

  const runOnce = (): Promise<{ text: string; wasReady: boolean }> =>
    new Promise((resolve) => {
      let wasReady = false;
      const started = fork(binary, [...args], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], execArgv: [] });
      child = started;
      started.on('message', () => {
        wasReady = true;
        resolveReady(started.pid ?? 0);
      });
      started.once('exit', (code, signal) => {
        child = null;
        resolve({ text: signal ?? `exit code ${code ?? 'unknown'}`, wasReady });
      });
    });

  async function keepRunning(): Promise<void> {
    for (let earlyDeaths = 0; earlyDeaths < mostEarlyDeaths && !stopped();) {
      const { text, wasReady } = await runOnce();
      if (stopped()) return;
      log(`the worker ended (${text}); it is started again`);
      earlyDeaths = wasReady ? 0 : earlyDeaths + 1;
      if (!wasReady) rejectReady(didNotStart(text));
      await delay(1_000, null, { signal: stopping.signal }).catch(() => null);
    }
  }

  ready.catch(() => undefined);
  return {
    ready,
    ended: keepRunning(),
    stop: () => {
      stopping.abort();
      const running = child;
      running?.kill('SIGTERM');
      // A worker that hangs must not keep the others running; what it had begun is settled like after any death.
      setTimeout(() => running?.kill('SIGKILL'), stopGraceMs).unref();
    },
  };
}
