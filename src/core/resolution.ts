/** What an operator's word about an Unknown operation does (contract, section 5, "resolve"). */
import type { ResolveOutcome } from './outcomes.ts';
import type { OperationRecord, Resolution } from './records.ts';
import type { Event } from './states.ts';
import { States } from './states.ts';

export interface ResolveFacts {
  readonly operation: OperationRecord | null;
  readonly authorized: boolean;
  readonly resolution: Resolution;
  readonly deduplicates: boolean;
}

export interface ResolveVerdict {
  readonly outcome: ResolveOutcome;
  /** `null` with `resolved`: the word is stored and the operation stays Unknown, to be asked or claimed again. */
  readonly event: Event | null;
}

function eventOf(resolution: Resolution, deduplicates: boolean): Event | null {
  switch (resolution) {
    case 'effect_happened':
      return 'effect_happened';
    case 'abandon':
      return 'abandon';
    case 'effect_did_not_happen':
      // A receiver that deduplicates may be sent the same again; one that does not never is.
      return deduplicates ? null : 'abandon';
    case 'ask_again':
      return null;
  }
}

export function judgeResolution(facts: ResolveFacts): ResolveVerdict {
  if (!facts.operation) return { outcome: 'unknown_operation', event: null };
  if (!facts.authorized) return { outcome: 'not_authorized', event: null };
  if (facts.operation.state !== States.Unknown) return { outcome: 'not_unknown', event: null };
  return { outcome: 'resolved', event: eventOf(facts.resolution, facts.deduplicates) };
}
