/**
 * Commands as real processes: what they wrote, how they ended, every wait bounded. Ends only what it started, by handle
 * or by a process id together with the moment that process began. Knows no test framework.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { isAlive, refTo, signal as sendSignal, type ProcessRef } from '../../src/server/processes.ts';

/** Made by `compiled.ts` before the tests. */
const binary = fileURLToPath(new URL('compiled.mjs', import.meta.url));

// Named by its file: a command that runs in another directory would look for it there.
const loader = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;

/** A bound for a stuck process, not an expectation. */
const patienceMs = 90_000;

export interface Finished {
  /** `null` when a signal ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ProcessOptions {
  readonly cwd?: string;
  /** Added to the cleaned environment; `undefined` takes a variable away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Written to standard input, which is then closed. */
  readonly input?: string | Uint8Array;
  readonly timeoutMs?: number;
  /** `closed`: nobody reads what it writes; `full`: its standard output is a disk without space. */
  readonly output?: 'closed' | 'full';
  /** A process group of its own, as a shell gives it; `killGroup` is then what the terminal does. */
  readonly ownGroup?: boolean;
  /** A TypeScript program that takes the same arguments, in place of `bin/countersign`. */
  readonly program?: string;
}

/** Nothing of the caller's own settings reaches a command: no server, no state directory, no colours, no options. */
function environment(added: ProcessOptions['env'] = {}): NodeJS.ProcessEnv {
  const foreign = /^(TEMPORAL_|COUNTERSIGN_|VITEST|NODE_OPTIONS$|NODE_V8_COVERAGE$|CI$|FORCE_COLOR$)/;
  const own = Object.entries(process.env).filter(([name]) => !foreign.test(name));
  return { ...Object.fromEntries(own), NO_COLOR: '1', ...added };
}

/** What `up` and `worker` print with --json when they are ready; each leaves out what it has not. */
export interface ReadyLine {
  readonly ready: boolean;
  readonly pid: number;
  readonly temporalAddress: string;
  readonly namespace: string;
  readonly uiUrl?: string | null;
  readonly state?: string;
  readonly workerPid?: number | null;
  readonly taskQueue?: string;
}

export class RunningCommand {
  readonly pid: number;
  /** Which process this is, also after its id was given to another. */
  readonly ref: ProcessRef | null;
  /** Settles when the process is gone and everything it wrote has been read. */
  readonly ended: Promise<Finished>;
  gone = false;
  private readonly child: ChildProcess;
  private readonly title: string;
  private out = '';
  private err = '';

  constructor(args: readonly string[], options: ProcessOptions) {
    this.title = `countersign ${args.join(' ')}`;
    const program = options.program === undefined ? [binary] : ['--import', loader, options.program];
    const full = options.output === 'full' ? openSync('/dev/full', 'w') : null;
    this.child = spawn(process.execPath, [...program, ...args], {
      stdio: ['pipe', full ?? 'pipe', 'pipe'],
      detached: options.ownGroup ?? false,
      env: environment(options.env),
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    });
    if (full !== null) closeSync(full);
    if (options.output === 'closed') for (const stream of [this.child.stdout, this.child.stderr]) stream?.destroy();
    if (this.child.pid === undefined) throw new Error(`${this.title} was not started.`);
    this.pid = this.child.pid;
    this.ref = refTo(this.pid);
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.out += text));
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.err += text));
    // A command that never reads its input may be gone before it is written.
    this.child.stdin?.on('error', () => undefined);
    this.child.stdin?.end(options.input ?? '');
    this.ended = new Promise((resolve) => {
      this.child.once('close', (code, signal) => {
        this.gone = true;
        resolve({ code, signal, stdout: this.out, stderr: this.err });
      });
    });
  }

  get stdout(): string {
    return this.out;
  }

  get stderr(): string {
    return this.err;
  }

  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** To it and to every process it started in its group. */
  killGroup(signal: NodeJS.Signals): void {
    process.kill(-this.pid, signal);
  }

  /** How it ended. A process that is still there after the bound is killed, and the wait fails. */
  async finished(timeoutMs = patienceMs): Promise<Finished> {
    const late = new AbortController();
    const timer = delay(timeoutMs, null, { signal: late.signal }).catch(() => null);
    const finished = await Promise.race([this.ended, timer]);
    late.abort();
    if (finished) return finished;
    this.kill('SIGKILL');
    throw new Error(`${this.title} did not end within ${timeoutMs} ms.\n${this.out}\n${this.err}`);
  }

  /** Waits until what it wrote satisfies `condition`; fails at once when it ends before. */
  async until<T>(
    what: string,
    condition: (written: { stdout: string; stderr: string }) => T | null | undefined | false,
    timeoutMs = patienceMs,
  ): Promise<T> {
    const deadline = Date.now() + timeoutMs;
    for (;;) {
      const value = condition({ stdout: this.out, stderr: this.err });
      if (value !== null && value !== undefined && value !== false) return value;
      const { gone } = this;
      if (gone || Date.now() > deadline) {
        const why = gone ? 'it ended' : `${timeoutMs} ms are over`;
        throw new Error(`${this.title}: ${why} before this: ${what}\n${this.out}\n${this.err}`);
      }
      await delay(20);
    }
  }

  /** The first line of standard output: how `up --json` and `worker --json` say that they are ready. */
  readyLine(timeoutMs = patienceMs): Promise<ReadyLine> {
    return this.until(
      'a line on standard output',
      ({ stdout }) => (stdout.includes('\n') ? (JSON.parse(stdout.slice(0, stdout.indexOf('\n'))) as ReadyLine) : null),
      timeoutMs,
    );
  }
}

export function startCommand(args: readonly string[], options: ProcessOptions = {}): RunningCommand {
  return new RunningCommand(args, options);
}

export function runCommand(args: readonly string[], options: ProcessOptions = {}): Promise<Finished> {
  return startCommand(args, options).finished(options.timeoutMs);
}

/** The one JSON document a command with --json answers with. Fails for anything beside it, on either stream. */
export function documentOf({ stdout, stderr }: Finished): unknown {
  if (stderr !== '') throw new Error(`Beside the document there is: ${stderr}`);
  if (!stdout.endsWith('\n')) throw new Error(`This is no line: ${JSON.stringify(stdout)}`);
  return JSON.parse(stdout) as unknown;
}

/** For the end of a test: whatever of these it did not end itself. */
export async function endCommands(commands: readonly RunningCommand[]): Promise<void> {
  for (const command of commands) if (!command.gone) command.kill('SIGKILL');
  await Promise.all(commands.map((command) => command.ended));
}

/** The processes, among these, that still run; an id that now belongs to another process does not count. */
export function stillAlive(refs: readonly (ProcessRef | null)[]): ProcessRef[] {
  return refs.filter((ref): ref is ProcessRef => ref !== null && isAlive(ref));
}

/** A process that a command started below itself; the handle is its id and the moment it began. */
export function processOf(pid: number): ProcessRef {
  const ref = refTo(pid);
  if (ref === null) throw new Error(`There is no process ${pid}.`);
  return ref;
}

export const signalProcess = sendSignal;
