/** Keeps one worker process running below `up`: started again when it dies, never faster than once a second. */
import { fork, type ChildProcess } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { binary } from './package-info.ts';

export interface Supervised {
  /** Resolves when the first worker says that it is ready; rejects when it ends before. */
  readonly ready: Promise<number>;
  /** Resolves when the worker has ended after `stop`, or has died too often. */
  readonly ended: Promise<void>;
  stop(): void;
}

/** A worker that cannot even start is not started for ever. */
const mostEarlyDeaths = 5;

export interface SuperviseOptions {
  readonly args: readonly string[];
  readonly log: (line: string) => void;
}

/** `args`: the arguments of `countersign`. The child ends when this process does: its IPC channel closes then. */
export function superviseWorker({ args, log }: SuperviseOptions): Supervised {
  let child: ChildProcess | null = null;
  let stopping = false;
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
    for (let earlyDeaths = 0; earlyDeaths < mostEarlyDeaths;) {
      const { text, wasReady } = await runOnce();
      if (stopping) return;
      log(`the worker ended (${text}); it is started again`);
      earlyDeaths = wasReady ? 0 : earlyDeaths + 1;
      if (!wasReady) rejectReady(new Error(`The worker did not start (${text}).`));
      await delay(1_000);
    }
  }

  ready.catch(() => undefined);
  return {
    ready,
    ended: keepRunning(),
    stop: () => {
      stopping = true;
      child?.kill('SIGTERM');
    },
  };
}
