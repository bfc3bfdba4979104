/** Use cases `revise`, `withdraw` and `resolve`: what people other than the reviewer do to a proposal. */
import type { CaseInput, OperationIdentity } from '../core/case.ts';
import type { ResolutionMessage, RevisionMessage, WithdrawalMessage } from '../core/messages.ts';
import type { ResolveOutcome, ReviseOutcome, WithdrawOutcome } from '../core/outcomes.ts';
import { presentProposal, presentStatus, type Proposal, type Status } from '../core/presentation.ts';
import type { OperationRecord } from '../core/records.ts';
import type { State } from '../core/states.ts';
import { identify, parseRevision } from '../identity/index.ts';
import type { RunReference, Via } from '../ports/ledger.ts';
import { canonicalCase, caseOf } from './content.ts';
import type { Ports } from './ports.ts';

export interface ReviseResult {
  readonly outcome: ReviseOutcome;
  /** The new proposal when `revised`, otherwise the one that is current. */
  readonly proposal: Proposal | null;
  readonly status: Status | null;
  readonly currentOperationId: string | null;
}

/**
 * The revised case: the named parts replaced, the event left out (it delivered the old content), whoever revised named
 * as proposer, and checks kept only where the body they were made for is kept.
 */
function revisedCase(
  stored: OperationRecord,
  message: RevisionMessage,
): { case: CaseInput; identity: OperationIdentity } {
  const { eventId: _delivered, checks, ...old } = caseOf(stored);
  const content = canonicalCase({
    ...old,
    ...(message.body === undefined ? {} : { body: message.body }),
    ...(message.evidence === undefined ? {} : { evidence: message.evidence }),
    ...(message.policy === undefined ? {} : { policy: message.policy }),
    proposedBy: message.revisedBy,
  });
  const keepsChecks = checks !== undefined && content.body === stored.body;
  const withChecks = keepsChecks ? { ...content, checks } : content;
  return { case: withChecks, identity: identify(withChecks) };
}

/** `input` is untrusted; throws `malformed_input` with the JSON pointer of the fault. */
export async function revise(
  ports: Ports,
  input: unknown,
  by: {
    readonly caseId: string;
    readonly executor: string;
    readonly via: Via;
    readonly run?: RunReference | null;
    /** Names this one request to revise; its own retry is answered as before. */
    readonly requestId?: string | null;
  },
): Promise<ReviseResult> {
  const { run = null, requestId = null } = by;
  const message: RevisionMessage = parseRevision(input);
  const answer = await ports.ledger.revise({
    caseId: by.caseId,
    expectedOperationId: message.expectedOperationId,
    revisedBy: message.revisedBy,
    requestId,
    via: by.via,
    run,
    revise: (stored) => revisedCase(stored, message),
  });
  if (answer.outcome === 'revised' && answer.currentOperationId) await ports.wake([answer.currentOperationId]);
  return {
    outcome: answer.outcome,
    proposal: answer.view && presentProposal(answer.view.operation),
    status: answer.view && presentStatus(answer.view, by.executor),
    currentOperationId: answer.currentOperationId,
  };
}

export interface WithdrawResult {
  readonly outcome: WithdrawOutcome;
  readonly state: State | null;
  readonly currentOperationId: string | null;
}

/** Takes a proposal back before its claim. `message` has passed `parseWithdrawal`. */
export async function withdraw(
  ports: Ports,
  message: WithdrawalMessage,
  by: { readonly caseId: string | null; readonly via: Via; readonly run?: RunReference | null },
): Promise<WithdrawResult> {
  const answer = await ports.ledger.withdraw({ ...message, ...by });
  if (answer.outcome === 'withdrawn') await ports.wake([message.operationId]);
  return answer;
}

export interface ResolveResult {
  readonly outcome: ResolveOutcome;
  readonly state: State | null;
}

/** Records an operator's word about an Unknown operation. `message` has passed `parseResolution`. */
export async function resolve(
  ports: Ports,
  message: ResolutionMessage,
  by: { readonly caseId: string | null; readonly via: Via; readonly run?: RunReference | null },
): Promise<ResolveResult> {
  // Only "did not happen" depends on the receiver: the other words count even while it cannot be reached.
  const depends = message.resolution === 'effect_did_not_happen';
  const deduplicates = depends && (await ports.receiver.describe()).declaration.deduplicates;
  const { outcome, state, unblocked } = await ports.ledger.resolve({
    ...message,
    ...by,
    reference: message.reference ?? null,
    deduplicates,
  });
  const changed = outcome === 'resolved' ? [message.operationId] : [];
  await ports.wake([...changed, ...unblocked.map(({ operationId }) => operationId)]);
  return { outcome, state };
}
