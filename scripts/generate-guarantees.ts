/**
 * docs/guarantees.md, from the verdicts of one run of the lab, which are kept in docs/guarantees.json.
 *
 *     node --import tsx scripts/generate-guarantees.ts                the page, from the kept verdicts
 *     node --import tsx scripts/generate-guarantees.ts --from RUN     first keeps the verdicts of the run in that directory
 *     node --import tsx scripts/generate-guarantees.ts --check        fails where the page is not what the verdicts say
 *     node --import tsx scripts/generate-guarantees.ts --against RUN  fails where that run, a small one too, found another verdict
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { format } from 'prettier';
import { wholeLine } from '../src/cli/text.ts';
import { CountersignError } from '../src/core/errors.ts';
import {
  changedVerdicts,
  guaranteesFrom,
  guaranteesOf,
  overall,
  type ChangedVerdict,
  type Guarantees,
  type KeptCell,
} from '../src/lab/report/guarantees.ts';
import type { ArmName, PromiseName, Verdict } from '../src/lab/names.ts';
import { readLabResult } from '../src/lab/report/read-result.ts';
import { verdictSigns, type CellVerdict } from '../src/lab/report/summary.ts';
import { notApplicableMeans } from '../src/lab/report/wording.ts';
import { code, table } from './markdown.ts';

/**
 * Text in a page: code between backticks stays code, and there is no other markup in it. Pipes are the table's business.
 */
function plain(text: string): string {
  const parts = wholeLine(text).split(/`([^`]+)`/);
  return parts
    .map((part, index) => (index % 2 === 1 ? code(part) : part.replaceAll(/[\\`*_<>[\]&]/g, '\\$&')))
    .join('');
}

const verdictText = (verdict: CellVerdict): string => `${verdictSigns[verdict].sign} ${verdictSigns[verdict].word}`;

function cellsOf({ cells }: Guarantees, arm: ArmName): (KeptCell & { applicable: true })[] {
  return cells.filter((cell): cell is KeptCell & { applicable: true } => cell.arm === arm && cell.applicable);
}

function situationTable(kept: Guarantees): string {
  const rows = kept.situations.map(({ name, title, group }) => {
    const verdicts = kept.arms.map(({ name: arm }) => {
      const cell = kept.cells.find((one) => one.situation === name && one.arm === arm);
      return verdictText(overall(cell ?? null));
    });
    return [plain(group), `${plain(title)} (${code(name)})`, ...verdicts];
  });
  return table(['group', 'situation', ...kept.arms.map(({ name }) => code(name))], rows);
}

/** `held in 3 of 5; violated: …` */
function shareOf(kept: Guarantees, promise: PromiseName, arm: ArmName): string {
  const cells = cellsOf(kept, arm);
  const named = (verdict: Verdict): string[] =>
    cells.filter(({ promises }) => promises[promise] === verdict).map(({ situation }) => code(situation));
  const others = (['violated', 'unknown'] as const).map((verdict) => [verdict, named(verdict)] as const);
  const told = others
    .filter(([, names]) => names.length > 0)
    .map(([verdict, names]) => `${verdict}: ${names.join(', ')}`);
  return [`held in ${named('held').length} of ${cells.length}`, ...told].join('; ');
}

function promiseTable(kept: Guarantees): string {
  const rows = kept.promises.map(({ name }) => [code(name), ...kept.arms.map((arm) => shareOf(kept, name, arm.name))]);
  return table(['promise', ...kept.arms.map(({ name }) => code(name))], rows);
}

function absenceTable({ cells, situations }: Guarantees): string {
  const rows = situations.flatMap(({ name }) =>
    cells.flatMap((cell) =>
      cell.situation === name && !cell.applicable ? [[code(name), code(cell.arm), plain(cell.reason)]] : [],
    ),
  );
  return rows.length === 0 ? 'Every arm can express every situation.' : table(['situation', 'arm', 'reason'], rows);
}

const named = (entries: readonly { readonly name: string; readonly title: string }[]): string =>
  entries.map(({ name, title }) => `- ${code(name)}: ${plain(title)}`).join('\n');

