/** Whether a case becomes a proposal (contract, section 5, "admit"), and the object checks that a claim repeats. */
import type { ObjectReference } from './case.ts';
import type { AdmitOutcome, ReviseOutcome, WithdrawOutcome } from './outcomes.ts';
import type { ObjectRecord, OperationRecord } from './records.ts';
import type { Event } from './states.ts';
import { isFinal, States } from './states.ts';

export const supportedWorkflowVersions: readonly number[] = [1];

/**
 * Whether this program may decide about an operation or execute it: one of a newer version may promise what is not known
 * here. A settled one is only told about.
 */
export function isUnderstood(operation: Pick<OperationRecord, 'state' | 'workflowVersion'>): boolean {
  return isFinal(operation.state) || supportedWorkflowVersions.includes(operation.workflowVersion);
}

export interface AdmitFacts {
  readonly operationId: string;
  readonly workflowVersion: number;
  readonly object: ObjectReference;
  readonly expiresAtMs: number | null;
  /** The operation this event id was recorded for, if any. */
  readonly eventOwner: string | null;
  /** The record of this very identity, if any. */
  readonly known: OperationRecord | null;
  /** The open operation of the case, if any. */
  readonly open: OperationRecord | null;
  /** The object as the ledger knows it; `null`: nobody knows it yet, and admission creates it. */
  readonly stored: ObjectRecord | null;
  readonly nowMs: number;
}

export interface AdmitVerdict {
  readonly outcome: AdmitOutcome;
  /** What follows the admission at once: the proposal is stored, but already closed. */
  readonly event: Event | null;
}

/** The first of denied, superseded, expired that applies to an operation on this object now. */
export function objection(
  object: ObjectReference,
  stored: ObjectRecord | null,
  expiresAtMs: number | null,
  nowMs: number,
): { outcome: 'denied' | 'superseded' | 'expired'; event: Event } | null {
  if (stored && (stored.scope !== object.scope || !stored.permitted)) return { outcome: 'denied', event: 'deny' };
  if (stored && stored.version !== object.version) return { outcome: 'superseded', event: 'object_changed' };
  if (expiresAtMs !== null && nowMs >= expiresAtMs) return { outcome: 'expired', event: 'expire' };
  return null;
}

export function judgeAdmission(facts: AdmitFacts): AdmitVerdict {
  const { known, open } = facts;
  const refused = (outcome: AdmitOutcome): AdmitVerdict => ({ outcome, event: null });
  const understood = supportedWorkflowVersions.includes(facts.workflowVersion) && (!known || isUnderstood(known));
  if (!understood) return refused('unsupported_workflow_version');
  if (facts.eventOwner !== null && facts.eventOwner !== facts.operationId) return refused('event_conflict');
  const sameEvent = facts.eventOwner === facts.operationId;
  if (known && (sameEvent || known.state !== States.Superseded)) return refused('duplicate');
  if (open) return refused('case_open');
  if (known) return refused('content_already_proposed');
  const against = objection(facts.object, facts.stored, facts.expiresAtMs, facts.nowMs);
  return against ?? { outcome: 'admitted', event: null };
}

export interface ReviseFacts {
  /** The operation named by the caller, when it belongs to the case. */
  readonly named: OperationRecord | null;
  readonly current: OperationRecord | null;
  readonly authorized: boolean;
  /** Whether the revised content is already recorded under its identity. */
  readonly contentKnown: boolean;
}

export function judgeRevision(facts: ReviseFacts): ReviseOutcome {
  if (!facts.named) return 'unknown_operation';
  if (!facts.authorized) return 'not_authorized';
  if (facts.current?.operationId !== facts.named.operationId || facts.named.state === States.Superseded) {
    return 'stale_proposal';
  }
  if (facts.named.state !== States.Pending) return 'already_decided';
  if (facts.contentKnown) return 'content_already_proposed';
  return 'revised';
}

export interface WithdrawFacts {
  readonly named: OperationRecord | null;
  readonly current: OperationRecord | null;
  readonly authorized: boolean;
}

/** Withdrawing again is the same again; after the claim it is too late, because the effect may be on its way. */
export function judgeWithdrawal(facts: WithdrawFacts): WithdrawOutcome {
  if (!facts.named) return 'unknown_operation';
  if (!facts.authorized) return 'not_authorized';
  if (facts.named.state === States.Withdrawn) return 'withdrawn';
  if (facts.current?.operationId !== facts.named.operationId || facts.named.state === States.Superseded) {
    return 'stale_proposal';
  }
  const open = facts.named.state === States.Pending || facts.named.state === States.Approved;
  return open ? 'withdrawn' : 'already_decided';
}
