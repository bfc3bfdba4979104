/**
 * Every outcome a use case can answer, in order of precedence (contract, section 5), and the exit code each one has
 * on the command line (section 6). Outcomes are returned; failures are thrown (see errors.ts).
 */

export const admitOutcomes = [
  'unsupported_workflow_version',
  'event_conflict',
  'duplicate',
  'case_open',
  'content_already_proposed',
  'denied',
  'superseded',
  'expired',
  'admitted',
] as const;
export type AdmitOutcome = (typeof admitOutcomes)[number];

/** Outcomes with which the content is on record under its identity, open or already closed. */
export function isOnRecord(outcome: AdmitOutcome): boolean {
  return (['admitted', 'duplicate', 'denied', 'superseded', 'expired'] as AdmitOutcome[]).includes(outcome);
}

export const decideOutcomes = [
  'unknown_operation',
  'not_authorized',
  'repeated',
  'conflicting_decision',
  'stale_proposal',
  'expired',
  'closed',
  'recorded',
] as const;
export type DecideOutcome = (typeof decideOutcomes)[number];

export const reviseOutcomes = [
  'unknown_operation',
  'not_authorized',
  'stale_proposal',
  'already_decided',
  'content_already_proposed',
  'revised',
] as const;
export type ReviseOutcome = (typeof reviseOutcomes)[number];

export const withdrawOutcomes = [
  'unknown_operation',
  'not_authorized',
  'stale_proposal',
  'already_decided',
  'withdrawn',
] as const;
export type WithdrawOutcome = (typeof withdrawOutcomes)[number];

export const claimOutcomes = [
  'not_approved',
  'completed',
  'in_progress',
  'unknown',
  'denied',
  'superseded',
  'expired',
  'overlap',
  'claimed',
] as const;
export type ClaimOutcome = (typeof claimOutcomes)[number];

export const resolveOutcomes = ['unknown_operation', 'not_authorized', 'not_unknown', 'resolved'] as const;
export type ResolveOutcome = (typeof resolveOutcomes)[number];

export type Outcome =
  AdmitOutcome | DecideOutcome | ReviseOutcome | WithdrawOutcome | ClaimOutcome | ResolveOutcome | 'conflict';

/** The exit codes of the contract's table, by what they mean. */
export const ExitCodes = {
  done: 0,
  internal: 1,
  usage: 2,
  stale: 3,
  caseMismatch: 4,
  conflict: 5,
  unknown: 6,
  busy: 7,
  notAuthorized: 8,
  notFound: 9,
  refused: 10,
  lostReceipt: 17,
  workerLostReceipt: 42,
  unreliable: 69,
} as const;

/** Outcome → exit code. */
export const exitCodeOfOutcome: Readonly<Record<Outcome, number>> = {
  admitted: ExitCodes.done,
  duplicate: ExitCodes.done,
  recorded: ExitCodes.done,
  repeated: ExitCodes.done,
  revised: ExitCodes.done,
  withdrawn: ExitCodes.done,
  claimed: ExitCodes.done,
  completed: ExitCodes.done,
  resolved: ExitCodes.done,
  stale_proposal: ExitCodes.stale,
  content_already_proposed: ExitCodes.stale,
  case_open: ExitCodes.caseMismatch,
  event_conflict: ExitCodes.caseMismatch,
  unsupported_workflow_version: ExitCodes.caseMismatch,
  conflicting_decision: ExitCodes.conflict,
  already_decided: ExitCodes.conflict,
  closed: ExitCodes.conflict,
  conflict: ExitCodes.conflict,
  unknown: ExitCodes.unknown,
  overlap: ExitCodes.busy,
  in_progress: ExitCodes.busy,
  not_authorized: ExitCodes.notAuthorized,
  unknown_operation: ExitCodes.notFound,
  not_unknown: ExitCodes.notFound,
  expired: ExitCodes.refused,
  denied: ExitCodes.refused,
  superseded: ExitCodes.refused,
  not_approved: ExitCodes.refused,
};
