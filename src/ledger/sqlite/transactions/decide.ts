/** Transaction `decide`: the first answer to a proposal is written once; everybody else is told which one stands. */
import { judgeDecision } from '../../../core/decision.ts';
import type { OperationRecord } from '../../../core/records.ts';
import type { DecideAnswer, DecideInput } from '../../../ports/ledger.ts';
import { refuseUnsupported, type Store } from '../store.ts';
import { refuseSuspect } from './restore.ts';

function factsOf(store: Store, input: DecideInput) {
  const found = store.operations.get(input.operationId);
  const operation = found && (input.caseId === null || found.caseId === input.caseId) ? found : null;
  const caseId = operation?.caseId ?? input.caseId;
  return {
    operation,
    decision: operation && store.decisions.get(operation.operationId),
    currentOperationId: caseId === null ? null : store.operations.newestIdOfCase(caseId),
    approved: input.approved,
    reviewer: input.reviewer,
    requestId: input.requestId,
    signatureValid: false,
    rules: store.rules(operation ?? { policy: {}, action: '' }),
  };
}

/** What the recorded decision answers to the same request, or to the same decision again; `null`: it is to be judged. */
export function recordedDecision(store: Store, input: DecideInput): DecideAnswer | null {
  const summary = store.summaries.get(input.operationId);
  if (!summary?.decision || (input.caseId !== null && input.caseId !== summary.operation.caseId)) return null;
  const { operation, decision, headHash, currentOperationId } = summary;
  // A decision never changes, so neither does this answer: no time, no lock and no record is needed for it.
  const { outcome } = judgeDecision({
    ...{ operation, decision, currentOperationId, signatureValid: false, rules: store.rules(operation), nowMs: 0 },
    ...{ approved: input.approved, reviewer: input.reviewer, requestId: input.requestId },
  });
  if (outcome !== 'repeated' && outcome !== 'recorded') return null;
  return { outcome, why: null, decision, state: operation.state, currentOperationId, headHash };
}

function write(store: Store, input: DecideInput, operation: OperationRecord, decidedAtMs: number): void {
  const { operationId } = operation;
  const { approved, reviewer, reason, signature, requestId, via } = input;
  store.decisions.insert({ operationId, approved, reviewer, reason, signature, decidedAtMs, requestId, via });
}

export function decide(store: Store, input: DecideInput): DecideAnswer {
  // Asked again within the transaction: another process may have been first.
  const recorded = recordedDecision(store, input);
  if (recorded) return recorded;
  refuseSuspect(store);
  const nowMs = store.now();
  const facts = factsOf(store, input);
  const { operation, currentOperationId } = facts;
  if (operation) refuseUnsupported(operation);
  const { outcome, event, why = null } = judgeDecision({ ...facts, nowMs });
  const state = operation && event ? store.move(operation, event) : (operation?.state ?? null);
  if (operation && event) store.runs.noteChange(operation.operationId, input.run ?? null);
  if (operation && outcome === 'recorded') write(store, input, operation, nowMs);
  const said = { approved: input.approved, reason: input.reason, via: input.via };
  const verdict = input.approved ? 'approved' : 'declined';
  store.journal.append(
    {
      subject: operation?.operationId ?? 'ledger',
      actor: input.reviewer,
      what: outcome === 'recorded' ? verdict : `decision refused: ${outcome}`,
      detail: operation ? { ...said, state } : { ...said, operationId: input.operationId, caseId: input.caseId },
    },
    nowMs,
  );
  store.settings.crash.reach('decide.before-commit');
  return {
    outcome,
    why,
    decision: operation && store.decisions.get(operation.operationId),
    state,
    currentOperationId,
    headHash: operation && store.journal.headHash(operation.operationId),
  };
}
