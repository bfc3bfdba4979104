/** The demonstration's processes: each step has its own, with its own id, and all of them are ended with it. */
import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { DevServer } from '../../server/index.ts';
import { startWatchdog } from '../../server/watchdog.ts';
import { StoryFault } from './story-fault.ts';

export interface Program {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** As a person would type it. */
  readonly shown: string;
}

export interface ProcessRecord {
  readonly command: string;
  readonly pid: number | null;
  exitCode: number | null;
  signal: string | null;
  milliseconds: number | null;
}

export interface Finished {
  readonly pid: number | null;
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Launched {
  readonly pid: number | null;
  /** Settles when the process has ended and all it wrote was read. */
  readonly ended: Promise<Finished>;
  readonly kill: (signal: NodeJS.Signals) => boolean;
}

export interface Service {
  readonly pid: number | null;
  readonly kill: (signal: NodeJS.Signals) => boolean;
  /** Settles with the exit code when the process has ended; `null`: by a signal. */
  readonly exited: Promise<number | null>;
  stop(): Promise<void>;
}

const mostOutput = 4 * 1024 * 1024;
const graceMs = 10_000;

/** Bounds for what is stuck, not expectations. */
export const bounds = { command: 90_000, ready: 90_000, exit: 60_000, condition: 60_000 } as const;

/** Settles as `act` does, or fails after `ms`. */
export async function within<T>(ms: number, what: string, act: Promise<T>): Promise<T> {
  const stop = new AbortController();
  const late = delay(ms, undefined, { signal: stop.signal }).then(() => {
    throw new StoryFault(`${what}: not within ${ms / 1000} s`);
  });
  late.catch(() => undefined);
  try {
    return await Promise.race([act, late]);
  } finally {
    stop.abort();
  }
}

export class Processes {
  readonly records: ProcessRecord[] = [];
  private readonly living = new Map<ChildProcess, Promise<void>>();
  private readonly ownSessions: boolean;
  private ending = false;

  /**
   * `ownSessions`: a Ctrl-C in the terminal reaches none of them, and each ends within seconds of this process,
   * however that ended, even one that SIGSTOP holds.
   */
  constructor({ ownSessions = false }: { readonly ownSessions?: boolean } = {}) {
    this.ownSessions = ownSessions;
  }

  private begin(program: Program, stdio: StdioOptions): { child: ChildProcess; record: ProcessRecord } {
    if (this.ending) throw new StoryFault('stopped');
    const started = Date.now();
    const child = spawn(program.file, [...program.args], { stdio, env: program.env, detached: this.ownSessions });
    const watchdog = this.ownSessions && child.pid !== undefined ? startWatchdog(child.pid) : null;
    const pid = child.pid ?? null;
    const record: ProcessRecord = { command: program.shown, pid, exitCode: null, signal: null, milliseconds: null };
    this.records.push(record);
    const closed = new Promise<void>((resolve) => {
      child.once('error', () => resolve());
      child.once('close', (exitCode, signal) => {
        Object.assign(record, { exitCode, signal, milliseconds: Date.now() - started });
        resolve();
      });
    }).finally(() => {
      this.living.delete(child);
      watchdog?.release();
    });
    this.living.set(child, closed);
    return { child, record };
  }

  /** Starts a program whose end may take long; a signal can be sent to it meanwhile. */
  launch(program: Program): Launched {
    const { child, record } = this.begin(program, ['ignore', 'pipe', 'pipe']);
    const said = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name]?.setEncoding('utf8').on('data', (text: string) => {
        said[name] = (said[name] + text).slice(-mostOutput);
      });
    }
    const closed = this.living.get(child) ?? Promise.resolve();
    const ended = closed.then(() => ({ pid: record.pid, exitCode: record.exitCode, ...said }));
    return { pid: record.pid, ended, kill: (signal) => child.kill(signal) };
  }

  /** Runs a program to its end. A program that gives no end in time is killed, and the story stops. */
  async run(program: Program): Promise<Finished> {
    const { ended, kill } = this.launch(program);
    const finished = await within(bounds.command, program.shown, ended).catch((late: unknown) => {
      kill('SIGKILL');
      throw late;
    });
    if (this.ending) throw new StoryFault('stopped');
    return finished;
  }

  /** Starts a program that says over its channel when it is ready; its output goes to `logFile`. */
  async start(program: Program, logFile: string): Promise<Service> {
    const log = openSync(logFile, 'a', 0o600);
    const { child, record } = this.begin(program, ['ignore', log, log, 'ipc']);
    closeSync(log);
    const closed = this.living.get(child) ?? Promise.resolve();
    const exited = closed.then(() => record.exitCode);
    const ready = new Promise<boolean>((resolve) => child.once('message', () => resolve(true)));
    const up = await within(bounds.ready, program.shown, Promise.race([ready, closed.then(() => false)]));
    if (!up) {
      const said = readFileSync(logFile, 'utf8').trim().slice(-500);
      throw new StoryFault(`${program.shown} exited ${record.exitCode ?? 'by a signal'} before it was ready: ${said}`);
    }
    return { pid: record.pid, exited, kill: (signal) => child.kill(signal), stop: () => this.end(child) };
  }

  private async end(child: ChildProcess): Promise<void> {
    const closed = this.living.get(child);
    if (!closed) return;
    child.kill('SIGTERM');
    await within(graceMs, 'its end', closed).catch(() => child.kill('SIGKILL'));
    await closed;
  }

  /** Ends what is left at once, where nothing of it has to be kept. */
  async killAll(): Promise<void> {
    this.ending = true;
    const ends = [...this.living.values()];
    for (const child of this.living.keys()) child.kill('SIGKILL');
    await Promise.all(ends);
  }

  /** Ends what is left, and lets nothing new begin. */
  async endAll(): Promise<void> {
    this.ending = true;
    await Promise.all([...this.living.keys()].map((child) => this.end(child)));
  }
}

/** Returns when the server is not even a zombie of this process. It alone keeps no process alive: the bound does. */
export async function endServer(server: DevServer): Promise<void> {
  await server.stop();
  await within(bounds.exit, 'the end of the server', server.exited);
}
