/** The one table from the error catalogue to what Temporal sees: type, retryable or not, and details for programs. */
import { ApplicationFailure } from '@temporalio/common';
import { catalogue, errorCode } from '../src/core/errors.ts';
import type { Parsed } from '../src/core/messages.ts';

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
 * Only the caller's own fault ends a run, or what this program will never understand. Everything else is retried until somebody mends it: a worker that was started
 * on a wrong, empty or damaged ledger must not end the reviews of those who wait. Retrying is safe: the ledger decides.
 */
const lasting: readonly string[] = ['malformed_input', 'usage', 'unsupported_workflow_version'];

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
    nonRetryable: lasting.includes(code),
    details: [details],
    cause: thrown,
  });
}

/**
 * The value of a well-shaped message. Checked here once more: any workflow of the namespace can have an activity called,
 * and need not have asked the handlers of `reviewOperation` first.
 */
export function accepted<T>(parsed: Parsed<T>): T {
  if (parsed.ok) return parsed.value;
  const { pointer, message } = parsed;
  const details: FailureDetails = { hint: catalogue.malformed_input.hint, pointer };
  throw ApplicationFailure.create({
    message: `${pointer || 'The message'} ${message}.`,
    type: 'malformed_input',
    nonRetryable: true,
    details: [details],
  });
}
