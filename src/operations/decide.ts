/** Use case `decide`: a reviewer's answer to one exact proposal, written once. */
import type { ApprovalMessage } from '../core/messages.ts';
import type { DecideOutcome } from '../core/outcomes.ts';
import { presentDecision, type Decision } from '../core/presentation.ts';
import type { State } from '../core/states.ts';
import type { RunReference, Via } from '../ports/ledger.ts';
import type { Ports } from './ports.ts';

export interface DecideBy {
  /** Where given, only operations of this case can be decided. */
  readonly caseId: string | null;
  /** Names this one attempt to decide; its own retry is answered `recorded` again. */
  readonly requestId: string | null;
  readonly via: Via;
  /** The run that asks, where one does. */
  readonly run?: RunReference | null;
}

export interface DecideResult {
  readonly outcome: DecideOutcome;
  readonly operationId: string;
  readonly why: string | null;
  readonly decision: Decision | null;
  readonly state: State | null;
  readonly currentOperationId: string | null;
  readonly headHash: string | null;
}

/**
 * `message` has passed `parseApproval`. Outcomes of contract section 5; every race is settled by the first commit. Other
 * runs of the operation are not told here: whoever asks knows whether it executes at once, and then tells how that ended.
 */
export async function decide(ports: Ports, message: ApprovalMessage, by: DecideBy): Promise<DecideResult> {
  const answer = await ports.ledger.decide({
    caseId: by.caseId,
    operationId: message.operationId,
    approved: message.approved,
    reviewer: message.reviewer,
    reason: message.reason ?? null,
    signature: message.signature ?? null,
    requestId: by.requestId,
    via: by.via,
    run: by.run ?? null,
  });
  return {
    outcome: answer.outcome,
    operationId: message.operationId,
    why: answer.why,
    decision: answer.decision && presentDecision(answer.decision),
    state: answer.state,
    currentOperationId: answer.currentOperationId,
    headHash: answer.headHash,
  };
}
