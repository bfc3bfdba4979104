/** Transaction `claim`: committed before the receiver is called. Every condition is judged again, inside it. */
import { judgeClaim } from '../../../core/claim.ts';
import { leaseLengthMs } from '../../../core/recovery.ts';
import type { AttemptRecord } from '../../../core/records.ts';
import type { ClaimAnswer, ClaimInput } from '../../../ports/ledger.ts';
import { refuseUnsupported, type Store } from '../store.ts';
import { refuseSuspect } from './restore.ts';

export function claim(store: Store, input: ClaimInput): ClaimAnswer | null {
  refuseSuspect(store);
  const nowMs = store.now();
  const operation = store.operations.get(input.operationId);
  if (!operation) return null;
  refuseUnsupported(operation);
  const view = store.viewOf(operation, nowMs);
  const verdict = judgeClaim({
    view,
    declaration: input.declaration,
    receiverSequence: input.receiverSequence,
    rules: store.rules(operation),
    signatureValid: false,
    settings: store.settings.recovery,
  });
  const { outcome, event } = verdict;

  if (outcome !== 'claimed' || !event) {
    const state = event ? store.move(operation, event) : operation.state;
    if (event) store.runs.noteChange(operation.operationId, input.run ?? null);
    // Nothing is written for `completed`: a settled operation may be asked for at any rate.
    if (outcome !== 'completed') {
      const detail = { state, why: verdict.why ?? null };
      store.journal.appendOnce(
        { subject: operation.operationId, actor: input.executor, what: `claim refused: ${outcome}`, detail },
        nowMs,
      );
    }
    return { outcome, why: verdict.why ?? null, view: store.reread(operation.operationId, nowMs), claim: null };
  }

  const state = store.move(operation, event);
  const number = operation.attempts + 1;
  const attempt: AttemptRecord = {
    operationId: operation.operationId,
    attempt: number,
    claimedAtMs: nowMs,
    leaseUntilMs: nowMs + leaseLengthMs(store.settings.recovery, number),
    receiverId: input.declaration.receiverId,
    receiverSequence: input.receiverSequence,
    executor: input.executor,
    answer: null,
    answeredAtMs: null,
  };
  store.attempts.insert(attempt);
  store.receivers.see(attempt.receiverId, attempt.receiverSequence, nowMs);
  const { sequence, hash } = store.journal.append(
    {
      subject: operation.operationId,
      actor: input.executor,
      what: event === 'claim' ? 'claimed' : 'claimed again',
      detail: { state, attempt: number, leaseUntilMs: attempt.leaseUntilMs, receiverId: attempt.receiverId },
    },
    nowMs,
  );
  store.settings.crash.reach('claim.before-commit');
  return {
    outcome,
    why: null,
    view: store.reread(operation.operationId, nowMs),
    claim: { attempt, ledgerSequence: sequence, ledgerHash: hash },
  };
}
