// docs/guarantees: what is kept of a run, the page made from it, and the comparison of a fresh run with it.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { generateGuarantees, guaranteesPage } from '../../scripts/generate-guarantees.ts';
import { changedVerdicts, guaranteesFrom, guaranteesOf } from '../../src/lab/report/guarantees.ts';
import type { LabResult } from '../../src/lab/result.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { absentCell, runCell, sampleResult, wholeResult } from './samples.ts';

const names = wholeResult().situations.map(({ name }) => name);
const committed = guaranteesOf(wholeResult(), names);

const generate = (docs: string, ...args: string[]) => generateGuarantees(args, docs, names);

function runOf(result: LabResult): string {
  const run = temporaryDirectory();
  writeFileSync(join(run, 'result.json'), JSON.stringify(result));
  return run;
}

/** Table rows without the formatter's padding. */
const narrowed = (page: string): string => page.replaceAll(/ {2,}/g, ' ');

test('verdicts and versions are kept, the worst of all repetitions; nothing of times or of the machine is', () => {
  const cell = committed.cells.find(({ situation, arm }) => situation === 'receipt-lost' && arm === 'both');
  expect(cell).toMatchObject({
    applicable: true,
    promises: { 'no-work-lost': 'unknown', 'at-most-one-effect': 'held' },
  });
  expect(committed.versions).toEqual(wholeResult().versions);
  const text = JSON.stringify(committed);
  for (const absent of ['seconds', 'settledMs', 'timeline', 'machine', '24 GiB', '8185'])
    expect(text).not.toContain(absent);
  expect(guaranteesFrom(JSON.parse(text))).toEqual(committed);
});

test('a run with a mutant, or one that left anything out, is not kept', () => {
  const whole = wholeResult();
  const mutated = wholeResult({ mutant: 'stale-check-dropped' });
  const withoutBoth = wholeResult({
    arms: whole.arms.slice(0, -1),
    cells: whole.cells.filter(({ arm }) => arm !== 'both'),
  });
  expect(() => guaranteesOf(mutated, names)).toThrow('stale-check-dropped');
  expect(() => guaranteesOf(sampleResult(), names)).toThrow('stale-tab was not run in platform-operation-key.');
  expect(() => guaranteesOf(whole, [...names, 'one-more'])).toThrow('left one-more out');
  expect(() => guaranteesOf(withoutBoth, names)).toThrow('left both out');
});

test('the page has a verdict per situation and arm, and per promise and arm how often it was held and where it was not', async () => {
  const page = narrowed(await guaranteesPage(committed));
  expect(page).toContain('(`receipt-lost`) | ✗ violated | ✓ held | ✓ held | ✓ held | ? unknown |');
  expect(page).toContain('(`server-killed`) | ? unknown | ✗ violated | ✓ held | – not applicable | ✓ held |');
  const [share] = page.split('\n').filter((line) => line.startsWith('| `at-most-one-effect` '));
  expect(share).toBe(
    '| `at-most-one-effect` | held in 1 of 2; violated: `receipt-lost` | held in 3 of 3 | held in 3 of 3 | held in 2 of 2 | held in 3 of 3 |',
  );
  expect(page).toContain('held in 1 of 2; unknown: `server-killed`');
  expect(page).toContain('| `server-killed` | `ledger` | This arm has no server to kill. |');
});

test('the page says what an experiment on one machine does not establish', async () => {
  const page = narrowed((await guaranteesPage(committed)).replaceAll('\n', ' '));
  expect(page).toContain('Not that none is possible with another timing, in another situation or on another machine.');
  expect(page).toContain('It is never counted as held.');
});

test('recorded text is no markup of the page', async () => {
  const page = await guaranteesPage(committed);
  expect(page).toContain('\\<script\\>alert("1")\\</script\\>');
  expect(page).toMatch(/'q' \\\| `t` \|/);
  expect(page).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
});

