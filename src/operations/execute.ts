/**
 * Use case `execute`: claim, committed; then the receiver; then the receipt, committed. The three commits are separate
 * and stay so: a death between any two of them is settled by asking the receiver, never by doing it again.
 */
import type { ClaimOutcome } from '../core/outcomes.ts';
import { presentStatus, type Status } from '../core/presentation.ts';
import type { ReceiverAnswer } from '../core/records.ts';
import { isFinal } from '../core/states.ts';
import type { RunReference } from '../ports/ledger.ts';
import { recomputeIdentity } from './content.ts';
import type { Ports } from './ports.ts';
import { viewOf } from './reading.ts';
import { witnessReceiver } from './witness.ts';

export interface ExecuteAnswer {
  readonly outcome: ClaimOutcome;
  readonly why: string | null;
  /** The receiver's answer, present exactly when this call claimed and was answered. */
  readonly receipt: ReceiverAnswer | null;
  readonly status: Status;
}

/**
 * Executes an approved operation once. An error after the claim leaves it open whether the effect happened: the caller
 * must read the ledger's state and reconcile. Throws `not_found`, `identity_mismatch`, `receiver_unavailable` and
 * store errors; never retried by itself.
 */
export async function execute(
  ports: Ports,
  operationId: string,
  executor: string,
  run: RunReference | null = null,
): Promise<ExecuteAnswer> {
  const { ledger, receiver, crash } = ports;
  const before = await viewOf(ledger, operationId);
  if (before.operation.state === 'Completed') {
    return { outcome: 'completed', why: null, receipt: null, status: presentStatus(before, executor) };
  }
  const { payload } = recomputeIdentity(before.operation);
  const { declaration, sequence, newest = null } = await receiver.describe();
  await witnessReceiver(ledger, declaration.receiverId, newest);

  const { outcome, why, view, claim } = await ledger.claim({
    operationId,
    declaration,
    receiverSequence: sequence,
    executor,
    run,
  });
  if (!claim) {
    // Somebody may have been at work since `before` was read.
    const now = view ?? (await ledger.view(operationId)) ?? before;
    // It ended here, or it waits: other runs were not told yet of the decision that led to this.
    const settled = outcome !== 'completed' && isFinal(now.operation.state);
    if (settled || outcome === 'overlap') await ports.wake([operationId]);
    return { outcome, why, receipt: null, status: presentStatus(now, executor) };
  }

  crash.reach('receiver.request-sent');
  const receipt = await receiver.commit({
    operationId,
    payload,
    attempt: claim.attempt.attempt,
    ledgerId: ledger.ledgerId,
    ledgerSequence: claim.ledgerSequence,
    ledgerHash: claim.ledgerHash,
  });
  crash.reach('receiver.half-reply');

  const { view: after, unblocked } = await ledger.complete({
    operationId,
    attempt: claim.attempt.attempt,
    answer: receipt.answer,
    receiverId: receipt.receiverId,
    receiverSequence: receipt.sequence,
    run,
  });
  await ports.wake([operationId, ...unblocked.map((waiting) => waiting.operationId)]);
  return { outcome, why: null, receipt: receipt.answer, status: presentStatus(after, executor) };
}
