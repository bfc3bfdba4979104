/** Transactions that store what the receiver said: `complete` (its answer to an attempt) and `observe` (a look). */
import { judgeLook, judgeReceipt } from '../../../core/evidence.ts';
import { discountAbsence, lostRecords } from '../../../core/recovery.ts';
import type { OperationRecord } from '../../../core/records.ts';
import { isFinal } from '../../../core/states.ts';
import type { CompleteInput, EvidenceAnswer, ObserveInput } from '../../../ports/ledger.ts';
import type { Store } from '../store.ts';

/** Those that waited for an operation's object, oldest first; their runs are to be told. */
export function unblock(store: Store, { operationId, object }: OperationRecord): readonly OperationRecord[] {
  const waiting = store.operations.waiting(object.id, operationId);
  for (const operation of waiting) store.runs.noteChange(operation.operationId, null);
  return waiting;
}

function answer(store: Store, before: OperationRecord, nowMs: number): EvidenceAnswer {
  const view = store.reread(before.operationId, nowMs);
  const freed = !isFinal(before.state) && isFinal(view.operation.state);
  return { view, unblocked: freed ? unblock(store, before) : [] };
}

export function complete(store: Store, input: CompleteInput): EvidenceAnswer | null {
  const nowMs = store.now();
  const operation = store.operations.get(input.operationId);
  if (!operation) return null;
  const { event, contradiction } = judgeReceipt(operation, input.attempt, input.answer);
  const stored = store.attempts.answer(input, input.answer, nowMs, input.receiverSequence);
  // The same receipt again changes nothing; a receipt for an attempt that was never made is no evidence.
  if (!stored) return answer(store, operation, nowMs);
  store.receivers.see(input.receiverId, input.receiverSequence, nowMs);
  const state = event ? store.move(operation, event) : operation.state;
  if (event) store.runs.noteChange(operation.operationId, input.run ?? null);
  store.journal.append(
    {
      subject: operation.operationId,
      actor: input.receiverId,
      what: contradiction ? `receipt against ${operation.state}: ${input.answer}` : `receipt: ${input.answer}`,
      detail: { attempt: input.attempt, state, receiverSequence: input.receiverSequence },
    },
    nowMs,
  );
  store.settings.crash.reach('complete.before-commit');
  return answer(store, operation, nowMs);
}

export function observe(store: Store, input: ObserveInput): EvidenceAnswer | null {
  const nowMs = store.now();
  const operation = store.operations.get(input.operationId);
  if (!operation) return null;
  const attempts = store.attempts.of(operation.operationId);
  const attempt = attempts.find((row) => row.attempt === input.attempt);
  const { lastSeenSequence = store.receivers.lastSequence(attempt?.receiverId ?? input.receiverId) } = input;
  const { declaration } = input;
  const discounted =
    input.finding === 'absent' && attempt && declaration
      ? (discountAbsence(attempts, declaration, input.receiverSequence, lastSeenSequence, nowMs) ??
        // What was lost stays lost: other effects only bring the count back to where it was.
        (store.observations.hasSaid(operation.operationId, lostRecords) ? lostRecords : null))
      : null;
  // Only where the look-up is authoritative can an absence contradict anything; elsewhere it is only a look.
  const proves = discounted === null && declaration?.lookup === 'authoritative';
  const { event, contradiction } = judgeLook(operation, input.attempt, input.finding, proves);
  // A settled operation that looks as it should is not worth a record each time somebody asks.
  const asExpected = isFinal(operation.state) && (input.finding === 'matching' || input.finding === 'unavailable');
  const nothingNew = event === null && !contradiction && (asExpected || !attempt);
  if (nothingNew) return answer(store, operation, nowMs);
  store.observations.insert({
    operationId: operation.operationId,
    attempt: input.attempt,
    observedAtMs: nowMs,
    receiverId: input.receiverId,
    receiverSequence: input.receiverSequence,
    finding: input.finding,
    discounted,
    contradiction,
  });
  if (input.finding !== 'unavailable') store.receivers.see(input.receiverId, input.receiverSequence, nowMs);
  const state = event ? store.move(operation, event) : operation.state;
  if (state !== operation.state) store.runs.noteChange(operation.operationId, input.run ?? null);
  store.journal.append(
    {
      subject: operation.operationId,
      actor: input.actor,
      what: contradiction ? `look against ${operation.state}: ${input.finding}` : `look: ${input.finding}`,
      detail: { attempt: input.attempt, state, receiverId: input.receiverId, discounted },
    },
    nowMs,
  );
  store.settings.crash.reach('reconcile.before-commit');
  return answer(store, operation, nowMs);
}
