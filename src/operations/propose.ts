/** Use case `propose`: an untrusted case becomes a recorded proposal; one without a body gets its draft first. */
import { isOnRecord, type AdmitOutcome } from '../core/outcomes.ts';
import { presentProposal, presentStatus, type Proposal, type Status } from '../core/presentation.ts';
import { identify, parseGivenCase } from '../identity/index.ts';
import type { RunReference } from '../ports/ledger.ts';
import { canonicalCase } from './content.ts';
import { drafted, hasBody } from './draft.ts';
import type { Ports } from './ports.ts';

export interface ProposeAnswer {
  readonly outcome: AdmitOutcome;
  /** The identity of the content that was handed in, admitted or not. */
  readonly operationId: string;
  /** Whether this very content is on record, open or closed. */
  readonly recorded: boolean;
  /** What is recorded: the proposal itself, its stored duplicate, or what stands in its way. */
  readonly proposal: Proposal | null;
  readonly status: Status | null;
}

/**
 * Checks, identifies and records a case. `input` is untrusted; throws `malformed_input` with the JSON pointer of the
 * fault. Asking again with the same case is answered `duplicate` with the stored record.
 * A case without a body is given its draft, see `drafted`.
 */
export async function propose(
  ports: Pick<Ports, 'ledger' | 'drafter'>,
  input: unknown,
  by: { readonly executor: string; readonly run: RunReference | null },
): Promise<ProposeAnswer> {
  const given = parseGivenCase(input);
  const content = canonicalCase(hasBody(given) ? given : await drafted(ports, given));
  const identity = identify(content);
  const { outcome, view } = await ports.ledger.admit({ case: content, identity, run: by.run });
  return {
    outcome,
    operationId: identity.operationId,
    recorded: isOnRecord(outcome),
    proposal: view && presentProposal(view.operation),
    status: view && presentStatus(view, by.executor),
  };
}
