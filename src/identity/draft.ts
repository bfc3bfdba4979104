// Identity of a request for a draft: the same request delivered again is answered with the stored draft.
import { createHash } from 'node:crypto';
import type { UndraftedCase } from '../core/case.ts';
import { digestFields, normaliseText } from './canonical.ts';
import { evidenceId } from './evidence.ts';
import { effectivePolicyId } from './policy.ts';

/**
 * `draft-v1-` and the digest of everything a draft may rest on, and of the event: another event asks for another draft.
 * Who proposes and the workflow version do not enter.
 *
 * @throws InputError with the JSON pointer of the first field that has no canonical form.
 */
export function draftRequestId(request: UndraftedCase): string {
  return digestFields('draft-v1-', [
    'countersign.draft.v1',
    normaliseText(request.caseId, ['caseId']),
    normaliseText(request.action, ['action']),
    evidenceId(request.evidence),
    effectivePolicyId(request),
    request.eventId === undefined ? '' : normaliseText(request.eventId, ['eventId']),
  ]);
}

/** SHA-256 of a draft's UTF-8 bytes, lower-case hex: what the journal keeps of it. */
export function draftDigest(body: string): string {
  return createHash('sha256').update(body, 'utf8').digest('hex');
}
