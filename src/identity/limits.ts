// Every bound on a case in one place (contract, section 2). Together they keep each payload below Temporal's 2 MB.

/**
 * Ids, names, policy keys and evidence versions: 1 to 200 characters. A character is a Unicode code point, which is
 * what JSON Schema counts, so every reader of the schema agrees. 200 of them are at most 800 bytes, so
 * `review/<caseId>` stays below the server's 1000 bytes for a workflow id.
 */
export const MAX_ID_CHARACTERS = 200;
/** A policy text or the result of a check, in code points. */
export const MAX_VALUE_CHARACTERS = 2000;
/** UTF-8 bytes of the body after line ends became LF: the same draft is not refused because an editor saved CRLF. */
export const MAX_BODY_BYTES = 128 * 1024;
/** UTF-8 bytes of all source ids, versions and quotations together, after line ends became LF. */
export const MAX_EVIDENCE_BYTES = 256 * 1024;
export const MAX_EVIDENCE_ENTRIES = 500;
export const MAX_POLICY_ENTRIES = 100;
export const MAX_CHECKS = 100;
/**
 * A file before it is read, and a case as JSON: JSON spends up to six bytes on one byte of text, so the limits above
 * alone would let a case of control characters grow past a payload.
 */
export const MAX_JSON_BYTES = 1024 * 1024;
/** A case nests three levels deep; more than this is refused before a recursive reader could run out of stack. */
export const MAX_JSON_DEPTH = 64;
/** No list or object of a case is this long; longer ones are refused before they are copied. */
export const MAX_COPIED_ENTRIES = 1000;
/** 100 years: a longer time to decide would leave the range of a date; leave it out for "no limit". */
export const MAX_TTL_SECONDS = 100 * 365.25 * 24 * 3600;

/** Whether a text has more code points than `limit`, without counting a text that is far too long. */
export function longerThan(text: string, limit: number): boolean {
  if (text.length <= limit) return false;
  if (text.length > 2 * limit) return true;
  let characters = 0;
  for (const _ of text) characters++;
  return characters > limit;
}
