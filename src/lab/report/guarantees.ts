/**
 * The verdicts of one run that are kept with the docs, and whether another run agrees with them. No timings, nothing of
 * the machine: what is left should come out the same elsewhere.
 */
import { z } from 'zod';
import { CountersignError } from '../../core/errors.ts';
import { jsonPointer } from '../../identity/input-error.ts';
import { armNames, promiseNames, verdicts, worst, type PromiseName } from '../names.ts';
import type { LabResult } from '../result.ts';
import { promiseVerdicts, summarise, type CellSummary, type CellVerdict } from './summary.ts';

const text = z.string();
const judged = z.record(z.enum(promiseNames), z.enum(verdicts));

const keptCell = z.discriminatedUnion('applicable', [
  z.strictObject({ situation: text, arm: z.enum(armNames), applicable: z.literal(true), promises: judged }),
  z.strictObject({ situation: text, arm: z.enum(armNames), applicable: z.literal(false), reason: text }),
]);

const guarantees = z.strictObject({
  format: z.literal('countersign.guarantees.v1'),
  startedAt: text,
  seed: z.number(),
  repeat: z.int().min(1),
  versions: z.record(text, text),
  situations: z.array(z.strictObject({ name: text, title: text, fault: text, group: text })),
  arms: z.array(z.strictObject({ name: z.enum(armNames), title: text })),
  promises: z.array(z.strictObject({ name: z.enum(promiseNames), title: text })),
  cells: z.array(keptCell),
});

export type Guarantees = Readonly<z.infer<typeof guarantees>>;
export type KeptCell = Guarantees['cells'][number];

function refuse(reason: string): never {
  throw new CountersignError('malformed_input', { message: reason, hint: 'Run `countersign lab` whole, then again.' });
}

function kept(cell: CellSummary): KeptCell | null {
  const { situation, arm, verdict, reason, runs } = cell;
  if (verdict === 'not-run') return null;
  if (reason !== null) return { situation, arm, applicable: false, reason };
  return { situation, arm, applicable: true, promises: promiseVerdicts(runs) };
}

const cellsOf = (result: LabResult): readonly CellSummary[] =>
  summarise(result).flatMap(({ situations }) => situations.flatMap(({ cells }) => cells));

/**
 * What is kept of a whole run: every arm, every one of `situations`. Throws `malformed_input` for one that left anything
 * out, since the page would silently lose it, and for one with a mutant.
 */
export function guaranteesOf(result: LabResult, situations: readonly string[]): Guarantees {
  if (result.mutant !== null) refuse(`A run with the mutant ${result.mutant} says nothing of the product.`);
  const ran = new Set<string>([...result.situations, ...result.arms].map(({ name }) => name));
  const lacking = [...situations, ...armNames].find((name) => !ran.has(name));
  if (lacking !== undefined) refuse(`The run left ${lacking} out.`);
  const cells = cellsOf(result).map((cell) => kept(cell) ?? refuse(`${cell.situation} was not run in ${cell.arm}.`));
  const { startedAt, seed, repeat, versions, arms, promises } = result;
  const about = { format: 'countersign.guarantees.v1' as const, startedAt, seed, repeat, versions };
  return {
    ...about,
    situations: result.situations.map(({ name, title, fault, group }) => ({ name, title, fault, group })),
    arms: [...arms],
    promises: [...promises],
    cells,
  };
}

/** @throws `malformed_input` with the JSON pointer of the first fault. */
export function guaranteesFrom(value: unknown): Guarantees {
  const parsed = guarantees.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const place = jsonPointer((issue?.path ?? []).map((step) => (typeof step === 'number' ? step : String(step))));
  return refuse(`The kept verdicts have another shape: ${place} ${issue?.message ?? ''}`);
}

export interface ChangedVerdict {
  readonly situation: string;
  readonly arm: string;
  /** `null`: whether the arm can express the situation at all. */
  readonly promise: PromiseName | null;
  readonly committed: CellVerdict;
  readonly fresh: CellVerdict;
}

type Kept = KeptCell | null;

/** The worst verdict; `not-run` where nothing is kept of the combination. */
export function overall(cell: Kept): CellVerdict {
  if (cell === null) return 'not-run';
  return cell.applicable ? worst(Object.values(cell.promises)) : 'not-applicable';
}

function changesOf(committed: Kept, fresh: KeptCell): ChangedVerdict[] {
  const { situation, arm } = fresh;
  if (!committed?.applicable || !fresh.applicable) {
    const [before, after] = [overall(committed), overall(fresh)];
    return before === after ? [] : [{ situation, arm, promise: null, committed: before, fresh: after }];
  }
  const { promises: before } = committed;
  const { promises: after } = fresh;
  return promiseNames
    .filter((promise) => before[promise] !== after[promise])
    .map((promise) => ({ situation, arm, promise, committed: before[promise], fresh: after[promise] }));
}

/**
 * Every verdict of a fresh run, which may be a small one, that differs from the committed one or has none there.
 * Throws `malformed_input` for a run that compares nothing: with a mutant, or without a cell.
 */
export function changedVerdicts(committed: Guarantees, fresh: LabResult): readonly ChangedVerdict[] {
  if (fresh.mutant !== null) refuse(`A run with the mutant ${fresh.mutant} says nothing of the product.`);
  const cells = cellsOf(fresh)
    .map(kept)
    .filter((cell) => cell !== null);
  if (cells.length === 0) refuse('The run has no cells.');
  return cells.flatMap((cell) => {
    const known = committed.cells.find(({ situation, arm }) => situation === cell.situation && arm === cell.arm);
    return changesOf(known ?? null, cell);
  });
}
