/**
 * The error catalogue: every failure a person can meet, with a hint and the exit code. Expected results are outcomes
 * (outcomes.ts). Errors are recognised by `code`, never by `instanceof`: they cross processes and the workflow sandbox.
 */
import { ExitCodes } from './outcomes.ts';

export interface CatalogueEntry {
  readonly message: string;
  readonly hint: string;
  /** Whether the same call may succeed later with nothing changed by a person. */
  readonly retryable: boolean;
  readonly exitCode: number;
}

export const catalogue = {
  malformed_input: {
    message: 'The input is malformed.',
    hint: 'Correct the field named by the JSON pointer; nothing was changed.',
    retryable: false,
    exitCode: ExitCodes.usage,
  },
  usage: {
    message: 'The command line is not valid.',
    hint: 'Run the command with --help.',
    retryable: false,
    exitCode: ExitCodes.usage,
  },
  identity_mismatch: {
    message: 'The stored content does not have the identity it is stored under.',
    hint: 'Run `countersign verify`; do not execute this operation.',
    retryable: false,
    exitCode: ExitCodes.internal,
  },
  unsupported_workflow_version: {
    message: 'The operation was proposed for a workflow version that this program does not understand.',
    hint: 'Use the version of Countersign that proposed it; or withdraw it before its claim, and propose it anew in another case.',
    retryable: false,
    exitCode: ExitCodes.caseMismatch,
  },
  not_found: {
    message: 'There is no such operation or case.',
    hint: 'Run `countersign list` to see what the ledger holds.',
    retryable: false,
    exitCode: ExitCodes.notFound,
  },
  receiver_conflict: {
    message: 'The receiver holds another payload under this identity.',
    hint: 'Compare both payloads; an operator must settle it with `countersign resolve`.',
    retryable: false,
    exitCode: ExitCodes.conflict,
  },
  state_unusable: {
    message: 'The state directory cannot be used.',
    hint: 'Give a directory that this user owns and can write, with --state.',
    retryable: false,
    exitCode: ExitCodes.unreliable,
  },
  state_locked: {
    message: 'Another `countersign up` uses this state directory.',
    hint: 'Stop that one first, or give another directory with --state.',
    retryable: false,
    exitCode: ExitCodes.unreliable,
  },
  ledger_damaged: {
    message: 'The ledger cannot be read.',
    hint: 'Restore it from a backup; nothing was decided or claimed.',
    retryable: false,
    exitCode: ExitCodes.unreliable,
  },
  ledger_version: {
    message: 'The ledger was written by another version of Countersign.',
    hint: 'Use the version that wrote it, or a newer one.',
    retryable: false,
    exitCode: ExitCodes.unreliable,
  },
  ledger_restored: {
    message: 'The ledger lacks a record that a run or the receiver has seen.',
    hint: 'An older copy was restored, or this is another ledger. Look at both, then run `countersign restore --accept`.',
    retryable: false,
    exitCode: ExitCodes.unreliable,
  },
  ledger_pragmas: {
    message: 'The database did not accept the settings that durability needs.',
    hint: 'Keep the state directory on a local file system that supports write-ahead logging.',
    retryable: false,
    exitCode: ExitCodes.unreliable,
  },
  ledger_unavailable: {
    message: 'The ledger cannot be written now.',
    hint: 'Check free space and permissions of the state directory; nothing was recorded.',
    retryable: true,
    exitCode: ExitCodes.unreliable,
  },
  clock_behind: {
    message: 'The clock is more than five minutes behind the newest ledger entry.',
    hint: 'Set the clock; the ledger refuses to decide or claim at a time that has already passed.',
    retryable: true,
    exitCode: ExitCodes.unreliable,
  },
  receiver_damaged: {
    message: 'The receiver cannot be read.',
    hint: 'Restore its file from a backup; no effect was sent.',
    retryable: false,
    exitCode: ExitCodes.unreliable,
  },
  receiver_foreign: {
    message: 'The receiver belongs to another ledger.',
    hint: 'Use the ledger and receiver files that belong together.',
    retryable: false,
    exitCode: ExitCodes.unreliable,
  },
  receiver_unavailable: {
    message: 'The receiver cannot be reached now.',
    hint: 'Whether an effect happened is not known until it answers; run `countersign reconcile`.',
    retryable: true,
    exitCode: ExitCodes.unreliable,
  },
  drafter_failed: {
    message: 'The drafter answered no text that can be proposed.',
    hint: 'Nothing was proposed; propose the case again later, or with a body of its own.',
    retryable: true,
    exitCode: ExitCodes.unreliable,
  },
  server_unavailable: {
    message: 'The Temporal server cannot be reached.',
    hint: 'Run `countersign up`, set TEMPORAL_ADDRESS, or use --driver application.',
    retryable: true,
    exitCode: ExitCodes.unreliable,
  },
  internal: {
    message: 'Something failed that should not.',
    hint: 'Please report it with the output of `countersign doctor --json`.',
    retryable: false,
    exitCode: ExitCodes.internal,
  },
} as const satisfies Readonly<Record<string, CatalogueEntry>>;
export type ErrorCode = keyof typeof catalogue;

/** A failure of the catalogue. `hint` tells a person what to do; `details` is for programs. */
export class CountersignError extends Error {
  override readonly name = 'CountersignError';
  readonly code: ErrorCode;
  readonly hint: string;
  readonly details: unknown;

  constructor(code: ErrorCode, specifics?: { message?: string; hint?: string; cause?: unknown; details?: unknown }) {
    super(
      specifics?.message ?? catalogue[code].message,
      specifics?.cause === undefined ? {} : { cause: specifics.cause },
    );
    this.code = code;
    this.hint = specifics?.hint ?? catalogue[code].hint;
    this.details = specifics?.details;
  }
}

/** The catalogue code of anything thrown, or `null` for a failure that is not in the catalogue. */
export function errorCode(thrown: unknown): ErrorCode | null {
  if (typeof thrown !== 'object' || thrown === null || !('code' in thrown)) return null;
  const { code } = thrown;
  return typeof code === 'string' && Object.hasOwn(catalogue, code) ? (code as ErrorCode) : null;
}
