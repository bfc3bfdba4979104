/** What a receipt or a look at the receiver does to an operation. Evidence always counts; the fence stops only guesses. */
import type { Finding, OperationRecord, ReceiverAnswer } from './records.ts';
import type { Event } from './states.ts';
import { States, holdsObject } from './states.ts';

export interface EvidenceVerdict {
  readonly event: Event | null;
  /** The evidence says the opposite of a final state: it is stored and shown, and the state stays. */
  readonly contradiction: boolean;
}

/** States that claim "no effect": evidence of one contradicts them. */
const withoutEffect: readonly string[] = [
  States.Declined,
  States.Superseded,
  States.Expired,
  States.Denied,
  States.Withdrawn,
  States.Abandoned,
  States.Pending,
  States.Approved,
];

function matching(operation: OperationRecord): EvidenceVerdict {
  if (holdsObject(operation.state)) return { event: 'matching_evidence', contradiction: false };
  return { event: null, contradiction: withoutEffect.includes(operation.state) };
}

/** No matching evidence moves only the attempt it is about: an old attempt's silence says nothing about a newer one. */
function missing(operation: OperationRecord, attempt: number): EvidenceVerdict {
  const own = operation.attempts === attempt;
  return { event: own && holdsObject(operation.state) ? 'no_evidence' : null, contradiction: false };
}

/** The receiver's own answer to attempt `attempt`, however late it comes. */
export function judgeReceipt(operation: OperationRecord, attempt: number, answer: ReceiverAnswer): EvidenceVerdict {
  if (answer !== 'conflict') return matching(operation);
  return { ...missing(operation, attempt), contradiction: operation.state === States.Completed };
}

/**
 * A look at the receiver. An absence that proves something contradicts Completed: the receiver once held the effect.
 * `proves`: the look-up is authoritative and its absence is not discounted; any other absence contradicts nothing.
 */
export function judgeLook(
  operation: OperationRecord,
  attempt: number,
  finding: Finding,
  proves: boolean,
): EvidenceVerdict {
  switch (finding) {
    case 'matching':
      return matching(operation);
    case 'unavailable':
      return missing(operation, attempt);
    case 'conflict':
      return { ...missing(operation, attempt), contradiction: operation.state === States.Completed };
    case 'absent':
      return {
        ...missing(operation, attempt),
        contradiction: operation.state === States.Completed && proves,
      };
  }
}
