/** Whether an attempt may start (contract, section 5, "claim"). Judged inside the transaction that commits the claim. */
import { objection } from './admission.ts';
import type { ClaimOutcome } from './outcomes.ts';
import type { ReceiverDeclaration, RecoverySettings } from './recovery.ts';
import { judgeReclaim } from './recovery.ts';
import type { OperationView } from './records.ts';
import type { Rules } from './rules.ts';
import type { Event } from './states.ts';
import { States } from './states.ts';

export interface ClaimFacts {
  readonly view: OperationView;
  readonly declaration: ReceiverDeclaration;
  /** How far the receiver says it has come now. */
  readonly receiverSequence: number | null;
  readonly rules: Rules;
  readonly signatureValid: boolean;
  readonly settings: RecoverySettings;
}

export interface ClaimVerdict {
  readonly outcome: ClaimOutcome;
  readonly event: Event | null;
  readonly why?: string;
  /** Ledger time from which asking again can have another answer. */
  readonly fromMs?: number | null;
}

function lease(view: OperationView): number {
  return view.attempts.at(-1)?.leaseUntilMs ?? 0;
}

/** An Executing or Unknown operation: either somebody is at work, or the recovery table says what may follow. */
function judgeHeld(facts: ClaimFacts): ClaimVerdict | null {
  const { view, declaration, rules, settings } = facts;
  if (view.ledgerTimeMs < lease(view)) {
    return {
      outcome: 'in_progress',
      event: null,
      fromMs: lease(view),
      why: 'the lease of the last attempt is running',
    };
  }
  const again = judgeReclaim(view, declaration, facts.receiverSequence, rules.resendWhenAbsent, settings);
  return again.allowed ? null : { outcome: 'unknown', event: null, why: again.why, fromMs: again.fromMs };
}

export function judgeClaim(facts: ClaimFacts): ClaimVerdict {
  const { view, rules } = facts;
  const { operation, decision, object, heldBy } = view;
  const { state } = operation;
  if (state === States.Completed) return { outcome: 'completed', event: null };
  const held = state === States.Executing || state === States.Unknown;
  if (state !== States.Approved && !held) return { outcome: 'not_approved', event: null, why: `it is ${state}` };
  if (decision?.approved !== true || (rules.requireSignature && !facts.signatureValid)) {
    return { outcome: 'not_approved', event: null, why: 'no approval that counts is recorded' };
  }
  if (held) {
    const verdict = judgeHeld(facts);
    if (verdict) return verdict;
  }
  const against = objection(operation.object, object, operation.expiresAtMs, view.ledgerTimeMs);
  // After a first claim the operation keeps its state: an attempt may still land, so it must go on holding the object.
  if (against) return held ? { outcome: against.outcome, event: null } : against;
  if (heldBy !== null) return { outcome: 'overlap', event: null, why: `${heldBy} holds the object` };
  return { outcome: 'claimed', event: held ? 'reclaim' : 'claim' };
}
