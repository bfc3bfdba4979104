// The operation identity (contract, section 1): who asks for what, with which text, on which evidence and policy.
import type { CaseInput, OperationIdentity } from '../core/case.ts';
import { digest, encodeFrame, normaliseText } from './canonical.ts';
import { evidenceId } from './evidence.ts';
import { effectivePolicyId } from './policy.ts';

export const OPERATION_PROTOCOL = 'decisionflow.operation.v1';
const PREFIX = 'op-v1-';

/**
 * The three digests of a case and the frame that the last one was made of. Object, expiry and policy enter through the
 * policy identity; event, checks, proposer and workflow version do not enter. Pure: the same case gives the same bytes.
 *
 * @throws InputError with the JSON pointer of the first field that has no canonical form. Limits of section 2 are the
 * concern of `parseCase`, not of the identity.
 */
export function identify(input: CaseInput): OperationIdentity {
  const caseId = normaliseText(input.caseId, ['caseId']);
  const action = normaliseText(input.action, ['action']);
  const body = normaliseText(input.body, ['body']);
  const evidence = evidenceId(input.evidence);
  const policy = effectivePolicyId(input);
  const payload = encodeFrame([OPERATION_PROTOCOL, caseId, action, body, evidence, policy]);
  return { evidenceId: evidence, policyId: policy, operationId: operationIdOfPayload(payload), payload };
}

/**
 * The identity that these payload bytes have. `execute` compares it with the stored identity before an effect. It says
 * nothing about whether the bytes are a frame: see `parsePayload`.
 */
export function operationIdOfPayload(payload: Uint8Array): string {
  return digest(PREFIX, payload);
}

/** Whether a value has the form of an operation identity. It says nothing about whether the ledger knows it. */
export function isOperationId(value: unknown): value is string {
  return typeof value === 'string' && /^op-v1-[0-9a-f]{64}$/.test(value);
}
