/**
 * A worker in this process over a state directory and a task queue of its own, and what tests ask about its runs.
 * Knows no test framework, so that scripts can use it, too.
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
// The SDK loads the payload converter with require(); this makes that understand TypeScript, as `node --import tsx` does.
import 'tsx/cjs';
import { Client, Connection, WithStartWorkflowOperation, type WorkflowHandle } from '@temporalio/client';
import { WorkflowFailedError, WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure, DefaultFailureConverter, defaultPayloadConverter, type Payload } from '@temporalio/common';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import Database from 'better-sqlite3';
import type { CaseInput, GivenCase, UndraftedCase } from '../../src/core/case.ts';
import type { Proposal } from '../../src/core/presentation.ts';
import type { State } from '../../src/core/states.ts';
import { noCrashPoints } from '../../src/ports/crash-points.ts';
import type { Receiver } from '../../src/ports/receiver.ts';
import type { ConnectionSettings } from '../../src/server/index.ts';
import { openPorts, type OpenPorts } from '../../src/worker/open-ports.ts';
import { workflowIdOf, workflowType } from '../../src/worker/runs.ts';
import { prepareStateDirectory, type StatePaths } from '../../src/worker/state-directory.ts';
import { createWorker, type RunningWorker, type WorkerSettings } from '../../src/worker/worker.ts';
import { preparedUpdate, proposalQuery, statusQuery, type PreparedAnswer } from '../../workflows/messages.ts';
import type { RunStatus } from '../../workflows/messages.ts';
import type { reviewOperation } from '../../workflows/review-operation.ts';

export type History = Awaited<ReturnType<WorkflowHandle['fetchHistory']>>;
export type HistoryEvent = NonNullable<History['events']>[number];
export type ReviewHandle = WorkflowHandle<typeof reviewOperation>;

/** A bound for a stuck condition, not an expectation. */
const patienceMs = 60_000;

/** Waits until `condition` answers something other than `false`, `null` or `undefined`, and returns that. */
export async function eventually<T>(
  what: string,
  condition: () => T | Promise<T>,
  timeoutMs = patienceMs,
): Promise<Exclude<T, false | null | undefined>> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const value = await condition();
    if (value !== false && value !== null && value !== undefined) {
      return value as Exclude<T, false | null | undefined>;
    }
    if (Date.now() > deadline) throw new Error(`not within ${timeoutMs} ms: ${what}`);
    await delay(20);
  }
}

/** Settings that name a server directly, as tests are given them. */
export function settingsFor(address: string, namespace: string): ConnectionSettings {
  return { address, namespace, connectionOptions: { address }, source: 'environment' };
}

/** A case nobody else uses; its object is the case itself unless named. */
export function newCase(content: Partial<CaseInput> = {}): CaseInput {
  return {
    caseId: `T-${randomUUID()}`,
    action: 'record_support_review',
    body: 'The restart after update 4.2 is a known firmware issue.\nPlease collect a diagnostic export.',
    evidence: [{ sourceId: 'KB-311', version: 3, quotation: 'Update 4.2 can restart the unit.' }],
    policy: { label: 'support-review/1', allowanceUnits: 9 },
    ...content,
  };
}

/** The same, for a drafter to write its body. */
export function newUndrafted(content: Partial<UndraftedCase> = {}): UndraftedCase {
  const { body: _body, ...rest } = newCase(content);
  return rest;
}

/** The SDK logs each change of a worker's state otherwise. */
export function quietRuntime(): void {
  try {
    Runtime.install({
      logger: new DefaultLogger('ERROR'),
      telemetryOptions: { logging: { filter: { core: 'ERROR', other: 'ERROR' } } },
    });
  } catch {
    // Installed already, by another module of this process.
  }
}

export type WorkerOverrides = Partial<Omit<WorkerSettings, 'paths' | 'connection' | 'taskQueue'>>;

interface Started {
  readonly running: RunningWorker;
  readonly ended: Promise<void>;
}

