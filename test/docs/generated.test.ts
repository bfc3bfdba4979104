// The pages that are made from tables: equal to what the generator makes, and, read without it, equal to the tables.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { generatedDocs } from '../../scripts/generate-docs.ts';
import { catalogue } from '../../src/core/errors.ts';
import {
  admitOutcomes,
  claimOutcomes,
  decideOutcomes,
  ExitCodes,
  exitCodeOfOutcome,
  resolveOutcomes,
  reviseOutcomes,
  withdrawOutcomes,
} from '../../src/core/outcomes.ts';
import { stateNames, transitions } from '../../src/core/states.ts';
import { rowsUnder } from './tables.ts';

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const docs = await generatedDocs();

test.each([...docs.keys()])('%s is what the tables say (node --import tsx scripts/generate-docs.ts)', (path) => {
  expect(read(path)).toBe(docs.get(path));
});

const bare = (cell: string): string => cell.replaceAll('`', '');

test('docs/errors.md has exactly the errors of the catalogue, with their message, hint, retryability and exit code', () => {
  const documented = rowsUnder(read('docs/errors.md'), '## Errors').map(([code, message, hint, retryable, exit]) => [
    bare(code!),
    { message, hint, retryable: retryable === 'yes', exitCode: Number(exit) },
  ]);
  expect(Object.fromEntries(documented)).toEqual(catalogue);
});

test.each([
  ['admit', admitOutcomes],
  ['decide', decideOutcomes],
  ['revise', reviseOutcomes],
  ['withdraw', withdrawOutcomes],
  ['claim', claimOutcomes],
  ['resolve', resolveOutcomes],
] as const)(
  'docs/errors.md has exactly the outcomes of %s, in order of precedence, with their exit codes',
  (name, outcomes) => {
    const documented = rowsUnder(read('docs/errors.md'), `### ${name}`).map(([code, exit]) => [
      bare(code!),
      Number(exit),
    ]);
    expect(documented).toEqual(outcomes.map((outcome) => [outcome, exitCodeOfOutcome[outcome]]));
  },
);

test('every outcome that has an exit code stands in docs/errors.md', () => {
  const headings = ['admit', 'decide', 'revise', 'withdraw', 'claim', 'resolve', 'receiver commit'];
  const documented = headings.flatMap((name) =>
    rowsUnder(read('docs/errors.md'), `### ${name}`).map(([code]) => bare(code!)),
  );
  expect([...new Set(documented)].sort()).toEqual(Object.keys(exitCodeOfOutcome).sort());
});

test('docs/errors.md has exactly the exit codes, each once', () => {
  const documented = rowsUnder(read('docs/errors.md'), '## Exit codes').map(([exit]) => Number(exit));
  expect(documented).toEqual(Object.values(ExitCodes));
});

test('the diagrams in docs/states.md and README.md draw exactly the transitions of the table', () => {
  const expected = stateNames.flatMap((from) =>
    Object.entries(transitions[from]).map(([event, to]) => `${from} ${event} ${to}`),
  );
  for (const path of ['docs/states.md', 'README.md']) {
    const drawn = [...read(path).matchAll(/^ +(\w+) --> (\w+): (.+)$/gm)].flatMap(([, from, to, events]) =>
      events!.split(', ').map((event) => `${from} ${event} ${to}`),
    );
    expect(drawn.sort()).toEqual(expected.sort());
  }
});

test('the table in docs/states.md has exactly the transitions of the table in the core', () => {
  const documented = rowsUnder(read('docs/states.md'), '## Transitions').map((cells) => cells.map(bare).join(' '));
  const expected = stateNames.flatMap((from) =>
    Object.entries(transitions[from]).map(([event, to]) => `${from} ${event} ${to}`),
  );
  expect(documented).toEqual(expected);
});

test("README's table of exit codes puts every outcome where the core puts it", () => {
  const [, table = ''] = read('README.md').split('\n| exit | meaning');
  const rows = [...table.split('\n\n')[0]!.matchAll(/^\| (\d+) +\| (.+) \|$/gm)];
  const documented = rows.flatMap(([, exit, meaning]) =>
    [...meaning!.matchAll(/`([a-z_]+)`/g)].map(([, outcome]) => [outcome!, Number(exit)] as const),
  );
  const expected = Object.entries(exitCodeOfOutcome).filter(([, exit]) => exit !== ExitCodes.done);
  const { verify: ofVerify, ...ofOutcomes } = Object.fromEntries(documented);
  expect(ofOutcomes).toEqual(Object.fromEntries(expected));
  expect(ofVerify).toBe(ExitCodes.internal);
});
