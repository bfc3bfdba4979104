/** The one table from the error catalogue to what Temporal sees: type, retryable or not, and details for programs. */
import { ApplicationFailure } from '@temporalio/common';
import { catalogue, errorCode } from '../src/core/errors.ts';

export interface FailureDetails {
  readonly hint: string;
  /** JSON pointer of the fault, for malformed input. */
  readonly pointer: string | null;
}

const textOf = (thrown: object, key: string): string | null => {
  const value = (thrown as Record<string, unknown>)[key];
  return typeof value === 'string' ? value : null;
};

/**
 * Only the caller's own fault ends a run. Everything else is retried until somebody mends it: a worker that was started
 * on a wrong, empty or damaged ledger must not end the reviews of those who wait. Retrying is safe: the ledger decides.
 */
const callersFault: readonly string[] = ['malformed_input', 'usage'];

/** Anything thrown, as an ApplicationFailure whose `type` is the catalogue code; unknown failures pass unchanged. */
export function asApplicationFailure(thrown: unknown): unknown {
  if (thrown instanceof ApplicationFailure) return thrown;
  const code = errorCode(thrown);
  if (code === null || !(thrown instanceof Error)) return thrown;
  const details: FailureDetails = {
    hint: textOf(thrown, 'hint') ?? catalogue[code].hint,
    pointer: textOf(thrown, 'pointer'),
  };
  return ApplicationFailure.create({
    message: thrown.message,
    type: code,
    nonRetryable: callersFault.includes(code),
    details: [details],
    cause: thrown,
  });
}