/** One state directory, one task queue, at most one worker at a time, and everything closed by `close`. */
export class Environment {
  readonly settings: ConnectionSettings;
  readonly connection: Connection;
  /** An outsider's client: it knows nothing of this project's converter. */
  readonly client: Client;
  readonly paths: StatePaths;
  readonly taskQueue = `queue-${randomUUID()}`;
  private started: Started | null = null;
  private opened: OpenPorts | null = null;
  private readonly workflowIds = new Set<string>();

  constructor(settings: ConnectionSettings, connection: Connection) {
    this.settings = settings;
    this.connection = connection;
    this.client = new Client({ connection, namespace: settings.namespace });
    this.paths = prepareStateDirectory(mkdtempSync(join(tmpdir(), 'countersign-workflows-')));
  }

  /** Another process's view of the same ledger and receiver: the command line, the desk. */
  get ports(): OpenPorts {
    return (this.opened ??= openPorts(this.paths, { crash: noCrashPoints }));
  }

  async startWorker(overrides: WorkerOverrides = {}): Promise<RunningWorker> {
    const running = await createWorker({
      paths: this.paths,
      connection: this.settings,
      crash: noCrashPoints,
      taskQueue: this.taskQueue,
      ...overrides,
    });
    this.started = { running, ended: running.run() };
    // Reported by `stopWorker`.
    this.started.ended.catch(() => undefined);
    return running;
  }

  async stopWorker(): Promise<void> {
    const { started } = this;
    this.started = null;
    if (!started) return;
    started.running.worker.shutdown();
    await started.ended;
  }

  startOptions(args: readonly unknown[], workflowId: string) {
    this.workflowIds.add(workflowId);
    return { workflowId, taskQueue: this.taskQueue, args: [...args] };
  }

  /** Starts a run with any arguments at all. */
  async start(args: readonly unknown[], workflowId = `review/${randomUUID()}`): Promise<ReviewHandle> {
    return this.client.workflow.start<typeof reviewOperation>(workflowType, this.startOptions(args, workflowId));
  }

  /** Starts the run of a case as the contract recommends, and waits for its proposal by the same call. */
  async startReview(
    input: GivenCase,
    workflowId = workflowIdOf(input.caseId),
  ): Promise<{ handle: ReviewHandle; prepared: PreparedAnswer }> {
    const startWorkflowOperation = new WithStartWorkflowOperation(workflowType, {
      ...this.startOptions([input], workflowId),
      workflowIdConflictPolicy: 'USE_EXISTING',
    });
    const prepared = await this.client.workflow.executeUpdateWithStart(preparedUpdate, { startWorkflowOperation });
    return { handle: this.handle(workflowId), prepared };
  }

  handle(workflowId: string, runId?: string): ReviewHandle {
    return this.client.workflow.getHandle(workflowId, runId);
  }

  /** Ends the runs a test left open, too, so that they do not wait for a worker that never comes. */
  async close(): Promise<void> {
    await this.stopWorker().catch(() => undefined);
    for (const workflowId of this.workflowIds) {
      await this.handle(workflowId)
        .terminate('the test is over')
        .catch(() => undefined);
    }
    this.opened?.close();
    rmSync(this.paths.directory, { recursive: true, force: true });
  }
}

let shared: { readonly address: string; readonly connection: Promise<Connection> } | null = null;

/** One connection per process is enough: every call names its namespace. */
function connectionTo(settings: ConnectionSettings): Promise<Connection> {
  if (shared?.address !== settings.address) {
    shared = { address: settings.address, connection: Connection.connect(settings.connectionOptions) };
  }
  return shared.connection;
}

export async function openEnvironment(settings: ConnectionSettings): Promise<Environment> {
  quietRuntime();
  return new Environment(settings, await connectionTo(settings));
}

/** A signal with exactly these payloads, decodable or not. */
export async function signalWithPayloads(
  { connection, settings }: Environment,
  workflowId: string,
  signalName: string,
  payloads: readonly Payload[],
): Promise<void> {
  await connection.workflowService.signalWorkflowExecution({
    namespace: settings.namespace,
    workflowExecution: { workflowId },
    signalName,
    input: { payloads: [...payloads] },
    requestId: randomUUID(),
  });
}

