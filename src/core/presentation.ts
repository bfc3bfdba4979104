/** What outsiders are shown of an operation: the proposal, its status and its result (contract, section 3). Pure. */
import type { CheckResult, EvidenceSource, ObjectReference, Policy } from './case.ts';
import { decisionDeadlineMs } from './decision.ts';
import { finalStatus, type FinalStatus } from './next-step.ts';
import type { AttemptRecord, DecisionRecord, OperationRecord, OperationView } from './records.ts';
import type { State } from './states.ts';

/** The proposal, whole, in canonical text. It never changes; an edit is another proposal. */
export interface Proposal {
  readonly operationId: string;
  readonly evidenceId: string;
  readonly policyId: string;
  readonly caseId: string;
  readonly action: string;
  readonly body: string;
  readonly evidence: readonly EvidenceSource[];
  readonly policy: Policy;
  readonly object: ObjectReference;
  readonly checks: readonly CheckResult[];
  readonly eventId: string;
  readonly proposedBy: string | null;
  /** ISO 8601, UTC, milliseconds; as every time shown. */
  readonly proposedAt: string;
  readonly expiresAt: string | null;
  /** The last instant at which a decision counts. */
  readonly decideBy: string | null;
  readonly humanEdited: boolean;
  readonly revisionOf: string | null;
  readonly workflowVersion: number;
}

export interface Decision {
  readonly approved: boolean;
  readonly reviewer: string;
  readonly reason: string | null;
  readonly decidedAt: string;
  readonly via: string;
}

export interface Result {
  readonly operationId: string;
  readonly status: FinalStatus;
  /** The effect existed already when this run or command came to it: it wrote nothing. */
  readonly replayed: boolean;
  /** Effects established for this identity: 1 when Completed, otherwise 0. */
  readonly effectCount: number;
  readonly attempts: number;
  readonly headHash: string;
}

export interface Status {
  readonly state: State;
  readonly operationId: string;
  readonly caseId: string;
  readonly decision: Decision | null;
  readonly attempts: number;
  readonly headHash: string;
  readonly result: Result | null;
}

export const isoTime = (ms: number): string => new Date(ms).toISOString();
const isoOrNull = (ms: number | null): string | null => (ms === null ? null : isoTime(ms));

export function presentProposal(operation: OperationRecord): Proposal {
  return {
    operationId: operation.operationId,
    evidenceId: operation.evidenceId,
    policyId: operation.policyId,
    caseId: operation.caseId,
    action: operation.action,
    body: operation.body,
    evidence: operation.evidence,
    policy: operation.policy,
    object: operation.object,
    checks: operation.checks,
    eventId: operation.eventId,
    proposedBy: operation.proposedBy,
    proposedAt: isoTime(operation.proposedAtMs),
    expiresAt: isoOrNull(operation.expiresAtMs),
    decideBy: isoOrNull(decisionDeadlineMs(operation)),
    humanEdited: operation.humanEdited,
    revisionOf: operation.revisionOf,
    workflowVersion: operation.workflowVersion,
  };
}

export function presentDecision(decision: DecisionRecord): Decision {
  return {
    approved: decision.approved,
    reviewer: decision.reviewer,
    reason: decision.reason,
    decidedAt: isoTime(decision.decidedAtMs),
    via: decision.via,
  };
}

/** What a status is made of: a whole view, or the summary that is read in one go. */
export type StatusFacts = Pick<OperationView, 'decision' | 'headHash'> & {
  readonly operation: Pick<OperationRecord, 'operationId' | 'caseId' | 'state' | 'attempts'>;
  readonly attempts: readonly Pick<AttemptRecord, 'answer' | 'executor'>[];
};

/** The result of a settled operation as `executor` (a run or a command) has to report it; `null` while it is open. */
export function presentResult(view: StatusFacts, executor: string): Result | null {
  const { operation } = view;
  const status = finalStatus(operation.state);
  if (status === null) return null;
  const completed = operation.state === 'Completed';
  const own = view.attempts.some((attempt) => attempt.answer === 'created' && attempt.executor === executor);
  return {
    operationId: operation.operationId,
    status,
    replayed: completed && !own,
    effectCount: completed ? 1 : 0,
    attempts: operation.attempts,
    headHash: view.headHash,
  };
}

export function presentStatus(view: StatusFacts, executor: string): Status {
  return {
    state: view.operation.state,
    operationId: view.operation.operationId,
    caseId: view.operation.caseId,
    decision: view.decision && presentDecision(view.decision),
    attempts: view.operation.attempts,
    headHash: view.headHash,
    result: presentResult(view, executor),
  };
}