/** The page, formatted as the project's formatter wants it. */
export async function guaranteesPage(kept: Guarantees): Promise<string> {
  const versions = Object.entries(kept.versions).map(([name, version]) => `${plain(name)} ${plain(version)}`);
  const repeated = kept.repeat === 1 ? 'once' : `${kept.repeat} times, and the worst verdict counts`;
  const page = `# What was observed

<!-- Generated from docs/guarantees.json by scripts/generate-guarantees.ts: run the lab and keep its verdicts with --from. -->

Verdicts of one run of \`countersign lab\` on one machine, ${plain(kept.startedAt)}, seed ${kept.seed}, every experiment ${repeated}.
Versions: ${versions.join(', ')}.

An experiment on one machine establishes little, and this page claims no more:

- **violated**: this arm can break this promise in this situation, because it did. Not how often.
- **held**: the situation brought no violation about in this run. Not that none is possible with another timing, in another
  situation or on another machine.
- **unknown**: not everything could be read, or the experiment did not come to its end. It is never counted as held.

## Situations and arms

A cell is the worst verdict on the five promises.

${situationTable(kept)}

## Promises and arms

In how many of the situations that the arm can express the promise was held, and where it was not.

${promiseTable(kept)}

## Not applicable

${notApplicableMeans}

${absenceTable(kept)}

## The arms

${named(kept.arms)}

## The promises

${named(kept.promises)}

## What is done in each situation

${table(
  ['situation', 'what exactly is done'],
  kept.situations.map(({ name, fault }) => [code(name), plain(fault)]),
)}
`;
  return format(page, { parser: 'markdown', printWidth: 120, singleQuote: true });
}

const resultIn = (run: string) => readLabResult(join(run, 'result.json'));

function keptIn(path: string): Guarantees {
  if (existsSync(path)) return guaranteesFrom(JSON.parse(readFileSync(path, 'utf8')));
  throw new CountersignError('not_found', {
    message: `${path} does not exist: keep a run of the lab with --from RUN.`,
  });
}

const changeText = ({ situation, arm, promise, committed, fresh }: ChangedVerdict): string =>
  `${situation}, ${arm}${promise === null ? '' : `, ${promise}`}: committed ${committed}, now ${fresh}`;

export interface Generated {
  readonly exitCode: 0 | 1;
  readonly lines: readonly string[];
}

/** `docs`: the directory of page and verdicts; `situations`: the names of all that the lab has. */
export async function generateGuarantees(
  args: readonly string[],
  docs: string,
  situations: readonly string[],
): Promise<Generated> {
  const { values } = parseArgs({
    args: [...args],
    options: { check: { type: 'boolean' }, from: { type: 'string' }, against: { type: 'string' } },
  });
  const [verdicts, page] = [join(docs, 'guarantees.json'), join(docs, 'guarantees.md')];
  if (values.from !== undefined) {
    const kept = guaranteesOf(resultIn(values.from), situations);
    writeFileSync(verdicts, await format(JSON.stringify(kept), { parser: 'json', printWidth: 120 }));
  }
  const kept = keptIn(verdicts);
  if (values.against !== undefined) {
    const changes = changedVerdicts(kept, resultIn(values.against));
    return { exitCode: changes.length === 0 ? 0 : 1, lines: changes.map(changeText) };
  }
  const text = await guaranteesPage(kept);
  if (existsSync(page) && readFileSync(page, 'utf8') === text) return { exitCode: 0, lines: [] };
  if (values.check) return { exitCode: 1, lines: [`${page} is not what ${verdicts} says: run this without --check.`] };
  writeFileSync(page, text);
  return { exitCode: 0, lines: [`${page} written`] };
}

async function main(args: readonly string[]): Promise<void> {
  const { situations } = await import('../src/lab/situations/index.ts');
  const names = situations.map(({ name }) => name);
  const docs = fileURLToPath(new URL('../docs', import.meta.url));
  const { exitCode, lines } = await generateGuarantees(args, docs, names);
  for (const line of lines) console.log(wholeLine(line));
  process.exitCode = exitCode;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await main(process.argv.slice(2)).catch((thrown: unknown) => {
    console.error(wholeLine(thrown instanceof Error ? thrown.message : String(thrown)));
    process.exitCode = 1;
  });
}
