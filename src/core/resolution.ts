/** What an operator's word about an Unknown operation does (contract, section 5, "resolve"). */
import type { ResolveOutcome } from './outcomes.ts';
import type { OperationRecord, Resolution, ResolutionRecord } from './records.ts';
import type { Event, State } from './states.ts';
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

/** Where a word that settles an operation leaves it; the others leave it Unknown. */
const settledState: Readonly<Record<Resolution, State | null>> = {
  effect_happened: States.Completed,
  effect_did_not_happen: States.Abandoned,
  abandon: States.Abandoned,
  ask_again: null,
};

/**
 * Whether this very word, on record as the `last` one, settled the operation. Whoever says it again because the answer
 * was lost is told `resolved`, and nothing is written: that somebody else had settled it would be untrue.
 */
export function settledBy(
  state: State,
  last: ResolutionRecord | undefined,
  said: Pick<ResolutionRecord, 'resolution' | 'operator' | 'reason' | 'reference'>,
): boolean {
  if (last === undefined || settledState[last.resolution] !== state) return false;
  return (['resolution', 'operator', 'reason', 'reference'] as const).every((key) => last[key] === said[key]);
}
