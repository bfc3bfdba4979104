/** What one step of the story does: commands as a person would type them, each in a process of its own. */
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import type { DevServer } from '../../server/index.ts';
import { binary } from '../package-info.ts';
import type { Observations, Value } from './checks.ts';
import { childEnvironment } from './environment.ts';
import type { CheckName } from './expectations.ts';
import { bounds, type Finished, type Processes, type Program, type Service } from './processes.ts';
import type { Scratch, Store } from './scratch.ts';
import { StoryFault } from './story-fault.ts';

/** The fields of the answers that the story reads. */
export interface Answer {
  readonly outcome?: string;
  readonly operationId?: string;
}

export interface Answered {
  readonly pid: number | null;
  readonly exitCode: number;
  readonly answer: Answer;
}

export interface Parts {
  readonly scratch: Scratch;
  readonly server: DevServer;
  readonly processes: Processes;
  readonly observations: Observations<CheckName>;
  /** An empty one, in place of the user's own. */
  readonly configFile: string;
}

const conditionPauseMs = 50;
const quoted = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text}'`);

export class Scene {
  readonly scratch: Scratch;
  readonly commands: string[] = [];
  private readonly parts: Parts;

  constructor(parts: Parts) {
    this.parts = parts;
    this.scratch = parts.scratch;
  }

  observe<T extends Value>(name: CheckName, value: T): T {
    this.parts.observations.observe(name, value);
    return value;
  }

  private program(store: Store, typed: readonly string[], file: string, args: readonly string[]): Program {
    const { server, configFile } = this.parts;
    const env = childEnvironment(store.directory, store.usesTemporal ? server : null, configFile);
    const shown = this.scratch.shorten(typed.map(quoted).join(' '));
    if (!this.commands.includes(shown)) this.commands.push(shown);
    return { file, args, env, shown };
  }

  async countersign(store: Store, ...args: readonly string[]): Promise<Answered> {
    const program = this.program(store, ['countersign', ...args], process.execPath, [binary, ...args, '--json']);
    const finished = await this.parts.processes.run(program);
    const { pid, exitCode, stdout } = finished;
    if (exitCode === null) throw new StoryFault(`${program.shown} was killed`);
    // A process that died at a crash point has answered nothing.
    return { pid, exitCode, answer: stdout === '' ? {} : (parsed(program, finished) as Answer) };
  }

  /** A worker, ready to take tasks. `typed`: how it is shown; `args`: Node's. */
  worker(store: Store, typed: readonly string[], args: readonly string[]): Promise<Service> {
    const program = this.program(store, typed, process.execPath, args);
    return this.parts.processes.start(program, `${store.directory}/worker.log`);
  }

  /** The Temporal CLI, as a user has it. Throws where it reports a failure. */
  async temporal<T>(...args: readonly string[]): Promise<T> {
    // A signal has no answer, and this command prints no JSON.
    const json = args.includes('signal') ? [] : ['--output', 'json'];
    const { cliPath } = this.parts.server;
    const program = this.program(this.scratch.review, ['temporal', ...args], cliPath, [...args, ...json]);
    const finished = await this.parts.processes.run(program);
    if (finished.exitCode !== 0) throw new StoryFault(`${program.shown}: ${finished.stderr.trim().slice(0, 500)}`);
    return (json.length === 0 ? undefined : parsed(program, finished)) as T;
  }

  /** Asks until the answer is there. */
  async until<T>(what: string, ask: () => Promise<T | null>): Promise<T> {
    for (const deadline = Date.now() + bounds.condition; ;) {
      const answer = await ask();
      if (answer !== null) return answer;
      if (Date.now() > deadline) throw new StoryFault(`${what}: not within ${bounds.condition / 1000} s`);
      await delay(conditionPauseMs);
    }
  }
}

function parsed(program: Program, { stdout, stderr }: Finished): unknown {
  try {
    return JSON.parse(stdout);
  } catch {
    throw new StoryFault(`${program.shown} answered no JSON: ${(stdout || stderr).trim().slice(0, 500)}`);
  }
}
