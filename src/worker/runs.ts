/** Telling runs that the ledger has something new for them. */
import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import type { OperationRecord } from '../core/records.ts';
import type { Ledger } from '../ports/ledger.ts';
import { recheckSignal } from '../../workflows/messages.ts';

export const taskQueue = 'countersign';
export const workflowType = 'reviewOperation';
export const workflowIdOf = (caseId: string): string => `review/${caseId}`;

export type Told = 'told' | 'no_run' | 'unreachable';

/** Sends `recheck` to the run that reviews an operation; a run that is gone is no failure. */
export async function tellRun(client: Client, ledger: Ledger, operation: OperationRecord): Promise<Told> {
  if (operation.workflowId === null) return 'no_run';
  try {
    await client.workflow.getHandle(operation.workflowId).signal(recheckSignal);
  } catch (thrown) {
    if (thrown instanceof WorkflowNotFoundError) return 'no_run';
    return 'unreachable';
  }
  await ledger.noteTold(operation.operationId);
  return 'told';
}
