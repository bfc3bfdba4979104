// One sentence per field: it describes the field in the JSON Schema and is the hint of an error there, so the two agree.
import type { Path } from './input-error.ts';
import {
  MAX_CHECKS,
  MAX_EVIDENCE_ENTRIES,
  MAX_ID_CHARACTERS,
  MAX_POLICY_ENTRIES,
  MAX_TTL_SECONDS,
  MAX_VALUE_CHARACTERS,
} from './limits.ts';

const ID = `1 to ${MAX_ID_CHARACTERS} characters (Unicode code points), no control characters.`;
const SWITCH = 'true or false (default); the deployment may demand the stricter one.';

export const FIELD_HELP = {
  case: 'A case: caseId, action, body (a drafter may write it), evidence, policy; optional: object, checks, eventId, proposedBy, expiresAt, workflowVersion.',
  caseId: `Names the case; its workflow is review/<caseId>. ${ID}`,
  action: `What is done once the case is approved. ${ID}`,
  body: 'The text under review, at most 128 KiB of UTF-8 with LF line ends; left out only where a drafter is configured to write it.',
  evidence: `The sources it rests on: at most ${MAX_EVIDENCE_ENTRIES}, 256 KiB of UTF-8 in all, none twice; [] for none.`,
  'evidence.*': 'A source: sourceId, version, quotation.',
  'evidence.sourceId': `Names the source. ${ID}`,
  'evidence.version': `A safe integer, or a text of 1 to ${MAX_ID_CHARACTERS} characters; 2 and "2" are the same version.`,
  'evidence.quotation': 'The text quoted from the source.',
  policy: `At most ${MAX_POLICY_ENTRIES} entries with keys of 1 to ${MAX_ID_CHARACTERS} characters; countersign. keys are the engine's.`,
  'policy.*': `A string of at most ${MAX_VALUE_CHARACTERS} characters, a safe integer or a boolean; write 0.5 as "0.5".`,
  'policy.decisionTtlSeconds': `Seconds from admission to decision: an integer from 1 to ${MAX_TTL_SECONDS}; leave it out for no limit.`,
  'policy.requireSignature': `Whether a decision needs a signature: ${SWITCH}`,
  'policy.allowSelfApproval': `Whether the proposer may decide: ${SWITCH}`,
  'policy.resendWhenAbsent': `Whether an effect that an eventual look-up does not find may be sent again: ${SWITCH}`,
  'policy.irreversible': `Whether the effect cannot be taken back: ${SWITCH}`,
  object: 'What the operation acts on: id; optional: version (default 1), scope (default "default").',
  'object.id': `Names the object. ${ID}`,
  'object.version': 'The version of the object that the draft was made for: an integer from 1.',
  'object.scope': `The scope the object must be in. ${ID}`,
  checks: `Checks of this body, so only beside one: at most ${MAX_CHECKS}, shown with the proposal, not part of its identity.`,
  'checks.*': 'A check: name, result.',
  'checks.name': `Names the check. ${ID}`,
  'checks.result': `1 to ${MAX_VALUE_CHARACTERS} characters.`,
  eventId: `The event that caused the proposal; default: the operation identity. ${ID}`,
  proposedBy: `Who proposes. ${ID}`,
  expiresAt: 'RFC 3339 with an offset, for example 2026-12-24T12:00:00Z; digits after milliseconds are cut.',
  workflowVersion: 'The version of the review protocol, an integer from 1; default 1.',
  revision: 'A revision: expectedOperationId, revisedBy; optional: body, evidence, policy.',
  expectedOperationId: 'The identity of the proposal that is revised: op-v1- and 64 hexadecimal digits.',
  revisedBy: `Who revises. ${ID}`,
} as const;

const help: ReadonlyMap<string, string> = new Map(Object.entries(FIELD_HELP));

/** The sentence for the place of a fault, or for what holds it; `root` names the whole input. */
export function helpAt(path: Path, root: 'case' | 'revision'): string {
  const top = String(path[0]);
  const last = path.at(-1);
  const below = [`${top}.*`, `${top}.${typeof last === 'number' ? '*' : String(last)}`];
  let sentence: string = FIELD_HELP[root];
  for (const key of path.length > 1 ? [top, ...below] : [top]) sentence = help.get(key) ?? sentence;
  return sentence;
}
