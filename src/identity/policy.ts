// Identity of the policy a proposal is judged by (contract, section 1). An explicit object and an explicit expiry are
// part of it, as reserved entries, so an approval for one object or deadline is not an approval for another.
import type { CaseInput, Policy } from '../core/case.ts';
import { compareUtf8, digestFields, normaliseText, objectAt } from './canonical.ts';
import { canonicalInstant } from './expiry.ts';
import { InputError } from './input-error.ts';

const RESERVED_PREFIX = 'countersign.';

type EntryType = 'string' | 'integer' | 'boolean';

/** A policy entry as it is hashed; `givenKey` is the key before normalisation. */
interface PolicyEntry {
  readonly key: string;
  readonly type: EntryType;
  readonly text: string;
  readonly givenKey: string;
}

/**
 * `policy-v1-` and the digest of exactly these entries, whatever their order. The string "9" is not the integer 9.
 *
 * @throws InputError for a value that is no string, boolean or safe integer, and for keys that are equal after
 * normalisation.
 */
export function policyId(policy: Policy): string {
  return entriesId(entriesOf(policy));
}

/**
 * The policy identity of a case: its own entries and the reserved ones. Defaults spelled out and defaults left out are
 * the same policy.
 *
 * @throws InputError also for a key of the case that starts with `countersign.`.
 */
export function effectivePolicyId(input: Pick<CaseInput, 'policy' | 'object' | 'expiresAt'>): string {
  const entries = entriesOf(input.policy);
  for (const { key, givenKey } of entries) refuseReserved(key, givenKey);
  if (input.object !== undefined) {
    const { id, version = 1, scope = 'default' } = objectAt(input.object, ['object'], 'id, version, scope');
    if (!Number.isSafeInteger(version)) {
      throw new InputError('must be a safe integer', ['object', 'version'], 'The version the draft was made for.');
    }
    entries.push(reserved('object.id', 'string', normaliseText(id, ['object', 'id'])));
    entries.push(reserved('object.version', 'integer', String(version)));
    entries.push(reserved('object.scope', 'string', normaliseText(scope, ['object', 'scope'])));
  }
  if (input.expiresAt !== undefined) {
    entries.push(reserved('expiresAt', 'string', canonicalInstant(input.expiresAt, ['expiresAt'])));
  }
  return entriesId(entries);
}

/** @throws InputError for a key only the engine may add. */
export function refuseReserved(key: string, givenKey: string = key): void {
  if (!key.startsWith(RESERVED_PREFIX)) return;
  throw new InputError('is a reserved policy key', ['policy', givenKey], 'The engine adds the countersign. keys.');
}

function entriesOf(policy: unknown): PolicyEntry[] {
  const entries = Object.entries(objectAt(policy, ['policy'], 'Use {} for no policy.'));
  return entries.map(([givenKey, value]) => entryOf(givenKey, value));
}

function entryOf(givenKey: string, value: unknown): PolicyEntry {
  const key = normaliseText(givenKey, ['policy', givenKey]);
  if (typeof value === 'string') {
    return { key, type: 'string', text: normaliseText(value, ['policy', givenKey]), givenKey };
  }
  if (typeof value === 'boolean') return { key, type: 'boolean', text: String(value), givenKey };
  if (Number.isSafeInteger(value)) return { key, type: 'integer', text: String(value), givenKey };
  throw new InputError('must be a string, a boolean or a safe integer', ['policy', givenKey], 'Write 0.5 as "0.5".');
}

function reserved(name: string, type: EntryType, text: string): PolicyEntry {
  const key = RESERVED_PREFIX + name;
  return { key, type, text, givenKey: key };
}

function entriesId(entries: PolicyEntry[]): string {
  entries.sort((a, b) => compareUtf8(a.key, b.key));
  const fields = ['decisionflow.policy.v1'];
  let previous: string | undefined;
  for (const { key, type, text, givenKey } of entries) {
    if (key === previous) {
      throw new InputError('equals another policy key', ['policy', givenKey], 'CRLF, CR and LF are one line end.');
    }
    fields.push(key, type, text);
    previous = key;
  }
  return digestFields('policy-v1-', fields);
}
