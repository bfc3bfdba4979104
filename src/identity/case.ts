// Reads untrusted values into cases and revisions (contract, section 2). Everything that leaves here is plain data with
// canonical texts, so what is stored and shown is what is hashed.
import type { z } from 'zod';
import type { CaseInput, GivenCase, UndraftedCase } from '../core/case.ts';
import type { RevisionMessage } from '../core/messages.ts';
import { checkContent, checkExpiry } from './case-rules.ts';
import { caseSchema, revisionSchema, undraftedSchema } from './case-schema.ts';
import { kindOf } from './canonical.ts';
import { helpAt } from './field-help.ts';
import { InputError } from './input-error.ts';
import { plainCopy } from './plain-data.ts';

/**
 * A case with LF line ends, `expiresAt` in UTC with milliseconds, 0 for -0; nothing else is changed, left out or filled
 * in, and reading the result again gives the same. The value may be anything at all.
 *
 * @throws InputError with the JSON pointer of the first fault found; never anything else.
 */
export function parseCase(value: unknown): CaseInput {
  return checkExpiry(checkContent(shaped<CaseInput>(caseSchema, value, 'case')));
}

/**
 * A case that may have no `body`: then a drafter writes it, and the same rules hold for the rest. A `body` of any other
 * kind, undefined included, is a fault as ever.
 *
 * @throws InputError with the JSON pointer of the first fault found; never anything else.
 */
export function parseGivenCase(value: unknown): GivenCase {
  // Asked of the copy: a proxy could answer differently the second time.
  const plain = plainCopy(value);
  if (typeof plain !== 'object' || plain === null || Object.hasOwn(plain, 'body')) return parseCase(plain);
  if (Object.hasOwn(plain, 'checks')) {
    throw new InputError('belong to a body, and there is none', ['checks'], helpAt(['checks'], 'case'));
  }
  return checkExpiry(checkContent(shaped<UndraftedCase>(undraftedSchema, plain, 'case')));
}

/**
 * A revision, by the same rules as a case; parts that are left out stay as they are in the proposal.
 *
 * @throws InputError with the JSON pointer of the first fault found, or "" when nothing would change.
 */
export function parseRevision(value: unknown): RevisionMessage {
  const revision = checkContent(shaped<RevisionMessage>(revisionSchema, value, 'revision'));
  if (revision.body === undefined && revision.evidence === undefined && revision.policy === undefined) {
    throw new InputError('changes nothing', [], 'Give a new body, evidence or policy.');
  }
  return revision;
}

/** `T` is the schema's output with `readonly`; the compiler holds the two together. */
function shaped<T>(schema: z.ZodType<T>, value: unknown, root: 'case' | 'revision'): T {
  const plain = plainCopy(value);
  const result = schema.safeParse(plain);
  if (result.success) return result.data;
  const [issue] = result.error.issues as [z.core.$ZodIssue];
  const path = issue.path as (string | number)[];
  if (issue.code === 'unrecognized_keys') {
    throw new InputError('is an unknown key', [...path, String(issue.keys[0])], helpAt(path, root));
  }
  const found = at(plain, path);
  const reason = issue.code === 'invalid_type' ? typeReason(issue.expected, found) : issue.message;
  throw new InputError(found === undefined ? 'is missing' : reason, path, helpAt(path, root));
}

function typeReason(expected: string, found: unknown): string {
  const wanted = expected === 'int' || expected === 'number' ? 'safe integer' : expected;
  const article = /^[aio]/.test(wanted) ? 'an' : 'a';
  return `must be ${article} ${wanted}, not ${typeof found === 'number' ? String(found) : kindOf(found)}`;
}

function at(value: unknown, path: readonly (string | number)[]): unknown {
  let found = value;
  for (const step of path) found = (found as Record<string | number, unknown>)[step];
  return found;
}
