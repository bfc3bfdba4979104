/** Runs of `reviewOperation` as the ledger sees them: telling one, starting one, finding out whether one is there. */
import { WithStartWorkflowOperation, WorkflowNotFoundError, type Client } from '@temporalio/client';
import type { CaseInput } from '../core/case.ts';
import type { OperationRecord } from '../core/records.ts';
import { isFinal } from '../core/states.ts';
import { caseOf } from '../operations/content.ts';
import type { Passed, Passing } from '../operations/sweep.ts';
import type { Ledger } from '../ports/ledger.ts';
import { preparedUpdate, recheckSignal, type PreparedAnswer } from '../../workflows/messages.ts';

export const taskQueue = 'countersign';
export const workflowType = 'reviewOperation';
export const workflowIdOf = (caseId: string): string => `review/${caseId}`;

/** How a run is named in the ledger as the executor of an attempt. */
export const runExecutor = (runId: string | null): string => `run:${runId ?? 'none'}`;

export type Told = 'told' | 'no_run' | 'unreachable';

/** Sends `recheck` to the run that reviews an operation; a run that is gone is no failure. */
export async function tellRun(client: Client, ledger: Ledger, operation: OperationRecord): Promise<Told> {
  if (operation.workflowId === null) return 'no_run';
  try {
    await client.workflow.getHandle(operation.workflowId).signal(recheckSignal);
  } catch (thrown) {
    return thrown instanceof WorkflowNotFoundError ? 'no_run' : 'unreachable';
  }
  await ledger.noteTold(operation.operationId);
  return 'told';
}

/** An open run of the same id is used as it is; a closed one may be followed by another: the ledger decides. */
function startOptions(content: CaseInput, queue: string, workflowId: string) {
  return {
    workflowId,
    taskQueue: queue,
    args: [content] as [CaseInput],
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
export async function beginRun(client: Client, content: CaseInput, queue = taskQueue): Promise<BegunRun> {
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

/** Makes sure that a run is at work on an operation and reads the ledger again. */
export async function tellOrStart(
  client: Client,
  ledger: Ledger,
  operation: OperationRecord,
  queue = taskQueue,
): Promise<Passed> {
  const told = await tellRun(client, ledger, operation);
  if (told !== 'no_run') return told;
  if (isFinal(operation.state)) {
    // Nobody is left to be told, and nothing is left to do.
    await ledger.noteTold(operation.operationId);
    return 'nothing';
  }
  try {
    await startRun(client, operation, queue);
  } catch {
    return 'unreachable';
  }
  await ledger.noteTold(operation.operationId);
  return 'started';
}

async function runIsAlive(client: Client, operation: OperationRecord): Promise<boolean> {
  if (operation.workflowId === null) return false;
  try {
    const { status } = await client.workflow.getHandle(operation.workflowId).describe();
    return status.name === 'RUNNING';
  } catch (thrown) {
    if (thrown instanceof WorkflowNotFoundError) return false;
    throw thrown;
  }
}

/** How the temporal driver's sweep passes operations on. */
export function passingToRuns(client: Client, ledger: Ledger, queue = taskQueue): Passing {
  return {
    pass: (operation) => tellOrStart(client, ledger, operation, queue),
    alive: (operation) => runIsAlive(client, operation),
  };
}
