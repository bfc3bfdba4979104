/** Runs one command: context, driver, exit code, clean-up. Commands only say what they do. */
import process from 'node:process';
import type { Command } from 'commander';
import { CountersignError } from '../core/errors.ts';
import { textLimits } from '../core/messages.ts';
import { exitCodeOfOutcome, ExitCodes, type Outcome } from '../core/outcomes.ts';
import type { OperationView } from '../core/records.ts';
import type { State } from '../core/states.ts';
import { isOperationId } from '../identity/index.ts';
import { longerThan } from '../identity/limits.ts';
import { createContext, type Context, type Embedding, type GlobalOptions } from './context.ts';
import type { Driver } from './drivers/driver.ts';

export interface Invocation {
  readonly context: Context;
  /** Opened on first use: a command that needs no driver loads none. */
  readonly driver: () => Promise<Driver>;
}

const embeddings = new WeakMap<Command, Embedding>();

/** For every command below `program`. */
export function embed(program: Command, embedding: Embedding): void {
  embeddings.set(program, embedding);
}

function embeddingOf(command: Command): Embedding {
  return embeddings.get(command) ?? (command.parent ? embeddingOf(command.parent) : {});
}

async function openDriver(context: Context): Promise<Driver> {
  if (context.driver === 'application') return (await import('./drivers/application.ts')).applicationDriver(context);
  return (await import('./drivers/temporal.ts')).temporalDriver(context);
}

/** An action for commander: `act` returns the exit code; anything thrown is reported with its code and hint. */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- commander passes untyped arguments; the command says what they are
export function action<Options, Args extends (string | undefined)[]>(
  act: (invocation: Invocation, options: Options, ...args: Args) => Promise<number>,
): (...given: unknown[]) => Promise<void> {
  return async (...given) => {
    const command = given.at(-1) as Command;
    const args = given.slice(0, -2) as Args;
    const options = command.optsWithGlobals<GlobalOptions & Options>();
    const context = createContext(options, embeddingOf(command));
    let driver: Promise<Driver> | null = null;
    try {
      process.exitCode = await act({ context, driver: () => (driver ??= openDriver(context)) }, options, ...args);
    } catch (thrown) {
      process.exitCode = context.out.failure(thrown);
    } finally {
      await (await (driver as Promise<Driver> | null)?.catch(() => null))?.close();
      context.close();
    }
  };
}

/** The exit code of a state in which a command left an operation (contract, section 6). */
function exitCodeOfState(state: State): number {
  switch (state) {
    case 'Unknown':
      return ExitCodes.unknown;
    case 'Expired':
    case 'Denied':
    case 'Superseded':
      return ExitCodes.refused;
    case 'Withdrawn':
    case 'Abandoned':
      return ExitCodes.conflict;
    default:
      return ExitCodes.done;
  }
}

/** Whether the receiver holds another payload under this identity: no waiting settles that, only an operator. */
function inConflict({ operation, attempts, observations }: OperationView): boolean {
  if (operation.state !== 'Unknown') return false;
  return attempts.at(-1)?.answer === 'conflict' || observations.at(-1)?.finding === 'conflict';
}

export const exitCodeOfView = (view: OperationView): number =>
  inConflict(view) ? ExitCodes.conflict : exitCodeOfState(view.operation.state);

export const exitCodeOf = (outcome: Outcome): number => exitCodeOfOutcome[outcome];

/** Reads a case or an operation. Throws `not_found`. */
export async function find(context: Context, idOrCase: string): Promise<OperationView> {
  const { ledger } = context.ports();
  const view = isOperationId(idOrCase) ? await ledger.view(idOrCase) : await ledger.current(idOrCase);
  if (view) return view;
  throw new CountersignError('not_found', {
    message: isOperationId(idOrCase)
      ? `The ledger has no operation ${idOrCase}.`
      : `The ledger has no case ${JSON.stringify(idOrCase)}.`,
  });
}

/** An operation id as typed. Throws `malformed_input`, so that a typing error is not reported as an unknown operation. */
export function operationIdFrom(text: string): string {
  if (isOperationId(text)) return text;
  throw new CountersignError('malformed_input', {
    message: `${JSON.stringify(text)} is not an operation identity.`,
    hint: 'An operation identity is op-v1- and 64 lower-case hex digits; `countersign list --json` shows them whole.',
  });
}

/** A whole number of an option. Throws `usage`. */
export function wholeNumber(name: string, text: string, least: number, most: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw new CountersignError('usage', {
    message: `${name} takes a whole number from ${least} to ${most}, not ${JSON.stringify(text)}.`,
  });
}

/** A name as a case may hold it: an object that no case can name is of no use. Throws `usage`. */
export function name(what: string, text: string): string {
  if (text !== '' && !longerThan(text, textLimits.name) && !/\p{Cc}/u.test(text)) return text;
  throw new CountersignError('usage', {
    message: `${what} takes 1 to ${textLimits.name} characters, none of them a control character.`,
  });
}

/** A message's value, or `malformed_input` with the pointer of the fault. */
export function wellShaped<T>(parsed: { ok: true; value: T } | { ok: false; pointer: string; message: string }): T {
  if (parsed.ok) return parsed.value;
  throw new CountersignError('malformed_input', { message: `${parsed.pointer || 'the message'} ${parsed.message}.` });
}
