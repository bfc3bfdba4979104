/** Transaction `resolve`: an operator's word about an Unknown operation, with name and reason. */
import { judgeResolution, settledBy } from '../../../core/resolution.ts';
import type { OperationRecord } from '../../../core/records.ts';
import { isFinal, type State } from '../../../core/states.ts';
import type { ResolveAnswer, ResolveInput } from '../../../ports/ledger.ts';
import type { Store } from '../store.ts';
import { unblock } from './evidence.ts';

function resolved(store: Store, { object, operationId }: OperationRecord, state: State): ResolveAnswer {
  return {
    outcome: 'resolved',
    state,
    unblocked: isFinal(state) ? store.operations.waiting(object.id, operationId) : [],
  };
}

export function resolve(store: Store, input: ResolveInput): ResolveAnswer {
  const nowMs = store.now();
  const found = store.operations.get(input.operationId);
  const operation = found && (input.caseId === null || found.caseId === input.caseId) ? found : null;
  const { resolution, deduplicates, operator, reason, reference } = input;
  // Whoever died after the commit has not woken the waiting ones either: they are named again.
  const last = operation ? store.resolutions.of(operation.operationId).at(-1) : undefined;
  if (operation && settledBy(operation.state, last, input)) return resolved(store, operation, operation.state);
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
  if (isFinal(state)) unblock(store, operation);
  store.journal.append(
    { subject: operation.operationId, actor: operator, what: `resolved: ${resolution}`, detail: { ...detail, state } },
    nowMs,
  );
  store.settings.crash.reach('resolve.before-commit');
  return resolved(store, operation, state);
}
