/**
 * What the ledger stores, as the rest of the program sees it. Times are ledger time in milliseconds since the epoch
 * (UTC); `null` means "none", never "unknown".
 */
import type { CheckResult, EvidenceSource, ObjectReference, Policy } from './case.ts';
import type { State } from './states.ts';

export interface ObjectRecord {
  readonly objectId: string;
  readonly version: number;
  readonly scope: string;
  readonly permitted: boolean;
}

export interface OperationRecord {
  readonly operationId: string;
  /** Admission order within the ledger; the only order anything relies on. */
  readonly sequence: number;
  readonly caseId: string;
  readonly action: string;
  /** Canonical text: the characters whose UTF-8 bytes were hashed. */
  readonly body: string;
  readonly evidence: readonly EvidenceSource[];
  readonly policy: Policy;
  readonly checks: readonly CheckResult[];
  readonly object: ObjectReference;
  /** Whether the case named the object itself; only then is it part of the identity. */
  readonly objectExplicit: boolean;
  readonly evidenceId: string;
  readonly policyId: string;
  readonly eventId: string;
  readonly proposedBy: string | null;
  readonly proposedAtMs: number;
  readonly humanEdited: boolean;
  readonly expiresAtMs: number | null;
  /** Admission time plus `decisionTtlSeconds`; bounds the decision, not the claim. */
  readonly decideByMs: number | null;
  readonly workflowVersion: number;
  readonly state: State;
  readonly attempts: number;
  readonly revisionOf: string | null;
  readonly revisedTo: string | null;
  readonly workflowId: string | null;
  readonly runId: string | null;
}

export interface DecisionRecord {
  readonly operationId: string;
  readonly approved: boolean;
  readonly reviewer: string;
  readonly reason: string | null;
  readonly signature: string | null;
  readonly decidedAtMs: number;
  /** Names the one request that wrote it, so that its own retry is told `recorded` and not `repeated`. */
  readonly requestId: string | null;
  readonly via: string;
}

export const Answers = { created: 'created', exists: 'exists', conflict: 'conflict' } as const;
/** What a receiver answers to a commit (contract, section 5). */
export type ReceiverAnswer = (typeof Answers)[keyof typeof Answers];

export interface AttemptRecord {
  readonly operationId: string;
  readonly attempt: number;
  readonly claimedAtMs: number;
  readonly leaseUntilMs: number;
  readonly receiverId: string;
  /** The receiver's sequence when the claim was made: a later, lower one shows a receiver that lost records. */
  readonly receiverSequence: number | null;
  /** Who executes: a workflow run or a command's process. */
  readonly executor: string;
  readonly answer: ReceiverAnswer | null;
  readonly answeredAtMs: number | null;
}

export const Findings = {
  matching: 'matching',
  conflict: 'conflict',
  absent: 'absent',
  unavailable: 'unavailable',
} as const;
/** What one look at the receiver showed. `absent` is proof only where the receiver's declaration makes it one. */
export type Finding = (typeof Findings)[keyof typeof Findings];

export interface ObservationRecord {
  readonly sequence: number;
  readonly operationId: string;
  readonly attempt: number;
  readonly observedAtMs: number;
  readonly receiverId: string;
  readonly receiverSequence: number | null;
  readonly finding: Finding;
  /** Why an absence does not count (another receiver, retention over, sequence went back); `null` where it counts. */
  readonly discounted: string | null;
  /** True when the finding contradicts a final state. */
  readonly contradiction: boolean;
}

export interface ResolutionRecord {
  readonly sequence: number;
  readonly operationId: string;
  readonly attempt: number;
  readonly resolution: Resolution;
  readonly operator: string;
  readonly reason: string;
  readonly reference: string | null;
  readonly resolvedAtMs: number;
}

export const Resolutions = {
  effectHappened: 'effect_happened',
  effectDidNotHappen: 'effect_did_not_happen',
  askAgain: 'ask_again',
  abandon: 'abandon',
} as const;
export type Resolution = (typeof Resolutions)[keyof typeof Resolutions];

/** What a drafter answered to one request; written once, so that the same request is not asked again. */
export interface DraftRecord {
  readonly requestId: string;
  readonly caseId: string;
  /** Name of the drafter that was asked. */
  readonly drafter: string;
  /** Canonical text, as it is proposed. */
  readonly body: string;
  readonly askedAtMs: number;
  readonly draftedAtMs: number;
}

export interface JournalRecord {
  readonly sequence: number;
  /** An operation id, `object/<id>`, or `ledger`: what the chain of this record is about. */
  readonly subject: string;
  readonly subjectSequence: number;
  readonly atMs: number;
  readonly actor: string;
  readonly what: string;
  readonly detail: string;
  readonly previousHash: string;
  readonly hash: string;
}

/** What a status and a repeated decision need of an operation: read in one go, because it is asked for most often. */
export interface OperationSummary {
  readonly operation: Pick<
    OperationRecord,
    'operationId' | 'caseId' | 'action' | 'policy' | 'state' | 'attempts' | 'proposedBy' | 'expiresAtMs' | 'decideByMs'
  >;
  readonly decision: DecisionRecord | null;
  /** Only attempts whose effect the receiver created. */
  readonly attempts: readonly Pick<AttemptRecord, 'answer' | 'executor'>[];
  readonly headHash: string;
  /** The newest operation of the case. */
  readonly currentOperationId: string;
}

/** One operation with everything that is stored about it: what the pure functions judge. */
export interface OperationView {
  readonly operation: OperationRecord;
  readonly decision: DecisionRecord | null;
  readonly attempts: readonly AttemptRecord[];
  readonly observations: readonly ObservationRecord[];
  readonly resolutions: readonly ResolutionRecord[];
  readonly object: ObjectRecord | null;
  /** The other operation that holds the same object now, if any. */
  readonly heldBy: string | null;
  readonly headHash: string;
  /** How often a person accepted an older copy of this ledger. */
  readonly generation: number;
  /** The highest sequence seen of the receiver that the newest attempt was sent to; `null`: none was seen. */
  readonly lastReceiverSequence: number | null;
  readonly ledgerTimeMs: number;
}
