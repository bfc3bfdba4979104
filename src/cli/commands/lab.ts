/** Command `lab`: carries out the experiments and writes their result. What a cell brings is no failure of the command. */
import { rmSync } from 'node:fs';
import process from 'node:process';
import pc from 'picocolors';
import { ExitCodes } from '../../core/outcomes.ts';
import { findRoot } from '../../lab/experiment.ts';
import { matrixText } from '../../lab/matrix.ts';
import { buildMutant } from '../../lab/mutants/build.ts';
import { mutants } from '../../lab/mutants/list.ts';
import type { Mutant } from '../../lab/mutants/mutant.ts';
import { arms } from '../../lab/names.ts';
import { select } from '../../lab/plan.ts';
import { writeReport } from '../../lab/report/write.ts';
import type { LabResult, RunCell } from '../../lab/result.ts';
import { makePlaceForRuns, makeRunDirectory, placeFault } from '../../lab/run-directory.ts';
import { runLab } from '../../lab/run.ts';
import { situations } from '../../lab/situations/index.ts';
import { findTemporalCli } from '../../server/index.ts';
import { action, wholeNumber } from '../command.ts';
import type { Context } from '../context.ts';

interface LabOptions {
  readonly arm?: string;
  readonly list?: boolean;
  readonly small?: boolean;
  readonly seed?: string;
  readonly repeat: string;
  readonly jobs: string;
  readonly keep?: boolean;
  readonly mutant?: string;
  readonly out: string;
}

/** As shells report an end by Ctrl-C. */
const exitCodeOfSignal = 130;

const listed = {
  situations: situations.map(({ name, title, fault, group, absent }) => ({
    name,
    title,
    fault,
    group,
    notApplicable: absent ?? {},
  })),
  arms: Object.entries(arms).map(([name, title]) => ({ name, title })),
  mutants: mutants.map(({ name, bug, situation, arm, promise }) => ({ name, bug, situation, arm, promise })),
};

function listText(): string {
  const lines = <T extends { readonly name: string }>(title: string, all: readonly T[], say: (one: T) => string) => [
    title,
    ...all.map((one) => `  ${one.name.padEnd(38)} ${say(one)}`),
  ];
  return [
    ...lines('Situations', listed.situations, ({ title }) => title),
    ...lines('Arms', listed.arms, ({ title }) => title),
    ...lines('Mutants', listed.mutants, ({ bug }) => bug),
  ].join('\n');
}

const cellText = ({ situation, arm, verdict, seconds, trouble }: RunCell): string =>
  `${verdict.padEnd(8)} ${situation} / ${arm} (${seconds} s)${trouble === null ? '' : `: ${trouble}`}`;

/** Whether the mutant broke the promise it is there to break. */
function caught(mutant: Mutant, { cells }: LabResult): boolean {
  return cells.some((cell) => cell.applicable && cell.judgements[mutant.promise].verdict === 'violated');
}

/**
 * The first signal lets the experiments that run come to their end, and begins no more. The second ends this process;
 * watchdogs end the experiments' own.
 */
function stopping(): { readonly stopped: () => boolean; readonly forget: () => void } {
  let received = false;
  const stop = (): void => {
    if (received) process.exit(exitCodeOfSignal);
    received = true;
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
  const forget = (): void => {
    process.removeListener('SIGINT', stop).removeListener('SIGTERM', stop);
  };
  return { stopped: () => received, forget };
}

async function carryOut(context: Context, options: LabOptions, name: string | undefined) {
  const selection = select({ name, arm: options.arm, mutant: options.mutant, small: options.small });
  const { mutant } = selection;
  const seed = wholeNumber('--seed', options.seed ?? String(Date.now() % 2 ** 31), 0, 2 ** 31 - 1);
  const repeat = wholeNumber('--repeat', options.repeat, 1, 100);
  const jobs = wholeNumber('--jobs', options.jobs, 1, 16);
  makePlaceForRuns(options.out);
  const cli = await findTemporalCli({ env: context.env, log: (line) => context.out.note(line) });
  const directory = makeRunDirectory(options.out, new Date(), mutant?.name ?? null);
  const root = mutant ? `${directory}-sources` : findRoot();
  const progress = context.out.progress('Experiments');
  const { stopped, forget } = stopping();
  try {
    if (mutant) buildMutant(mutant, findRoot(), root);
    return await runLab({
      ...selection,
      ...{ directory, seed, repeat, jobs, cli, root, stopped, keep: options.keep ?? false },
      mutant: mutant?.name ?? null,
      done: (cell, finished, planned) => progress.line(cellText(cell), `${finished} of ${planned}`),
    }).then((result) => ({ result, mutant, directory, report: writeReport(directory, result), stopped: stopped() }));
  } catch (thrown) {
    throw placeFault(options.out, thrown);
  } finally {
    progress.end();
    forget();
    if (mutant && !options.keep) rmSync(root, { recursive: true, force: true });
  }
}

function exitCodeOf(result: LabResult, mutant: Mutant | null, stopped: boolean): number {
  if (stopped) return exitCodeOfSignal;
  if (mutant) return caught(mutant, result) ? ExitCodes.done : ExitCodes.internal;
  const unknown = result.cells.some((cell) => cell.applicable && cell.verdict === 'unknown');
  return unknown ? ExitCodes.unknown : ExitCodes.done;
}

export const lab = action<LabOptions, [string | undefined]>(async ({ context }, options, name) => {
  if (options.list) {
    context.out.answer(listed, listText);
    return ExitCodes.done;
  }
  const { result, mutant, directory, report, stopped } = await carryOut(context, options, name);
  const counts = Object.fromEntries(
    ['held', 'violated', 'unknown'].map((verdict) => [
      verdict,
      result.cells.filter((cell) => cell.applicable && cell.verdict === verdict).length,
    ]),
  );
  const answer = {
    run: result.run,
    directory,
    report,
    seed: result.seed,
    seconds: result.seconds,
    cells: counts,
    stopped,
  };
  context.out.answer(mutant ? { ...answer, mutant: mutant.name, caught: caught(mutant, result) } : answer, () =>
    [
      matrixText(result, process.stdout.columns),
      ...(mutant ? [`Mutant ${mutant.name}: ${caught(mutant, result) ? 'caught' : pc.red('not caught')}.`] : []),
      ...(stopped ? ['Stopped; what had begun came to its end.'] : []),
      `Seed ${result.seed}, ${result.seconds} s. Report: ${report}`,
    ].join('\n'),
  );
  return exitCodeOf(result, mutant, stopped);
});