/** An update with exactly these payloads; its answer, or the failure it was refused with. */
export async function updateWithPayloads(
  { connection, settings }: Environment,
  workflowId: string,
  name: string,
  payloads: readonly Payload[],
): Promise<unknown> {
  const { outcome } = await connection.workflowService.updateWorkflowExecution({
    namespace: settings.namespace,
    workflowExecution: { workflowId },
    waitPolicy: { lifecycleStage: 'UPDATE_WORKFLOW_EXECUTION_LIFECYCLE_STAGE_COMPLETED' as never },
    request: {
      meta: { updateId: randomUUID(), identity: 'test' },
      input: { name, args: { payloads: [...payloads] } },
    },
  });
  if (outcome?.failure) throw new DefaultFailureConverter().failureToError(outcome.failure, defaultPayloadConverter);
  const [answer] = outcome?.success?.payloads ?? [];
  return answer && defaultPayloadConverter.fromPayload(answer);
}

/** A run started with exactly these payloads as its arguments. */
export async function startWithPayloads(environment: Environment, payloads: readonly Payload[]): Promise<ReviewHandle> {
  const { workflowId } = environment.startOptions([], `review/${randomUUID()}`);
  await environment.connection.workflowService.startWorkflowExecution({
    namespace: environment.settings.namespace,
    workflowId,
    workflowType: { name: workflowType },
    taskQueue: { name: environment.taskQueue },
    input: { payloads: [...payloads] },
    requestId: randomUUID(),
  });
  return environment.handle(workflowId);
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** A payload whose encoding and bytes are given as they are. */
export function payloadOf(encoding: string | null, data: string | Uint8Array): Payload {
  return {
    metadata: encoding === null ? {} : { encoding: bytes(encoding) },
    data: typeof data === 'string' ? bytes(data) : data,
  };
}

export const valueOf = (payload: Payload): unknown => defaultPayloadConverter.fromPayload(payload);
export const jsonPayload = (value: unknown): Payload => defaultPayloadConverter.toPayload(value);

export async function historyOf(handle: ReviewHandle): Promise<HistoryEvent[]> {
  return (await handle.fetchHistory()).events ?? [];
}

/**
 * What went wrong in workflow tasks; empty for a healthy run. A task the server refused because a message had arrived
 * meanwhile is not one: it is simply done again with that message.
 */
export function troubledTasks(events: readonly HistoryEvent[]): string[] {
  return events.flatMap(
    ({ workflowTaskFailedEventAttributes: failed, workflowTaskTimedOutEventAttributes: timedOut }) => {
      if (timedOut) return ['timed out'];
      const message = failed?.failure?.message;
      // The task that a reset ends is no trouble either.
      if (failed?.newRunId) return [];
      return !failed || message === 'UnhandledCommand' ? [] : [message ?? 'failed'];
    },
  );
}

/** What the UI shows of a run. */
export async function detailsOf(handle: ReviewHandle): Promise<string> {
  const metadata = await handle.query<{ currentDetails?: string }>('__temporal_workflow_metadata');
  return metadata.currentDetails ?? '';
}

/** Names of the updates that the history holds: a refusal before acceptance leaves none. */
export function acceptedUpdates(events: readonly HistoryEvent[]): string[] {
  return events.flatMap(({ workflowExecutionUpdateAcceptedEventAttributes: accepted }) =>
    accepted ? [accepted.acceptedRequest?.input?.name ?? ''] : [],
  );
}

/** The ApplicationFailure that a run or an update failed with; rethrows anything else. */
export function applicationFailure(thrown: unknown): ApplicationFailure {
  const cause =
    thrown instanceof WorkflowFailedError || thrown instanceof WorkflowUpdateFailedError ? thrown.cause : thrown;
  if (cause instanceof ApplicationFailure) return cause;
  throw thrown;
}

export async function failureOf(promise: Promise<unknown>): Promise<ApplicationFailure> {
  const thrown = await promise.then(
    () => new Error('It did not fail.'),
    (reason: unknown) => reason,
  );
  return applicationFailure(thrown);
}

/** The outcome of a refused update and what it says stands now. */
export async function refusalOf(
  promise: Promise<unknown>,
): Promise<{ type: string; details: Record<string, unknown> }> {
  const { type, details } = await failureOf(promise);
  return { type: type ?? '', details: (details?.[0] ?? {}) as Record<string, unknown> };
}

export const statusOf = (handle: ReviewHandle): Promise<RunStatus> => handle.query(statusQuery);
export const proposalOf = (handle: ReviewHandle): Promise<Proposal | null> => handle.query(proposalQuery);

export interface HeldReceiver {
  readonly wrap: (embedded: Receiver) => Receiver;
  /** How many effects were sent here so far. */
  arrived(): number;
  /** Lets every effect through, those to come as well. */
  release(): void;
}

/** A receiver that keeps every effect waiting. `loseReceipts`: the effect happens, and its sender is told nothing. */
export function heldReceiver({ loseReceipts = false } = {}): HeldReceiver {
  let arrived = 0;
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  return {
    arrived: () => arrived,
    release: () => release(),
    wrap: (embedded) => ({
      ...embedded,
      async commit(request) {
        arrived += 1;
        await released;
        const receipt = await embedded.commit(request);
        if (loseReceipts) throw new Error('The connection was lost.');
        return receipt;
      },
    }),
  };
}

function readRows<T>(file: string, sql: string, ...values: string[]): T[] {
  const db = new Database(file, { readonly: true, fileMustExist: true });
  try {
    return db.prepare<unknown[], T>(sql).all(...values);
  } finally {
    db.close();
  }
}

export interface OperationRow {
  readonly operation_id: string;
  readonly state: State;
  readonly attempts: number;
  readonly workflow_id: string | null;
  readonly run_id: string | null;
}

/** Both databases, read past the code under test. */
export const databases = {
  effects: ({ receiver }: StatePaths): number =>
    readRows<{ n: number }>(receiver, 'SELECT count(*) AS n FROM effects')[0]!.n,
  effectsOf: ({ receiver }: StatePaths, operationId: string): number =>
    readRows<{ n: number }>(receiver, 'SELECT count(*) AS n FROM effects WHERE operation_id = ?', operationId)[0]!.n,
  operation: ({ ledger }: StatePaths, operationId: string): OperationRow | null =>
    readRows<OperationRow>(
      ledger,
      'SELECT operation_id, state, attempts, workflow_id, run_id FROM operations WHERE operation_id = ?',
      operationId,
    )[0] ?? null,
  operations: ({ ledger }: StatePaths, caseId: string): OperationRow[] =>
    readRows<OperationRow>(
      ledger,
      'SELECT operation_id, state, attempts, workflow_id, run_id FROM operations WHERE case_id = ? ORDER BY sequence',
      caseId,
    ),
  decisions: ({ ledger }: StatePaths): { operation_id: string; approved: number; reviewer: string; via: string }[] =>
    readRows(ledger, 'SELECT operation_id, approved, reviewer, via FROM decisions'),
  drafts: ({ ledger }: StatePaths): { case_id: string; drafter: string; body: string }[] =>
    readRows(ledger, 'SELECT case_id, drafter, CAST(body AS TEXT) AS body FROM drafts ORDER BY drafted_at_ms'),
  journal: ({ ledger }: StatePaths): { subject: string; what: string; hash: string }[] =>
    readRows(ledger, 'SELECT subject, what, hash FROM journal ORDER BY sequence'),
  headHash: ({ ledger }: StatePaths, operationId: string): string | undefined =>
    readRows<{ hash: string }>(
      ledger,
      'SELECT hash FROM journal WHERE subject = ? ORDER BY subject_sequence DESC LIMIT 1',
      operationId,
    )[0]?.hash,
};
