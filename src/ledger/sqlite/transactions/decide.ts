/** Transaction `decide`: the first answer to a proposal is written once; everybody else is told which one stands. */
import { judgeDecision } from '../../../core/decision.ts';
import type { DecideAnswer, DecideInput } from '../../../ports/ledger.ts';
import type { Store } from '../store.ts';
import { refuseSuspect } from './restore.ts';

export function decide(store: Store, input: DecideInput): DecideAnswer {
  refuseSuspect(store);
  const nowMs = store.now();
  const found = store.operations.get(input.operationId);
  const operation = found && (input.caseId === null || found.caseId === input.caseId) ? found : null;
  const decision = operation && store.decisions.get(operation.operationId);
  const caseId = operation?.caseId ?? input.caseId;
  const current = caseId === null ? null : store.operations.newestOfCase(caseId);
  const { outcome, event, why } = judgeDecision({
    operation,
    decision,
    currentOperationId: current?.operationId ?? null,
    approved: input.approved,
    reviewer: input.reviewer,
    requestId: input.requestId,
    signatureValid: false,
    rules: store.rules(operation ?? { policy: {}, action: '' }),
    nowMs,
  });

  const wroteBefore = outcome === 'repeated' || (outcome === 'recorded' && event === null);
  if (!wroteBefore) {
    const verdict = input.approved ? 'approved' : 'declined';
    const said = { approved: input.approved, reason: input.reason, via: input.via };
    const state = operation && event ? store.move(operation, event) : operation?.state;
    if (operation && outcome === 'recorded') {
      store.decisions.insert({
        operationId: operation.operationId,
        approved: input.approved,
        reviewer: input.reviewer,
        reason: input.reason,
        signature: input.signature,
        decidedAtMs: nowMs,
        requestId: input.requestId,
        via: input.via,
      });
      store.noteUntold(operation, input.via);
    }
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
  }
  return {
    outcome,
    why: why ?? null,
    decision: operation && store.decisions.get(operation.operationId),
    state: operation ? (store.operations.get(operation.operationId)?.state ?? null) : null,
    currentOperationId: current?.operationId ?? null,
    headHash: operation && store.journal.headHash(operation.operationId),
  };
}
