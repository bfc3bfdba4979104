/**
 * What may follow an attempt without a receipt, chosen by what the receiver declares (design, "What a receiver must
 * declare"). The same functions judge a live claim, explain it to a person and are explored exhaustively in tests.
 */
import type { AttemptRecord, ObservationRecord, OperationView, ResolutionRecord } from './records.ts';
import { States } from './states.ts';

export const Lookups = { authoritative: 'authoritative', eventual: 'eventual', none: 'none' } as const;
export type Lookup = (typeof Lookups)[keyof typeof Lookups];

/** A receiver's promise about itself. `retentionMs`: how long it remembers an identity; `null`: for ever. */
export interface ReceiverDeclaration {
  readonly receiverId: string;
  readonly deduplicates: boolean;
  readonly lookup: Lookup;
  readonly retentionMs: number | null;
}

export interface RecoverySettings {
  /** How long a claim is left alone before anybody may claim again, for the first attempt; doubles per attempt. */
  readonly leaseMs: number;
  readonly longestLeaseMs: number;
  /** After so many attempts only an operator decides what follows. */
  readonly attemptLimit: number;
  /** Pause before the second look; doubles per look of the same attempt. */
  readonly firstLookAgainMs: number;
  readonly longestLookAgainMs: number;
}

export const defaultRecovery: RecoverySettings = {
  leaseMs: 5_000,
  longestLeaseMs: 600_000,
  attemptLimit: 8,
  firstLookAgainMs: 1_000,
  longestLookAgainMs: 3_600_000,
};

function doubled(firstMs: number, longestMs: number, times: number): number {
  return Math.min(longestMs, firstMs * 2 ** Math.min(times, 40));
}

/** Lease of attempt number `attempt` (1 is the first), in milliseconds. Doubling bounds the rate of re-claims. */
export function leaseLengthMs(settings: RecoverySettings, attempt: number): number {
  return doubled(settings.leaseMs, settings.longestLeaseMs, attempt - 1);
}

/** Said of an absence at a receiver that has come less far than it was seen to have come. */
export const lostRecords = 'the receiver has lost records it once had';

/**
 * Why neither an absence seen now nor a second sending can be relied on, or `null` where both can. An emptied, restored
 * or swapped receiver would otherwise make an effect that happened look as if it had not, and record it once more.
 * `attempts`: all of the operation so far. Retention counts from the first one: any of them may be the one that landed.
 */
export function discountAbsence(
  attempts: readonly Pick<AttemptRecord, 'receiverId' | 'claimedAtMs'>[],
  declaration: ReceiverDeclaration,
  sequence: number | null,
  lastSeenSequence: number | null,
  nowMs: number,
): string | null {
  if (attempts.some(({ receiverId }) => receiverId !== declaration.receiverId)) {
    return 'another receiver answered than the one that was sent to';
  }
  const firstMs = attempts[0]?.claimedAtMs ?? nowMs;
  if (declaration.retentionMs !== null && nowMs - firstMs >= declaration.retentionMs) {
    return 'the receiver no longer remembers identities of that age';
  }
  if (lastSeenSequence !== null && (sequence === null || sequence < lastSeenSequence)) {
    return lostRecords;
  }
  return null;
}

export type Reclaim =
  | { readonly allowed: true }
  | {
      readonly allowed: false;
      readonly why: string;
      /** Ledger time from which it may be allowed. */ readonly fromMs: number | null;
    };

/** A new attempt needs its whole lease: one that arrives after the receiver forgot the first would be a second effect. */
function outlivesRetention(
  view: OperationView,
  { retentionMs }: ReceiverDeclaration,
  settings: RecoverySettings,
): boolean {
  if (retentionMs === null) return false;
  const firstMs = Math.min(...view.attempts.map((attempt) => attempt.claimedAtMs));
  return view.ledgerTimeMs + leaseLengthMs(settings, view.operation.attempts + 1) > firstMs + retentionMs;
}

/** The newest look and the newest operator's word since the last claim; older ones speak of another attempt. */
function sinceLastClaim(view: OperationView): {
  attempt: AttemptRecord | undefined;
  look: ObservationRecord | undefined;
  word: ResolutionRecord | undefined;
} {
  const number = view.operation.attempts;
  return {
    attempt: view.attempts.find((attempt) => attempt.attempt === number),
    look: view.observations.findLast((look) => look.attempt === number && look.finding !== 'unavailable'),
    word: view.resolutions.findLast((word) => word.attempt === number),
  };
}

/**
 * Whether an Unknown operation may be claimed again, by the receiver's table row and what was seen since.
 * `sequence`: how far the receiver says it has come now.
 */
export function judgeReclaim(
  view: OperationView,
  declaration: ReceiverDeclaration,
  sequence: number | null,
  resendWhenAbsent: boolean,
  settings: RecoverySettings,
): Reclaim {
  const no = (why: string, fromMs: number | null = null): Reclaim => ({ allowed: false, why, fromMs });
  const { attempt, look, word } = sinceLastClaim(view);
  if (view.operation.state !== States.Unknown || !attempt) return no('only an Unknown operation is claimed again');
  if (!declaration.deduplicates)
    return no('the receiver does not deduplicate: a second sending could be a second effect');
  const unreliable = discountAbsence(
    view.attempts,
    declaration,
    sequence,
    view.lastReceiverSequence,
    view.ledgerTimeMs,
  );
  if (unreliable !== null) return no(unreliable);
  if (look?.finding === 'conflict' || attempt.answer === 'conflict') {
    return no('the receiver holds another payload under this identity');
  }
  if (attempt.attempt >= settings.attemptLimit) return no('the limit of attempts is reached');
  if (declaration.lookup !== Lookups.none) {
    if (look?.finding !== 'absent') return no('no look has shown the effect to be absent');
    if (look.discounted !== null) return no(look.discounted);
  }
  if (declaration.lookup === Lookups.eventual && !resendWhenAbsent && word?.resolution !== 'effect_did_not_happen') {
    return no('absence is only a look here: the policy or an operator must say that it did not happen');
  }
  if (view.ledgerTimeMs < attempt.leaseUntilMs)
    return no('the lease of the last attempt is running', attempt.leaseUntilMs);
  if (outlivesRetention(view, declaration, settings)) {
    return no('the receiver could forget the identity before a new attempt is over');
  }
  return { allowed: true };
}

/**
 * Ledger time of the next look of an Executing or Unknown operation: backing off, bounded. An operator who said
 * `ask_again` after the last look need not wait for it.
 */
export function nextLookAtMs(view: OperationView, settings: RecoverySettings): number {
  const looks = view.observations.filter((look) => look.attempt === view.operation.attempts);
  const last = looks.at(-1);
  const word = view.resolutions.at(-1);
  const asked = last && word?.resolution === 'ask_again' && word.resolvedAtMs > last.observedAtMs;
  if (!last || asked) return view.ledgerTimeMs;
  return last.observedAtMs + doubled(settings.firstLookAgainMs, settings.longestLookAgainMs, looks.length - 1);
}
