/** Between a case and its stored record: canonical text on the way in, the identity recomputed on the way out. */
import type { CaseInput, OperationIdentity } from '../core/case.ts';
import { CountersignError } from '../core/errors.ts';
import { isoTime } from '../core/presentation.ts';
import type { OperationRecord } from '../core/records.ts';
import { identify, normaliseText } from '../identity/index.ts';

/** The case in the text that is hashed and shown: what a reviewer sees is what the identity stands for. */
export function canonicalCase(input: CaseInput): CaseInput {
  return {
    ...input,
    caseId: normaliseText(input.caseId),
    action: normaliseText(input.action),
    body: normaliseText(input.body),
    evidence: input.evidence.map((source) => ({
      sourceId: normaliseText(source.sourceId),
      version: typeof source.version === 'string' ? normaliseText(source.version) : source.version,
      quotation: normaliseText(source.quotation),
    })),
  };
}

/** The case a stored operation was made from, as it can be given to a new run. */
export function caseOf(operation: OperationRecord): CaseInput {
  return {
    caseId: operation.caseId,
    action: operation.action,
    body: operation.body,
    evidence: operation.evidence,
    policy: operation.policy,
    ...(operation.objectExplicit ? { object: operation.object } : {}),
    ...(operation.checks.length > 0 ? { checks: operation.checks } : {}),
    ...(operation.eventId === operation.operationId ? {} : { eventId: operation.eventId }),
    ...(operation.proposedBy === null ? {} : { proposedBy: operation.proposedBy }),
    ...(operation.expiresAtMs === null ? {} : { expiresAt: isoTime(operation.expiresAtMs) }),
    workflowVersion: operation.workflowVersion,
  };
}

/**
 * The identity computed again from the stored content. Throws `identity_mismatch` when it is not the one the record
 * stands under: then the bytes that would be sent are not the bytes that were approved.
 */
export function recomputeIdentity(operation: OperationRecord): OperationIdentity {
  const identity = identify(caseOf(operation));
  const same =
    identity.operationId === operation.operationId &&
    identity.evidenceId === operation.evidenceId &&
    identity.policyId === operation.policyId;
  if (same) return identity;
  throw new CountersignError('identity_mismatch', {
    message: `The content stored under ${operation.operationId} has the identity ${identity.operationId}.`,
  });
}
