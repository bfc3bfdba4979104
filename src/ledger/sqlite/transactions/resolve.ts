/** Transaction `resolve`: an operator's word about an Unknown operation, with name and reason. */
import { judgeResolution } from '../../../core/resolution.ts';
import { isFinal } from '../../../core/states.ts';
import type { ResolveAnswer, ResolveInput } from '../../../ports/ledger.ts';
import type { Store } from '../store.ts';

export function resolve(store: Store, input: ResolveInput): ResolveAnswer {
  const nowMs = store.now();
  const found = store.operations.get(input.operationId);
  const operation = found && (input.caseId === null || found.caseId === input.caseId) ? found : null;
  const { resolution, deduplicates, operator, reason, reference } = input;
  const { outcome, event } = judgeResolution({ operation, authorized: true, resolution, deduplicates });
  const detail = { resolution, reason, reference };
  if (outcome !== 'resolved' || !operation) {
    const subject = operation?.operationId ?? 'ledger';
    store.journal.append({ subject, actor: operator, what: `resolution refused: ${outcome}`, detail }, nowMs);
    return { outcome, state: operation?.state ?? null, unblocked: [] };
  }
  store.resolutions.insert({
    operationId: operation.operationId,
    attempt: operation.attempts,
    resolution,
    operator,
    reason,
    reference,
    resolvedAtMs: nowMs,
  });
  const state = event ? store.move(operation, event) : operation.state;
  store.runs.noteChange(operation.operationId, input.run ?? null);
  store.journal.append(
    { subject: operation.operationId, actor: operator, what: `resolved: ${resolution}`, detail: { ...detail, state } },
    nowMs,
  );
  store.settings.crash.reach('resolve.before-commit');
  const freed = isFinal(state);
  return {
    outcome,
    state,
    unblocked: freed ? store.operations.waiting(operation.object.id, operation.operationId) : [],
  };
}