test('--from keeps a run and writes the page, and --check fails once either was changed by hand', async () => {
  const docs = temporaryDirectory();
  const [verdicts, page] = [join(docs, 'guarantees.json'), join(docs, 'guarantees.md')];
  const check = async (): Promise<number> => (await generate(docs, '--check')).exitCode;
  expect((await generate(docs, '--from', runOf(wholeResult()))).exitCode).toBe(0);
  expect(guaranteesFrom(JSON.parse(readFileSync(verdicts, 'utf8')))).toEqual(committed);
  expect(readFileSync(page, 'utf8')).toBe(await guaranteesPage(committed));
  expect(await check()).toBe(0);

  const [keptText, pageText] = [readFileSync(verdicts, 'utf8'), readFileSync(page, 'utf8')];
  writeFileSync(page, pageText.replace('✗ violated', '✓ held'));
  expect(await check()).toBe(1);
  writeFileSync(page, pageText);
  writeFileSync(verdicts, keptText.replace('"violated"', '"held"'));
  expect(await check()).toBe(1);
  expect((await generate(docs)).exitCode).toBe(0);
  expect(await check()).toBe(0);
});

test('without kept verdicts, or with others than the lab’s, nothing is written', async () => {
  const docs = temporaryDirectory();
  await expect(generate(docs)).rejects.toThrow('--from RUN');
  writeFileSync(join(docs, 'guarantees.json'), JSON.stringify({ ...committed, seconds: 4 }));
  await expect(generate(docs)).rejects.toThrow('seconds');
});

test('a fresh run that found the same, a small one too, changes nothing', () => {
  expect(changedVerdicts(committed, wholeResult())).toEqual([]);
  const small = sampleResult({
    cells: [runCell('receipt-lost', 'ledger'), absentCell('server-killed', 'ledger', 'x')],
  });
  expect(changedVerdicts(committed, small)).toEqual([]);
});

test.each([
  [
    'worse',
    [runCell('receipt-lost', 'ledger', { judged: { 'no-work-lost': 'violated' } })],
    'no-work-lost',
    'held',
    'violated',
  ],
  [
    'no longer known',
    [runCell('receipt-lost', 'ledger', { judged: { 'no-work-lost': 'unknown' } })],
    'no-work-lost',
    'held',
    'unknown',
  ],
  ['better', [runCell('receipt-lost', 'platform-naive')], 'at-most-one-effect', 'violated', 'held'],
  ['no longer applicable', [absentCell('receipt-lost', 'ledger', 'because')], null, 'held', 'not-applicable'],
  ['applicable by now', [runCell('server-killed', 'ledger')], null, 'not-applicable', 'held'],
] as const)(
  'a verdict that is %s in a fresh run is reported, and only that',
  (_what, cells, promise, before, after) => {
    const [{ situation, arm }] = cells;
    const changes = changedVerdicts(committed, sampleResult({ cells }));
    expect(changes).toEqual([{ situation, arm, promise, committed: before, fresh: after }]);
  },
);

test('a combination that the kept verdicts do not know is reported', () => {
  const kept = { ...committed, cells: committed.cells.filter(({ arm }) => arm !== 'both') };
  const changes = changedVerdicts(kept, sampleResult({ cells: [runCell('receipt-lost', 'both')] }));
  expect(changes).toEqual([
    { situation: 'receipt-lost', arm: 'both', promise: null, committed: 'not-run', fresh: 'held' },
  ]);
});

test('a fresh run that compares nothing is refused: no cells, or a mutant', () => {
  expect(() => changedVerdicts(committed, sampleResult({ cells: [] }))).toThrow('no cells');
  expect(() => changedVerdicts(committed, wholeResult({ mutant: 'retry-on-unknown' }))).toThrow('retry-on-unknown');
});

test('--against fails with a line per changed verdict', async () => {
  const docs = temporaryDirectory();
  await generate(docs, '--from', runOf(wholeResult()));
  const same = await generate(docs, '--against', runOf(wholeResult()));
  expect(same).toEqual({ exitCode: 0, lines: [] });
  const other = runCell('receipt-lost', 'ledger', { judged: { 'no-work-lost': 'violated' } });
  const changed = await generate(docs, '--against', runOf(sampleResult({ cells: [other] })));
  expect(changed).toEqual({
    exitCode: 1,
    lines: ['receipt-lost, ledger, no-work-lost: committed held, now violated'],
  });
});
