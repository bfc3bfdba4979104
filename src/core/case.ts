/**
 * The shapes of a case and of the proposal made from it (contract, section 2). Types only; `src/identity` reads
 * and checks untrusted input into them.
 */

/** One quoted source that the proposal rests on. `version` is hashed as text: 2 and "2" are equal. */
export interface EvidenceSource {
  readonly sourceId: string;
  readonly version: string | number;
  readonly quotation: string;
}

export type PolicyValue = string | number | boolean;
export type Policy = Readonly<Record<string, PolicyValue>>;

/** What the operation acts on. `version` and `scope` are compared with what the ledger knows when it claims. */
export interface ObjectReference {
  readonly id: string;
  readonly version: number;
  readonly scope: string;
}

/** A check somebody ran on this body. Shown with the proposal; not part of the identity; never carried to another body. */
export interface CheckResult {
  readonly name: string;
  readonly result: string;
}

/** A case as it arrives: the argument of `reviewOperation` and the content of a case file. */
export interface CaseInput {
  readonly caseId: string;
  readonly action: string;
  readonly body: string;
  readonly evidence: readonly EvidenceSource[];
  readonly policy: Policy;
  readonly object?: { readonly id: string; readonly version?: number; readonly scope?: string };
  readonly checks?: readonly CheckResult[];
  readonly eventId?: string;
  readonly proposedBy?: string;
  readonly expiresAt?: string;
  readonly workflowVersion?: number;
}

/** A case whose body a drafter has still to write. Checks are checks of a body, so it has none. */
export type UndraftedCase = Omit<CaseInput, 'body' | 'checks'>;

/** A case as it may arrive where a drafter is configured. */
export type GivenCase = CaseInput | UndraftedCase;

/** The three digests of a case, and the bytes that were hashed into the last one (contract, section 1). */
export interface OperationIdentity {
  readonly evidenceId: string;
  readonly policyId: string;
  readonly operationId: string;
  /** The canonical frame: what the receiver gets as payload. */
  readonly payload: Uint8Array;
}
