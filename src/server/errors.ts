/** The one error this folder throws: nothing here can be relied on until a person did what the hint says. */

export class ServerError extends Error {
  /** Errors are recognised by code, never by class; the command line turns this one into exit 69. */
  readonly code = 'server_unavailable';
  readonly hint: string;

  constructor(message: string, hint: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ServerError';
    this.hint = hint;
  }
}

/** Why one step of the search for the Temporal CLI gave nothing. */
export interface FailedStep {
  readonly step: string;
  readonly reason: string;
}

/** Thrown when every step failed; `doctor` prints `steps` as a list, everybody else the one-line message. */
export class CliNotFoundError extends ServerError {
  readonly steps: readonly FailedStep[];

  constructor(message: string, hint: string, steps: readonly FailedStep[]) {
    super(message, hint);
    this.name = 'CliNotFoundError';
    this.steps = steps;
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** System calls fail with a `code` such as ENOENT; anything else has none. */
export function errnoOf(error: unknown): string | undefined {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return typeof code === 'string' ? code : undefined;
}
