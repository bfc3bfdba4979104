// What a shape cannot say about a case: bounds in bytes, duplicates, reserved keys, dates (contract, section 2).
import type { CaseInput, Policy } from '../core/case.ts';
import { normaliseText } from './canonical.ts';
import { evidenceRows } from './evidence.ts';
import { canonicalInstant } from './expiry.ts';
import { helpAt } from './field-help.ts';
import { InputError, type Path } from './input-error.ts';
import * as limits from './limits.ts';
import { refuseReserved } from './policy.ts';

/** The parts that a case and a revision share, as `plainCopy` and the shape left them. */
type Content = Partial<Pick<CaseInput, 'body' | 'evidence' | 'policy'>>;

/**
 * Checks content whose shape is right and returns it with canonical policy keys.
 *
 * @throws InputError at the fault.
 */
export function checkContent<T extends Content>(content: T): T {
  if (content.body !== undefined && Buffer.byteLength(content.body) > limits.MAX_BODY_BYTES) {
    throw refused('is larger than 128 KiB of UTF-8', ['body']);
  }
  if (content.evidence !== undefined) checkEvidence(content.evidence);
  const checked = content.policy === undefined ? content : { ...content, policy: canonicalPolicy(content.policy) };
  if (Buffer.byteLength(JSON.stringify(checked)) > limits.MAX_JSON_BYTES) {
    throw new InputError('is larger than 1 MiB as JSON', [], 'Shorten it; control characters take six bytes each.');
  }
  return checked;
}

/** The canonical spelling of the deadline, where the case has one. @throws InputError at "/expiresAt" */
export function checkExpiry<T extends Pick<CaseInput, 'expiresAt'>>(input: T): T {
  if (input.expiresAt === undefined) return input;
  return { ...input, expiresAt: canonicalInstant(input.expiresAt, ['expiresAt']) };
}

function checkEvidence(evidence: CaseInput['evidence']): void {
  let bytes = 0;
  for (const { sourceId, version, quotation } of evidenceRows(evidence)) {
    bytes += Buffer.byteLength(sourceId) + Buffer.byteLength(version) + Buffer.byteLength(quotation);
  }
  if (bytes > limits.MAX_EVIDENCE_BYTES) throw refused('is larger than 256 KiB of UTF-8', ['evidence']);
}

function canonicalPolicy(policy: Policy): Policy {
  const entries = Object.entries(policy);
  if (entries.length > limits.MAX_POLICY_ENTRIES) {
    throw refused(`has more than ${limits.MAX_POLICY_ENTRIES} entries`, ['policy']);
  }
  const canonical = new Map<string, Policy[string]>();
  for (const [givenKey, value] of entries) {
    const at = ['policy', givenKey];
    const key = normaliseText(givenKey, at);
    if (key === '') throw refused('is an empty key', at);
    if (limits.longerThan(key, limits.MAX_ID_CHARACTERS)) throw refused('is a key of more than 200 characters', at);
    refuseReserved(key, givenKey);
    if (canonical.has(key)) throw refused('equals another policy key after line-end normalisation', at);
    canonical.set(key, value);
  }
  return Object.fromEntries(canonical);
}

function refused(reason: string, path: Path): InputError {
  return new InputError(reason, path, helpAt(path, 'case'));
}
