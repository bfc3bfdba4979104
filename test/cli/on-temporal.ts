/** A sandbox whose commands use the temporal driver in a namespace of its own: task queue `countersign` is not shared. */
import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { inject, onTestFinished } from 'vitest';
import type { CaseInput } from '../../src/core/case.ts';
import type { State } from '../../src/core/states.ts';
import { documentOf, runCommand, type Finished, type RunningCommand } from '../support/processes.ts';
import { eventually } from '../support/temporal.ts';
import { caseFile, Sandbox, type Answered, type Fault } from './sandbox.ts';

/** A port nobody listens on. */
export const nowhere = { TEMPORAL_ADDRESS: '127.0.0.1:1' };

let connection: Promise<Connection> | null = null;
const connected = (): Promise<Connection> =>
  (connection ??= Connection.connect({ address: inject('temporalAddress') }));

export class World extends Sandbox {
  readonly namespace: string;
  readonly client: Client;
  private worker: RunningCommand | null = null;

  constructor(namespace: string, on: Connection) {
    super();
    this.namespace = namespace;
    this.client = new Client({ connection: on, namespace });
  }

  get env(): Readonly<Record<string, string>> {
    return { TEMPORAL_ADDRESS: inject('temporalAddress'), TEMPORAL_NAMESPACE: this.namespace };
  }

  /** A finished command of the temporal driver. */
  on(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Finished> {
    return runCommand(['--state', this.state, ...args], { cwd: this.directory, env: { ...this.env, ...env } });
  }

  /** The same with --json. */
  async askOn<T = Record<string, unknown>>(
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<Answered<T & { error?: Fault }>> {
    const finished = await this.on(['--json', ...args], env);
    return { code: finished.code, answer: documentOf(finished) as T & { error?: Fault } };
  }

  /** Begins a case through Temporal; needs a worker. */
  async begun(content: Partial<CaseInput> = {}): Promise<{ operationId: string; caseId: string }> {
    const input = caseFile(content);
    const { code, answer } = await this.askOn(['begin', this.file(`${randomUUID()}.json`, input)]);
    if (code !== 0) throw new Error(`begin answered ${code}: ${JSON.stringify(answer)}`);
    return { operationId: String(answer['operationId']), caseId: input.caseId };
  }

  async startWorker(...args: string[]): Promise<RunningCommand> {
    const worker = this.start(['--json', 'worker', ...args], { env: this.env });
    await worker.readyLine();
    this.worker = worker;
    return worker;
  }

  /** Tells the worker to stop, and answers how it ended. */
  async stopWorker(): Promise<Finished> {
    const { worker } = this;
    this.worker = null;
    if (!worker) throw new Error('No worker was started.');
    worker.kill('SIGTERM');
    return worker.finished();
  }

  reaches(operationId: string, state: State): Promise<true> {
    return eventually(`${operationId} is ${state}`, () => this.operation(operationId)?.state === state);
  }
}

/** For the tests of a whole file; closed by the caller. */
export async function openWorld(): Promise<World> {
  const on = await connected();
  const namespace = `cli-${randomUUID()}`;
  const day = 86_400 as unknown as Long;
  await on.workflowService.registerNamespace({ namespace, workflowExecutionRetentionPeriod: { seconds: day } });
  const world = new World(namespace, on);
  await eventually(`namespace ${namespace}`, async () => {
    const { namespaceInfo } = await on.workflowService.describeNamespace({ namespace });
    return namespaceInfo?.name === namespace;
  });
  return world;
}

/** For one test. */
export async function world(): Promise<World> {
  const opened = await openWorld();
  onTestFinished(() => opened.close());
  return opened;
}
