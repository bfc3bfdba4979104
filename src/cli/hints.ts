/** What a person can do about an outcome that is a refusal; errors bring their own hint (core/errors.ts). */
import type { Outcome } from '../core/outcomes.ts';

type Refusal = Exclude<
  Outcome,
  'admitted' | 'duplicate' | 'recorded' | 'repeated' | 'revised' | 'withdrawn' | 'claimed' | 'completed' | 'resolved'
>;

const hints: Readonly<Record<Refusal, string>> = {
  unsupported_workflow_version: 'Use the version of Countersign this case was made for, or leave workflowVersion out.',
  event_conflict: 'Give this delivery an eventId of its own, or send again what the event brought first.',
  case_open: 'Decide, withdraw or revise what is under review in this case first.',
  content_already_proposed: 'This very content was superseded in this case; change it, or open another case.',
  denied: 'Its object has another scope or is not permitted now; see `countersign object set`.',
  superseded: 'Its object has another version now; propose the case again for that version.',
  expired: 'Its time is over; propose it again with a later expiresAt.',
  unknown_operation: 'Run `countersign list --all --json` to see what the ledger holds.',
  not_authorized: 'Somebody else has to decide, in the way the policy asks for.',
  conflicting_decision: 'A decision is written once and stays; propose anew in another case to decide anew.',
  stale_proposal: 'Read the current proposal with `countersign show CASE`, then decide about that one.',
  closed: 'It is settled; `countersign explain ID` tells how.',
  already_decided: 'It is too late for this; `countersign show ID` tells what was decided.',
  not_unknown: 'Only an operation whose outcome is unknown is resolved; see `countersign show ID`.',
  not_approved: 'See `countersign show ID` for its state and decision.',
  in_progress: 'Somebody is at work on it; run `countersign reconcile ID` later.',
  unknown:
    'Run `countersign reconcile ID`, later `countersign approve ID` again; or settle it with `countersign resolve`.',
  overlap: 'It stays approved; run `countersign sweep` when the other operation is settled.',
  conflict: 'Compare both payloads; an operator must settle it with `countersign resolve`.',
};

/** `null` for an outcome that needs nothing from anybody. */
export function hintOf(outcome: Outcome): string | null {
  return (hints as Readonly<Partial<Record<Outcome, string>>>)[outcome] ?? null;
}
