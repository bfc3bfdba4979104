/** What the arms with a ledger have in common: the product's own commands, as separate processes. */
import Database from 'better-sqlite3';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Launched } from '../../cli/demo/processes.ts';
import type { CaseInput } from '../../core/case.ts';
import { isFinal, type State } from '../../core/states.ts';
import { ExperimentFault, type Experiment } from '../experiment.ts';
import type { Change, Choice, GivenCase, Shown, Told, World } from './world.ts';

export interface Answer {
  readonly outcome?: string;
  readonly operationId?: string;
  readonly state?: State | null;
  readonly proposal?: (CaseInput & { readonly operationId: string }) | null;
  readonly error?: { readonly code: string };
  readonly result?: { readonly status: string } | null;
}

export interface Answered {
  readonly code: number | null;
  readonly answer: Answer;
}

export async function answered(launched: Launched): Promise<Answered> {
  const { exitCode, stdout } = await launched.ended;
  try {
    return { code: exitCode, answer: JSON.parse(stdout) as Answer };
  } catch {
    return { code: exitCode, answer: {} };
  }
}

/** What a reviewer read on the screen. */
export function told({ code, answer }: Answered): Told {
  const { outcome, error, state } = answer;
  if (code === null || (outcome === undefined && error === undefined)) {
    return { acknowledged: null, said: `no answer (exit ${code ?? 'by a signal'})` };
  }
  const acknowledged = outcome === 'recorded' || outcome === 'repeated';
  const said = outcome ?? error?.code ?? 'nothing';
  return { acknowledged, said: state ? `${said}, ${state} (exit ${code})` : `${said} (exit ${code})` };
}

/** Arguments of a decision; whether it is waited for is the arm's. */
export const decisionArgs = (contentId: string, { approved, reviewer }: Choice): readonly string[] =>
  approved
    ? ['approve', contentId, '--reviewer', reviewer]
    : ['decline', contentId, '--reviewer', reviewer, '--reason', 'not now'];

export async function run(x: Experiment, args: readonly string[]): Promise<Answered> {
  return answered(x.command(args));
}

/** A proposal as it was shown, as a case again. */
export function contentOf(given: GivenCase, proposal: CaseInput): CaseInput {
  const { body, evidence, policy } = proposal;
  return { ...given, body, evidence, policy };
}

export interface StoredState {
  readonly state: State;
  readonly heldBy: string | null;
}

/** Read beside the program, from the file. `null`: there is no such operation, or no ledger. */
export function storedState(x: Experiment, contentId: string): StoredState | null {
  const path = join(x.state, 'ledger.db');
  if (!existsSync(path)) return null;
  const db = new Database(path, { readonly: true, fileMustExist: true });
  try {
    const sql = `SELECT state, (SELECT o.operation_id FROM operations o WHERE o.object_id = operations.object_id
      AND o.operation_id <> operations.operation_id AND o.state IN ('Executing', 'Unknown')) AS heldBy
      FROM operations WHERE operation_id = ?`;
    return db.prepare<[string], StoredState>(sql).get(contentId) ?? null;
  } finally {
    db.close();
  }
}

/** Applies a change through `countersign revise` and answers what is shown then. */
export async function revised(world: World, shown: Shown, change: Change): Promise<CaseInput> {
  const { x } = world;
  const args = ['revise', shown.caseId, '--expected', shown.contentId, '--by', 'ines'];
  if (change.body !== undefined) args.push('--body-file', x.file('body.txt', change.body));
  if (change.evidence !== undefined) args.push('--evidence-file', x.file('evidence.json', change.evidence));
  if (change.policy !== undefined) args.push('--policy-file', x.file('policy.json', change.policy));
  const { code, answer } = await run(x, args);
  if (!answer.proposal) throw new ExperimentFault(`The revision was answered ${answer.outcome ?? code ?? 'nothing'}.`);
  return contentOf(shown.content, answer.proposal);
}

export async function setObject(
  x: Experiment,
  objectId: string,
  { version, permitted }: { readonly version?: number; readonly permitted?: boolean },
): Promise<void> {
  const args = ['object', 'set', objectId, '--version', String(version ?? 1)];
  if (permitted !== undefined) args.push(permitted ? '--permitted' : '--revoked');
  const { code } = await run(x, args);
  if (code !== 0) throw new ExperimentFault(`object set ended with ${code ?? 'a signal'}.`);
  x.note('fault', 'object-changed', { objectId, change: args.slice(3).join(' ') });
}

/** Longer than a lease and the look after it: an outcome that is still unknown then stays so by itself. */
const unknownRestsMs = 6_000;

/** Whether an operation goes on by itself no more. `sinceMs`: since when it has been in this state. */
export function rests({ state, heldBy }: StoredState, sinceMs: number): boolean {
  if (isFinal(state) || state === 'Pending') return true;
  if (state === 'Approved') return heldBy !== null;
  return state === 'Unknown' && sinceMs > unknownRestsMs;
}

/** Hands a case in that may be refused; what was shown, or `null` with the refusal in the journal. */
export async function begun(x: Experiment, given: GivenCase): Promise<CaseInput | null> {
  const { answer, code } = await run(x, ['begin', x.file('case.json', given), '--wait', '10']);
  const said = `${answer.outcome ?? answer.error?.code ?? 'nothing'} (exit ${code ?? 'by a signal'})`;
  x.note('approver', 'case-answered', { caseId: given.caseId, said });
  return answer.proposal && code === 0 ? contentOf(given, answer.proposal) : null;
}
