/** Use case `draft`: the text of a case that came without one, from the ledger or, the first time, from the drafter. */
import type { CaseInput, GivenCase, UndraftedCase } from '../core/case.ts';
import { CountersignError, errorCode } from '../core/errors.ts';
import type { DraftRecord, OperationRecord } from '../core/records.ts';
import { draftRequestId, InputError, parseCase, parseGivenCase } from '../identity/index.ts';
import type { Drafter } from '../ports/drafter.ts';
import { caseOf } from './content.ts';
import type { Ports } from './ports.ts';

const hint =
  'Give the case a body; it may be left out only where a drafter is configured to write it, and here is none.';

/** What is said of a case without a body that nobody can draft. */
export const missingBody = (): InputError => new InputError('is missing', ['body'], hint);

/** Whether the case has its text. */
export const hasBody = (content: GivenCase): content is CaseInput => 'body' in content;

/** A draft is held to what a body is held to, stored or not. */
const withText = (request: UndraftedCase, body: string): CaseInput => parseCase({ ...request, body });

const wordsOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));

/** The case with the text that the ledger holds for it; `null` where none was drafted yet. Asks nobody. */
export async function storedCase(ports: Pick<Ports, 'ledger'>, request: UndraftedCase): Promise<CaseInput | null> {
  const { draft } = await ports.ledger.draftOf(draftRequestId(request));
  return draft && withText(request, draft.body);
}

/** The draft that has exactly the text of an operation and was written for it; `null` where the text came otherwise. */
export async function draftBehind(
  ports: Pick<Ports, 'ledger'>,
  operation: OperationRecord,
): Promise<DraftRecord | null> {
  const { body, checks: _checks, ...request } = caseOf(operation);
  const { draft } = await ports.ledger.draftOf(draftRequestId(request));
  return draft?.body === body ? draft : null;
}

/** Asks the drafter. Its text has to pass as the body of this very case. Throws `drafter_failed`. */
async function ask(drafter: Drafter, request: UndraftedCase): Promise<CaseInput> {
  const failed = (message: string, cause: unknown): CountersignError =>
    new CountersignError('drafter_failed', { message: `The drafter ${drafter.name} ${message}`, cause });
  let body: string;
  try {
    // A copy: what a drafter does to its request must not reach what is proposed.
    body = await drafter.draft(structuredClone(request));
  } catch (thrown) {
    throw failed(`failed: ${wordsOf(thrown)}`, thrown);
  }
  try {
    return withText(request, body);
  } catch (thrown) {
    if (errorCode(thrown) !== 'malformed_input') throw thrown;
    throw failed(`answered what cannot be proposed: ${wordsOf(thrown)}`, thrown);
  }
}

/**
 * The case with its text. A stored draft is used without any drafter; otherwise the drafter is asked and its answer is
 * stored. Throws `malformed_input` at /body where there is neither, `drafter_failed` (retryable) and store errors.
 */
export async function drafted(ports: Pick<Ports, 'ledger' | 'drafter'>, request: UndraftedCase): Promise<CaseInput> {
  const { ledger, drafter } = ports;
  const requestId = draftRequestId(request);
  const { draft, ledgerTimeMs } = await ledger.draftOf(requestId);
  if (draft) return withText(request, draft.body);
  if (!drafter) throw missingBody();
  const { body, caseId } = await ask(drafter, request);
  const kept = await ledger.keepDraft({ requestId, caseId, drafter: drafter.name, body, askedAtMs: ledgerTimeMs });
  return withText(request, kept.body);
}

/** Sees to it that `propose` finds the text of this untrusted input. One that has its body needs nothing. Throws as `drafted`. */
export async function draft(ports: Pick<Ports, 'ledger' | 'drafter'>, input: unknown): Promise<void> {
  const given = parseGivenCase(input);
  if (!hasBody(given)) await drafted(ports, given);
}
