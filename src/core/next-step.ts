/**
 * What a run does next, from what the ledger says and nothing else. After any failure a run asks this again; it never
 * assumes how far an attempt came.
 */
import { objection } from './admission.ts';
import { decisionDeadlineMs } from './decision.ts';
import type { ReceiverDeclaration, RecoverySettings } from './recovery.ts';
import { judgeReclaim, nextLookAtMs } from './recovery.ts';
import type { OperationView } from './records.ts';
import type { Rules } from './rules.ts';
import type { State } from './states.ts';

/** Delays are milliseconds from the answer, so that a run needs no clock of the ledger. `null`: until it is woken. */
export type NextStep =
  | { readonly step: 'await_decision'; readonly delayMs: number | null }
  | { readonly step: 'execute' }
  | { readonly step: 'await_object'; readonly heldBy: string }
  | { readonly step: 'reconcile' }
  | { readonly step: 'await_evidence'; readonly delayMs: number; readonly then: 'execute' | 'reconcile' }
  | { readonly step: 'finished'; readonly status: FinalStatus };

export const finalStatuses = {
  Completed: 'Committed',
  Declined: 'Declined',
  Expired: 'Expired',
  Superseded: 'Superseded',
  Denied: 'Denied',
  Withdrawn: 'Withdrawn',
  Abandoned: 'Abandoned',
} as const;
export type FinalStatus = (typeof finalStatuses)[keyof typeof finalStatuses];

/** The result's status of a final state, or `null` while the operation is open. */
export function finalStatus(state: State): FinalStatus | null {
  return (finalStatuses as Readonly<Record<string, FinalStatus>>)[state] ?? null;
}

export interface StepFacts {
  readonly view: OperationView;
  /** The receiver in use now; `null` where it cannot be asked: then only evidence or time can move the operation. */
  readonly declaration: ReceiverDeclaration | null;
  /** How far the receiver says it has come now. */
  readonly receiverSequence: number | null;
  readonly rules: Rules;
  readonly settings: RecoverySettings;
  /** Whether the asker knows that its own attempt has ended without a receipt. */
  readonly attemptEnded: boolean;
}

function afterClaim(facts: StepFacts): NextStep {
  const { view, settings, declaration } = facts;
  const nowMs = view.ledgerTimeMs;
  if (view.operation.state === 'Executing') {
    const remainingMs = (view.attempts.at(-1)?.leaseUntilMs ?? 0) - nowMs;
    if (facts.attemptEnded || remainingMs <= 0) return { step: 'reconcile' };
    // Somebody else is at work: looking now could only call a running attempt Unknown.
    return { step: 'await_evidence', delayMs: remainingMs, then: 'reconcile' };
  }
  const lookInMs = nextLookAtMs(view, settings) - nowMs;
  // What a claim would refuse for good is not tried again and again: then only evidence can still move the operation.
  const { object, expiresAtMs } = view.operation;
  if (declaration && objection(object, view.object, expiresAtMs, nowMs) === null) {
    const again = judgeReclaim(view, declaration, facts.receiverSequence, facts.rules.resendWhenAbsent, settings);
    if (again.allowed) {
      return view.heldBy === null ? { step: 'execute' } : { step: 'await_object', heldBy: view.heldBy };
    }
    if (again.fromMs !== null) return { step: 'await_evidence', delayMs: again.fromMs - nowMs, then: 'execute' };
  }
  return lookInMs <= 0 ? { step: 'reconcile' } : { step: 'await_evidence', delayMs: lookInMs, then: 'reconcile' };
}

export function nextStep(facts: StepFacts): NextStep {
  const { view } = facts;
  const { operation } = view;
  const status = finalStatus(operation.state);
  if (status !== null) return { step: 'finished', status };
  if (operation.state === 'Pending') {
    const deadlineMs = decisionDeadlineMs(operation);
    return {
      step: 'await_decision',
      delayMs: deadlineMs === null ? null : Math.max(0, deadlineMs - view.ledgerTimeMs),
    };
  }
  if (operation.state === 'Approved') {
    return view.heldBy === null ? { step: 'execute' } : { step: 'await_object', heldBy: view.heldBy };
  }
  return afterClaim(facts);
}
