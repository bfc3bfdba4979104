/** Runs of `reviewOperation` as the ledger sees them: telling one, starting one, finding out whether one is there. */
import {
  isGrpcServiceError,
  ServiceError,
  WithStartWorkflowOperation,
  WorkflowNotFoundError,
  type Client,
} from '@temporalio/client';
import type { GivenCase } from '../core/case.ts';
import type { OperationRecord } from '../core/records.ts';
import { isFinal } from '../core/states.ts';
import { caseOf } from '../operations/content.ts';
import type { Passed, Passing } from '../operations/sweep.ts';
import type { Ledger } from '../ports/ledger.ts';
import { preparedUpdate, recheckSignal, type PreparedAnswer } from '../../workflows/messages.ts';

export const taskQueue = 'countersign';
export const workflowType = 'reviewOperation';
export const workflowIdOf = (caseId: string): string => `review/${caseId}`;

export type Told = 'told' | 'no_run' | 'unreachable';

/** gRPC status codes of a server that answers nobody; its other refusals concern one run. */
const answersNobody = new Set([4 /* DEADLINE_EXCEEDED */, 14 /* UNAVAILABLE */]);

/** How long to wait for the server's word that it has a signal; whoever was not reached is found by a sweep. */
const tellWithinMs = 5_000;

function isServerDown(thrown: unknown): boolean {
  const cause = thrown instanceof ServiceError ? thrown.cause : thrown;
  return isGrpcServiceError(cause) && answersNobody.has(cause.code);
}

async function tellRun(client: Client, workflowId: string): Promise<Told | 'server_down'> {
  try {
    const handle = client.workflow.getHandle(workflowId);
    await client.withDeadline(Date.now() + tellWithinMs, () => handle.signal(recheckSignal));
    return 'told';
  } catch (thrown) {
    if (thrown instanceof WorkflowNotFoundError) return 'no_run';
    return isServerDown(thrown) ? 'server_down' : 'unreachable';
  }
}

/**
 * Sends `recheck` to the runs that asked to be told of an operation: to all of them, or to those that the ledger notes
 * as not told. A run that is gone is no failure; one that takes no signal (it may have had as many as the server
 * allows) keeps none of the others waiting. `unreachable`: at least one was not reached, and stays noted. `told`: all
 * were that are there, and at least one is.
 */
export async function tellRuns(
  client: Client,
  ledger: Pick<Ledger, 'runs' | 'noteTold'>,
  operationId: string,
  which: 'all' | 'untold',
): Promise<Told> {
  let answer: Told = 'no_run';
  for (const { workflowId, untold } of await ledger.runs(operationId)) {
    if (which === 'untold' && untold === 0) continue;
    const told = await tellRun(client, workflowId);
    // The next one would only take as long to find out the same.
    if (told === 'server_down') return 'unreachable';
    if (told === 'unreachable' || (told === 'told' && answer === 'no_run')) answer = told;
    // Of a run that is gone nobody is left to be told.
    if (told !== 'unreachable' && untold > 0) await ledger.noteTold(operationId, workflowId, untold);
  }
  return answer;
}

/** An open run of the same id is used as it is; a closed one may be followed by another: the ledger decides. */
function startOptions(content: GivenCase, queue: string, workflowId: string) {
  return {
    workflowId,
    taskQueue: queue,
    args: [content] as [GivenCase],
    workflowIdConflictPolicy: 'USE_EXISTING' as const,
    workflowIdReusePolicy: 'ALLOW_DUPLICATE' as const,
    // A worker that dies within a task is noticed after this.
    workflowTaskTimeout: '5 seconds',
    staticSummary: `Review of case ${content.caseId}: ${content.action}`,
  };
}

export interface BegunRun {
  readonly prepared: PreparedAnswer;
  readonly workflowId: string;
  readonly runId: string;
}

/** Starts (or joins) the run of a case and waits for its proposal. Throws what the update throws. */
export async function beginRun(client: Client, content: GivenCase, queue = taskQueue): Promise<BegunRun> {
  const workflowId = workflowIdOf(content.caseId);
  const start = new WithStartWorkflowOperation(workflowType, startOptions(content, queue, workflowId));
  const prepared = await client.workflow.executeUpdateWithStart(preparedUpdate, { startWorkflowOperation: start });
  const handle = await start.workflowHandle();
  const runId = (handle as { firstExecutionRunId?: string }).firstExecutionRunId ?? (await handle.describe()).runId;
  return { prepared, workflowId, runId };
}

/** Starts a run for a stored operation that has none. */
export async function startRun(client: Client, operation: OperationRecord, queue = taskQueue): Promise<void> {
  const workflowId = operation.workflowId ?? workflowIdOf(operation.caseId);
  await client.workflow.start(workflowType, startOptions(caseOf(operation), queue, workflowId));
}

/** Makes sure that a run is at work on an operation, and that all that are read the ledger again. */
export async function tellOrStart(
  client: Client,
  ledger: Ledger,
  operation: OperationRecord,
  queue = taskQueue,
): Promise<Passed> {
  const told = await tellRuns(client, ledger, operation.operationId, 'all');
  if (told !== 'no_run') return told;
  if (isFinal(operation.state)) return 'nothing';
  try {
    await startRun(client, operation, queue);
  } catch {
    return 'unreachable';
  }
  return 'started';
}

async function isRunning(client: Client, workflowId: string): Promise<boolean> {
  try {
    const { status } = await client.workflow.getHandle(workflowId).describe();
    return status.name === 'RUNNING';
  } catch (thrown) {
    if (thrown instanceof WorkflowNotFoundError) return false;
    throw thrown;
  }
}

async function hasRun(client: Client, ledger: Ledger, { operationId }: OperationRecord): Promise<boolean> {
  for (const { workflowId } of await ledger.runs(operationId)) {
    if (await isRunning(client, workflowId)) return true;
  }
  return false;
}

/** How the temporal driver's sweep passes operations on. */
export function passingToRuns(client: Client, ledger: Ledger, queue = taskQueue): Passing {
  return {
    pass: (operation) => tellOrStart(client, ledger, operation, queue),
    alive: (operation) => hasRun(client, ledger, operation),
  };
}
