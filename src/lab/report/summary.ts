/** What is said of all repetitions of one situation in one arm, and of a whole run. Pure. */
import { promiseNames, worst, type ArmName, type PromiseName, type Verdict } from '../names.ts';
import type { Cell, LabResult, RunCell, SituationInfo } from '../result.ts';

/** `not-run`: this run left the combination out. */
export type CellVerdict = Verdict | 'not-applicable' | 'not-run';

/** A verdict never rests on its colour alone. */
export const verdictSigns: Readonly<Record<CellVerdict, { readonly word: string; readonly sign: string }>> = {
  held: { word: 'held', sign: '✓' },
  unknown: { word: 'unknown', sign: '?' },
  violated: { word: 'violated', sign: '✗' },
  'not-applicable': { word: 'not applicable', sign: '–' },
  'not-run': { word: 'not run', sign: '·' },
};

export interface CellSummary {
  readonly situation: string;
  readonly arm: ArmName;
  /** The worst of all repetitions. */
  readonly verdict: CellVerdict;
  readonly runs: readonly RunCell[];
  /** Why it cannot be expressed; `null` unless not applicable. */
  readonly reason: string | null;
}

export interface SituationSummary extends SituationInfo {
  /** One per arm, in the order of the result's arms. */
  readonly cells: readonly CellSummary[];
}

export interface GroupSummary {
  readonly group: string;
  readonly situations: readonly SituationSummary[];
}

const keyOf = (situation: string, arm: string): string => `${situation}\n${arm}`;

function summaryOf(situation: string, arm: ArmName, cells: readonly Cell[]): CellSummary {
  const runs = cells.filter((cell) => cell.applicable);
  const absent = cells.find((cell) => !cell.applicable);
  if (runs.length > 0)
    return { situation, arm, verdict: worst(runs.map(({ verdict }) => verdict)), runs, reason: null };
  return { situation, arm, verdict: absent ? 'not-applicable' : 'not-run', runs, reason: absent?.reason ?? null };
}

/** Groups and situations in the order of the result. */
export function summarise(result: Pick<LabResult, 'situations' | 'arms' | 'cells'>): readonly GroupSummary[] {
  const cells = new Map<string, Cell[]>();
  for (const cell of result.cells) {
    const key = keyOf(cell.situation, cell.arm);
    const known = cells.get(key);
    if (known) known.push(cell);
    else cells.set(key, [cell]);
  }
  const groups = new Map<string, SituationSummary[]>();
  for (const situation of result.situations) {
    const { name } = situation;
    const row = result.arms.map((arm) => summaryOf(name, arm.name, cells.get(keyOf(name, arm.name)) ?? []));
    const summary = { ...situation, cells: row };
    const known = groups.get(situation.group);
    if (known) known.push(summary);
    else groups.set(situation.group, [summary]);
  }
  return [...groups].map(([group, situations]) => ({ group, situations }));
}

/** The worst verdict on each promise over all repetitions. */
export function promiseVerdicts(runs: readonly RunCell[]): Readonly<Record<PromiseName, Verdict>> {
  const entries = promiseNames.map((name) => [name, worst(runs.map(({ judgements }) => judgements[name].verdict))]);
  return Object.fromEntries(entries) as Record<PromiseName, Verdict>;
}

/** `violated in 1 of 3`, where there is more than one repetition. */
export function shareText(runs: readonly RunCell[], verdict: CellVerdict): string | null {
  if (runs.length < 2) return null;
  return `in ${runs.filter((run) => run.verdict === verdict).length} of ${runs.length}`;
}
