/** Whether a reviewer's answer is recorded (contract, section 5, "decide"). */
import type { DecideOutcome } from './outcomes.ts';
import type { DecisionRecord, OperationRecord } from './records.ts';
import type { Rules } from './rules.ts';
import type { Event } from './states.ts';
import { States } from './states.ts';

/** What a decision depends on of an operation. */
export type Decidable = Pick<OperationRecord, 'operationId' | 'proposedBy' | 'state' | 'expiresAtMs' | 'decideByMs'>;

export interface DecideFacts {
  /** The operation named by the reviewer; `null` where the ledger has none of that id in that case. */
  readonly operation: Decidable | null;
  readonly decision: DecisionRecord | null;
  /** The newest operation of the case: only that one is still under review. */
  readonly currentOperationId: string | null;
  readonly approved: boolean;
  readonly reviewer: string;
  readonly requestId: string | null;
  readonly signatureValid: boolean;
  readonly rules: Rules;
  readonly nowMs: number;
}

export interface DecideVerdict {
  readonly outcome: DecideOutcome;
  readonly event: Event | null;
  /** Why `not_authorized`, for the person who asked. */
  readonly why?: string;
}

/** The instant at which an undecided proposal expires: the earlier of its own expiry and its decision deadline. */
export function decisionDeadlineMs(operation: Pick<OperationRecord, 'expiresAtMs' | 'decideByMs'>): number | null {
  const { expiresAtMs, decideByMs } = operation;
  if (expiresAtMs === null) return decideByMs;
  return decideByMs === null ? expiresAtMs : Math.min(expiresAtMs, decideByMs);
}

function unauthorized(operation: Decidable, facts: DecideFacts): string | null {
  if (facts.rules.requireSignature && !facts.signatureValid) {
    return 'this action needs a decision signed by a registered reviewer';
  }
  if (facts.approved && operation.proposedBy === facts.reviewer && !facts.rules.allowSelfApproval) {
    return 'whoever proposed or edited the content may not approve it';
  }
  return null;
}

export function judgeDecision(facts: DecideFacts): DecideVerdict {
  const { operation, decision, nowMs } = facts;
  const refused = (outcome: DecideOutcome, event: Event | null = null): DecideVerdict => ({ outcome, event });
  if (!operation) return refused('unknown_operation');
  const why = unauthorized(operation, facts);
  if (why !== null) return { outcome: 'not_authorized', event: null, why };
  if (decision) {
    if (decision.approved !== facts.approved) return refused('conflicting_decision');
    const ownRetry = facts.requestId !== null && decision.requestId === facts.requestId;
    return refused(ownRetry ? 'recorded' : 'repeated');
  }
  if (operation.state === States.Superseded || facts.currentOperationId !== operation.operationId) {
    return refused('stale_proposal');
  }
  if (operation.state === States.Expired) return refused('expired');
  if (operation.state !== States.Pending) return refused('closed');
  const deadlineMs = decisionDeadlineMs(operation);
  if (deadlineMs !== null && nowMs >= deadlineMs) return refused('expired', 'expire');
  return refused('recorded', facts.approved ? 'approve' : 'decline');
}
