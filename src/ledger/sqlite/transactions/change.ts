/** Transactions that end a proposal before any claim: `revise`, `withdraw`, and `settle` (time, object, permission). */
import { judgeRevision, judgeWithdrawal, objection } from '../../../core/admission.ts';
import { decisionDeadlineMs } from '../../../core/decision.ts';
import type { OperationRecord, OperationView } from '../../../core/records.ts';
import type { ReviseAnswer, ReviseInput, RunReference, WithdrawAnswer, WithdrawInput } from '../../../ports/ledger.ts';
import { refuseUnsupported, type Store } from '../store.ts';
import { insertProposal } from './admit.ts';

function refuse(
  store: Store,
  named: OperationRecord | null,
  actor: string,
  what: string,
  detail: object,
  nowMs: number,
) {
  store.journal.append({ subject: named?.operationId ?? 'ledger', actor, what, detail: { ...detail } }, nowMs);
}

export function revise(store: Store, input: ReviseInput): ReviseAnswer {
  const nowMs = store.now();
  const found = store.operations.get(input.expectedOperationId);
  const named = found?.caseId === input.caseId ? found : null;
  if (named) refuseUnsupported(named);
  const current = store.operations.newestOfCase(input.caseId);
  const revised = named && input.revise(named);
  const outcome = judgeRevision({
    named,
    current,
    authorized: true,
    contentKnown: revised !== null && store.operations.get(revised.identity.operationId) !== null,
  });
  const currentOperationId = current?.operationId ?? null;
  // This very request made the revision that is current: it is tried again because its answer was lost.
  const own =
    named !== null &&
    input.requestId !== null &&
    store.operations.revisionRequest(named.operationId) === input.requestId;
  const made = revised?.identity.operationId === currentOperationId && named?.revisedTo === currentOperationId;
  if (current && made && own) {
    return { outcome: 'revised', view: store.reread(current.operationId, nowMs), currentOperationId };
  }
  if (outcome !== 'revised' || !named || !revised) {
    const detail = { caseId: input.caseId, expected: input.expectedOperationId };
    refuse(store, named, input.revisedBy, `revision refused: ${outcome}`, detail, nowMs);
    return { outcome, view: current && store.reread(current.operationId, nowMs), currentOperationId };
  }

  const { operationId } = revised.identity;
  const state = store.move(named, 'revise');
  const run =
    named.workflowId === null || named.runId === null ? null : { workflowId: named.workflowId, runId: named.runId };
  const humanEdited = named.humanEdited || revised.case.body !== named.body;
  insertProposal(store, { ...revised, run, humanEdited, revisionOf: named.operationId }, nowMs);
  store.operations.setRevisedTo(named.operationId, operationId, input.requestId);
  store.runs.inherit(operationId, named.operationId);
  store.runs.noteChange(operationId, input.run ?? null);
  store.journal.append(
    {
      subject: named.operationId,
      actor: input.revisedBy,
      what: 'superseded by a revision',
      detail: { state, operationId },
    },
    nowMs,
  );
  return { outcome, view: store.reread(operationId, nowMs), currentOperationId: operationId };
}

export function withdraw(store: Store, input: WithdrawInput): WithdrawAnswer {
  const nowMs = store.now();
  const found = store.operations.get(input.operationId);
  const named = found && (input.caseId === null || found.caseId === input.caseId) ? found : null;
  const caseId = named?.caseId ?? input.caseId;
  const current = caseId === null ? null : store.operations.newestOfCase(caseId);
  const outcome = judgeWithdrawal({ named, current, authorized: true });
  const answer = (state: WithdrawAnswer['state']): WithdrawAnswer => ({
    outcome,
    state,
    currentOperationId: current?.operationId ?? null,
  });
  if (named?.state === 'Withdrawn') return answer(named.state);
  if (outcome !== 'withdrawn' || !named) {
    const detail = { operationId: input.operationId, reason: input.reason };
    refuse(store, named, input.by, `withdrawal refused: ${outcome}`, detail, nowMs);
    return answer(named?.state ?? null);
  }
  const state = store.move(named, 'withdraw');
  store.runs.noteChange(named.operationId, input.run ?? null);
  store.journal.append(
    { subject: named.operationId, actor: input.by, what: 'withdrawn', detail: { state, reason: input.reason } },
    nowMs,
  );
  return answer(state);
}

/** Ends an unclaimed operation whose time, object or permission is gone; changes nothing otherwise. */
export function settle(store: Store, operationId: string, run: RunReference | null): OperationView | null {
  const nowMs = store.now();
  const operation = store.operations.get(operationId);
  if (!operation) return null;
  if (operation.state !== 'Pending' && operation.state !== 'Approved') return store.viewOf(operation, nowMs);
  const deadlineMs = operation.state === 'Pending' ? decisionDeadlineMs(operation) : operation.expiresAtMs;
  const against = objection(operation.object, store.objects.get(operation.object.id), deadlineMs, nowMs);
  if (against) {
    const state = store.move(operation, against.event);
    store.runs.noteChange(operationId, run);
    store.journal.append({ subject: operationId, actor: 'ledger', what: against.outcome, detail: { state } }, nowMs);
  }
  return store.reread(operationId, nowMs);
}
