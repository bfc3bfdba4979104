// What other folders may use of the identity: digests, the payload, and the readers of untrusted input.
export { frame, normaliseText } from './canonical.ts';
export { parseCase, parseGivenCase, parseRevision } from './case.ts';
export { caseJsonSchema } from './case-schema.ts';
export { draftDigest, draftRequestId } from './draft.ts';
export { evidenceId } from './evidence.ts';
export { InputError } from './input-error.ts';
export { parseJsonText } from './json-text.ts';
export { identify, isOperationId, operationIdOfPayload } from './operation.ts';
export { parsePayload, type OperationFields } from './payload.ts';
export { policyId } from './policy.ts';
export { parseCaseText, readCaseFile, readGivenCaseFile, readInput, readJsonFile, readTextFile } from './read-file.ts';
