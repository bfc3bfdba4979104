/** The guarantee matrix and its cells on a terminal. What an experiment recorded is shown with controls made visible. */
import Table from 'cli-table3';
import pc from 'picocolors';
import { oneLine, wholeLine } from '../cli/text.ts';
import { shareText, summarise, verdictSigns, type CellSummary, type CellVerdict } from './report/summary.ts';
import type { SituationSummary } from './report/summary.ts';
import { countsOf, establishes, mutantWarning, notApplicableMeans, shownOf } from './report/wording.ts';
import type { LabResult, RunCell } from './result.ts';

const colours: Readonly<Record<CellVerdict, (text: string) => string>> = {
  held: pc.green,
  unknown: pc.yellow,
  violated: pc.red,
  'not-applicable': pc.dim,
  'not-run': pc.dim,
};

function verdictText(verdict: CellVerdict, share: string | null = null): string {
  const { sign, word } = verdictSigns[verdict];
  return colours[verdict](`${sign} ${word}${share === null ? '' : ` ${share}`}`);
}

const cellVerdict = ({ verdict, runs }: CellSummary): string => verdictText(verdict, shareText(runs, verdict));

const titleWidth = 44;

function table(result: LabResult): string {
  const head = ['situation', ...result.arms.map(({ name }) => name.replace('platform-', 'platform-\n'))];
  const chars = { mid: '', 'left-mid': '', 'mid-mid': '', 'right-mid': '' };
  const rows = new Table({ head, chars, style: { head: [], border: [] } });
  for (const { group, situations } of summarise(result)) {
    rows.push([pc.bold(oneLine(group, titleWidth)), ...result.arms.map(() => '')]);
    for (const { name, cells } of situations) rows.push([`  ${oneLine(name, titleWidth)}`, ...cells.map(cellVerdict)]);
  }
  return rows.toString();
}

/** One line per cell, for terminals that a table does not fit into. */
function list(result: LabResult): string {
  const lines = summarise(result).flatMap(({ group, situations }) => [
    pc.bold(oneLine(group)),
    ...situations.flatMap(({ name, cells }) => [
      `  ${oneLine(name)}`,
      ...cells.map((cell) => `    ${cell.arm}: ${cellVerdict(cell)}`),
    ]),
  ]);
  return lines.join('\n');
}

function headline(result: LabResult): string[] {
  const warning = mutantWarning(result);
  const run = `Run ${oneLine(result.run)} of ${oneLine(result.startedAt)}, seed ${result.seed}, repetitions ${result.repeat}.`;
  return [run, ...(warning === null ? [] : [pc.red(oneLine(warning, 400))])];
}

/** `columns`: the terminal's width; `undefined` where there is none, as in a file. */
export function matrixText(result: LabResult, columns: number | undefined): string {
  const wide = table(result);
  // Its first line is a border: nothing in it is colour.
  const fits = columns === undefined || wide.indexOf('\n') <= columns;
  return [
    ...headline(result),
    fits ? wide : list(result),
    'A cell is the worst verdict on five promises, observed on one machine. Held does not mean that it never fails.',
  ].join('\n');
}

const indented = (lines: readonly string[]): string[] => lines.map((line) => `  ${line}`);

const part = (title: string, lines: readonly string[]): string[] => [
  pc.bold(title),
  ...indented(lines.length === 0 ? [pc.dim('nothing')] : lines),
];

function runLines(run: RunCell, { promises, mutant }: LabResult): string[] {
  const { observed } = run;
  const judged = promises.map(({ name }) => {
    const { verdict, why } = run.judgements[name];
    return `${verdictText(verdict)}  ${name}: ${wholeLine(why)}`;
  });
  const pairs = (entries: readonly (readonly [string, string])[]): string[] =>
    entries.map(([term, value]) => `${wholeLine(term)}: ${wholeLine(value)}`);
  const contents = Object.entries(observed.effects.byContent).map(
    ([content, effects]) => [`effects with content ${content}`, String(effects)] as const,
  );
  return [
    `repetition ${run.repetition}, seed ${run.seed}: ${verdictText(run.verdict)}`,
    ...indented([
      ...(run.trouble === null ? [] : [pc.red(`It did not come to its end: ${wholeLine(run.trouble)}`)]),
      ...part('promises', judged),
      ...part('counted', pairs([...countsOf(observed), ...contents])),
      ...part('shown at the end', pairs(shownOf(observed))),
      ...part('approvers were told', observed.told.map(wholeLine)),
      ...part('a person had to', observed.person.map(wholeLine)),
      wholeLine(establishes(run, mutant)),
    ]),
  ];
}

function armLines(cell: CellSummary, result: LabResult): string[] {
  if (cell.verdict === 'not-run') return [`${pc.bold(cell.arm)}: ${verdictText('not-run')}`];
  if (cell.reason !== null) {
    return [
      `${pc.bold(cell.arm)}: ${verdictText('not-applicable')}`,
      ...indented([wholeLine(cell.reason), notApplicableMeans]),
    ];
  }
  return [`${pc.bold(cell.arm)}: ${cellVerdict(cell)}`, ...indented(cell.runs.flatMap((run) => runLines(run, result)))];
}

/** The cells of the given situations, explained; each situation names its exact fault. */
export function cellsText(result: LabResult, situations: readonly SituationSummary[]): string {
  const lines = situations.flatMap(({ name, title, fault, cells }) => [
    `${pc.bold(oneLine(name))}  ${wholeLine(title)}`,
    ...indented([wholeLine(fault), ...cells.flatMap((cell) => armLines(cell, result))]),
  ]);
  return [...headline(result), ...lines].join('\n');
}
