/** How the temporal driver begins a case: update-with-start, so the answer is the recorded proposal. */
import { WorkflowUpdateFailedError, type Client } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { setTimeout as delay } from 'node:timers/promises';
import type { CaseInput, GivenCase } from '../../core/case.ts';
import { CountersignError } from '../../core/errors.ts';
import { presentProposal, presentStatus } from '../../core/presentation.ts';
import { identify } from '../../identity/index.ts';
import { canonicalCase } from '../../operations/content.ts';
import { hasBody, missingBody, storedCase } from '../../operations/draft.ts';
import { propose } from '../../operations/propose.ts';
import { beginRun, startRun, workflowIdOf, type BegunRun } from '../../worker/runs.ts';
import type { Context } from '../context.ts';
import type { Begun } from './driver.ts';

/** Why the run ended without a proposal; `null` for any other failure. */
function refusalOf(thrown: unknown): ApplicationFailure | null {
  return thrown instanceof WorkflowUpdateFailedError && thrown.cause instanceof ApplicationFailure
    ? thrown.cause
    : null;
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

/**
 * The case with the text that the worker had drafted; `null`: nobody drafted one, because the run that was joined had
 * begun with another content.
 */
async function withText(context: Context, content: GivenCase): Promise<CaseInput | null> {
  const whole = hasBody(content) ? content : await storedCase(context.ports(), content);
  return whole && canonicalCase(whole);
}

/** The run that is at work reviews something else, so what was handed in was not even drafted. */
async function inTheWay(context: Context, { prepared, workflowId, runId }: BegunRun): Promise<Begun> {
  const { operationId: other } = prepared;
  const view = await context.ports().ledger.view(other);
  if (!view) {
    throw new CountersignError('not_found', {
      message: `The run ${workflowId} prepared ${other}, which this ledger does not have.`,
      hint: 'Name the state directory that the worker uses, with --state.',
    });
  }
  const proposal = presentProposal(view.operation);
  return {
    outcome: 'case_open',
    operationId: null,
    proposal,
    status: presentStatus(view, context.executor),
    workflowId,
    runId,
  };
}

/** A run that ended without a text: the ledger has nothing to say about a case that was never drafted. */
function withoutText({ type, message }: ApplicationFailure): Error {
  return type === 'malformed_input' ? missingBody() : new CountersignError('drafter_failed', { message });
}

/** `waitMs`: how long to wait for a worker. Throws `server_unavailable` where none answered. */
export async function begin(context: Context, client: Client, content: GivenCase, waitMs: number): Promise<Begun> {
  let begun: Awaited<ReturnType<typeof beginRun>> | null;
  try {
    begun = await withinMs(waitMs, beginRun(client, content));
  } catch (thrown) {
    const refusal = refusalOf(thrown);
    if (!refusal) throw thrown;
    const whole = await withText(context, content);
    if (!whole) throw withoutText(refusal);
    return askLedger(context, client, whole);
  }
  context.ports().crash.reach('propose.workflow-started');
  if (!begun) {
    throw new CountersignError('server_unavailable', {
      message: `The run ${workflowIdOf(content.caseId)} was started, but no worker has prepared its proposal yet.`,
      hint: hasBody(content)
        ? 'Start one with `countersign worker` (or `countersign up`); the run goes on by itself then.'
        : 'Its text may still be being drafted, or no worker runs; the run goes on by itself, and begin may be run again.',
    });
  }
  const { prepared, workflowId, runId } = begun;
  const whole = await withText(context, content);
  if (!whole) return inTheWay(context, begun);
  const { operationId } = identify(whole);
  // A run that was there before may review other content, or this content under another event: the ledger says.
  if (prepared.operationId !== operationId || prepared.admission === 'duplicate') {
    return { ...(await askLedger(context, client, whole)), workflowId, runId };
  }
  // What a run says is no proof: what is shown is what the ledger holds, and what it does not hold is not begun.
  const view = await context.ports().ledger.view(operationId);
  if (!view) return { ...(await askLedger(context, client, whole)), workflowId, runId };
  const proposal = presentProposal(view.operation);
  const status = presentStatus(view, context.executor);
  return { outcome: prepared.admission, operationId, proposal, status, workflowId, runId };
}
