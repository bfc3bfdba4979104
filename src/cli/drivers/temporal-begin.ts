/** How the temporal driver begins a case: update-with-start, so the answer is the recorded proposal. */
import { WorkflowUpdateFailedError, type Client } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { setTimeout as delay } from 'node:timers/promises';
import type { CaseInput } from '../../core/case.ts';
import { CountersignError } from '../../core/errors.ts';
import { presentProposal, presentStatus } from '../../core/presentation.ts';
import { identify } from '../../identity/index.ts';
import { propose } from '../../operations/propose.ts';
import { beginRun, startRun, workflowIdOf } from '../../worker/runs.ts';
import type { Context } from '../context.ts';
import type { Begun } from './driver.ts';

/** Whether the run ended because the ledger refused the case; a malformed one never gets here. */
function refusedByLedger(thrown: unknown): boolean {
  return thrown instanceof WorkflowUpdateFailedError && thrown.cause instanceof ApplicationFailure;
}

/** The answer, or `null` when it has not come within `ms`. */
async function withinMs<T extends object>(ms: number, act: Promise<T>): Promise<T | null> {
  const stop = new AbortController();
  const timer = delay(ms, null, { signal: stop.signal }).catch(() => null);
  try {
    return await Promise.race([act, timer]);
  } finally {
    stop.abort();
    // The update goes on at the server; its late failure is nobody's any more.
    act.catch(() => undefined);
  }
}

/** What the ledger says of this content; where it admits it only now, a run is started for it. */
async function askLedger(context: Context, client: Client, content: CaseInput): Promise<Begun> {
  const ports = context.ports();
  const answer = await propose(ports, content, { executor: context.executor, run: null });
  if (answer.outcome === 'admitted') {
    const view = await ports.ledger.view(answer.operationId);
    if (view) await startRun(client, view.operation);
  }
  return { ...answer, workflowId: workflowIdOf(content.caseId), runId: null };
}

/** `waitMs`: how long to wait for a worker. Throws `server_unavailable` where none answered. */
export async function begin(context: Context, client: Client, content: CaseInput, waitMs: number): Promise<Begun> {
  const { operationId } = identify(content);
  let begun: Awaited<ReturnType<typeof beginRun>> | null;
  try {
    begun = await withinMs(waitMs, beginRun(client, content));
  } catch (thrown) {
    if (refusedByLedger(thrown)) return askLedger(context, client, content);
    throw thrown;
  }
  context.ports().crash.reach('propose.workflow-started');
  if (!begun) {
    throw new CountersignError('server_unavailable', {
      message: `The run ${workflowIdOf(content.caseId)} was started, but no worker has prepared its proposal yet.`,
      hint: 'Start one with `countersign worker` (or `countersign up`); the run goes on by itself then.',
    });
  }
  const { prepared, workflowId, runId } = begun;
  // A run that was there before may review other content, or this content under another event: the ledger says.
  if (prepared.operationId !== operationId || prepared.admission === 'duplicate') {
    return { ...(await askLedger(context, client, content)), workflowId, runId };
  }
  // What a run says is no proof: what is shown is what the ledger holds, and what it does not hold is not begun.
  const view = await context.ports().ledger.view(operationId);
  if (!view) return { ...(await askLedger(context, client, content)), workflowId, runId };
  const proposal = presentProposal(view.operation);
  const status = presentStatus(view, context.executor);
  return { outcome: prepared.admission, operationId, proposal, status, workflowId, runId };
}
