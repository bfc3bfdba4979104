/** `compare`: the guarantee matrix of a run of the lab, and what stands behind its cells. Starts nothing, changes nothing. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { CountersignError } from '../../core/errors.ts';
import { ExitCodes } from '../../core/outcomes.ts';
import { cellsText, matrixText } from '../../lab/matrix.ts';
import { armNames } from '../../lab/names.ts';
import { readLabResult } from '../../lab/report/read-result.ts';
import { summarise, type CellSummary, type SituationSummary } from '../../lab/report/summary.ts';
import type { LabResult } from '../../lab/result.ts';
import { action } from '../command.ts';

interface CompareOptions {
  readonly run?: string;
  readonly situation?: string;
  readonly arm?: string;
}

const defaultPlace = join('out', 'lab');
const resultName = 'result.json';

/** Names in a directory; none where there is no directory. Throws `state_unusable`. */
function namesIn(place: string): string[] {
  try {
    return statSync(place, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(place) : [];
  } catch (cause) {
    const hint = 'Name the directory of a run with --run.';
    throw new CountersignError('state_unusable', {
      message: `${place} cannot be read (${String(cause)}).`,
      hint,
      cause,
    });
  }
}

/** The run whose result was written last. Throws `not_found`. */
function lastRun(place: string): string {
  const results = namesIn(place)
    .map((name) => join(place, name, resultName))
    .filter((path) => existsSync(path));
  const newest = results
    .map((path) => ({ path, atMs: statSync(path).mtimeMs }))
    .toSorted((a, b) => b.atMs - a.atMs || (a.path < b.path ? 1 : -1))[0];
  if (newest) return newest.path;
  throw new CountersignError('not_found', {
    message: `There is no run of the lab in ${place}.`,
    hint: 'Run `countersign lab` first, or name its directory with --run.',
  });
}

function resultOf(directory: string): string {
  const path = join(directory, resultName);
  if (existsSync(path)) return path;
  throw new CountersignError('not_found', {
    message: `${path} does not exist.`,
    hint: 'Name the directory of a run of `countersign lab`.',
  });
}

/** Throws `not_found` where the run has no such situation or arm, `usage` where there is no such arm at all. */
function chosen(result: LabResult, { situation, arm }: CompareOptions): SituationSummary[] {
  if (arm !== undefined && !(armNames as readonly string[]).includes(arm)) {
    throw new CountersignError('usage', {
      message: `There is no arm ${JSON.stringify(arm)}.`,
      hint: `The arms are ${armNames.join(', ')}.`,
    });
  }
  const all = summarise(result).flatMap(({ situations }) => situations);
  const found = all
    .filter(({ name }) => situation === undefined || name === situation)
    .map((summary) => ({ ...summary, cells: summary.cells.filter((cell) => arm === undefined || cell.arm === arm) }))
    .filter(({ cells }) => cells.length > 0);
  if (found.length > 0) return found;
  throw new CountersignError('not_found', {
    message: `The run ${JSON.stringify(result.run)} has no ${JSON.stringify(situation ?? arm)}.`,
    hint: 'Run `countersign compare` without options to see what it has.',
  });
}

/** `verdict`: the worst of all repetitions. */
const verdictOf = ({ arm, verdict, reason, runs }: CellSummary) => ({
  arm,
  verdict,
  reason,
  repetitions: runs.map((run) => run.verdict),
});

/** The same as the text: the matrix, and with a choice the cells whole, but for their timelines. */
function documentOf(result: LabResult, path: string, cells: readonly SituationSummary[] | null) {
  const { run, startedAt, seed, repeat, mutant, versions, machine } = result;
  const matrix = summarise(result).flatMap(({ group, situations }) =>
    situations.map(({ name, title, fault, cells: row }) => ({ group, name, title, fault, arms: row.map(verdictOf) })),
  );
  const explained = cells?.map(({ name, cells: row }) => ({
    name,
    arms: row.map((cell) => ({
      ...verdictOf(cell),
      runs: cell.runs.map(({ timeline: _timeline, ...run }) => run),
    })),
  }));
  return { run, path, startedAt, seed, repeat, mutant, versions, machine, matrix, ...(explained ? { explained } : {}) };
}

export const compare = action<CompareOptions, []>(async ({ context }, options) => {
  const path = options.run === undefined ? lastRun(defaultPlace) : resultOf(options.run);
  const result = readLabResult(path);
  const explains = options.situation !== undefined || options.arm !== undefined;
  const cells = explains ? chosen(result, options) : null;
  context.out.answer(documentOf(result, path, cells), () =>
    cells === null ? matrixText(result, process.stdout.columns) : cellsText(result, cells),
  );
  return ExitCodes.done;
});
