// The matrix on a terminal, and the command `compare`, run as a process on results of runs that nobody carried out.
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { matrixText } from '../../src/lab/matrix.ts';
import { readLabResult } from '../../src/lab/report/read-result.ts';
import type { LabResult } from '../../src/lab/result.ts';
import { listing, type Fault } from '../cli/sandbox.ts';
import { documentOf, runCommand, type ProcessOptions } from '../support/processes.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { runCell, sampleResult } from './samples.ts';

/** A working directory that holds runs of the lab; a run is a result or the text of its file. */
function withRuns(runs: Readonly<Record<string, LabResult | string>>): string {
  const directory = temporaryDirectory();
  for (const [name, result] of Object.entries(runs)) {
    const run = join(directory, 'out', 'lab', name);
    mkdirSync(run, { recursive: true });
    writeFileSync(join(run, 'result.json'), typeof result === 'string' ? result : JSON.stringify(result));
  }
  return directory;
}

const compare = (cwd: string, args: readonly string[] = [], options: ProcessOptions = {}) =>
  runCommand(['compare', ...args], { cwd, ...options });

async function faultOf(cwd: string, args: readonly string[] = []): Promise<{ code: number | null; error: Fault }> {
  const finished = await runCommand(['--json', 'compare', ...args], { cwd });
  return { code: finished.code, ...(documentOf(finished) as { error: Fault }) };
}

const sample = withRuns({ 'sample-1': sampleResult() });

/** A row of a drawn table as its cells. */
const rowOf = (text: string, name: string): string[] =>
  (text.split('\n').find((line) => line.includes(` ${name} `)) ?? '')
    .split('│')
    .slice(1, -1)
    .map((cell) => cell.trim());

test('the matrix has a row per situation and a column per arm, each verdict with a sign and a word', async () => {
  const { code, stdout } = await compare(sample);
  expect(code).toBe(0);
  expect(rowOf(stdout, 'receipt-lost')).toEqual([
    'receipt-lost',
    '✗ violated',
    '✓ held',
    '✓ held',
    '✓ held',
    '? unknown in 1 of 2',
  ]);
  expect(rowOf(stdout, 'stale-tab')).toEqual([
    'stale-tab',
    '– not applicable',
    '✗ violated',
    '· not run',
    '✓ held',
    '✓ held',
  ]);
  expect(stdout).toContain('Held does not mean that it never fails.');
});

test('a terminal that the table does not fit into gets one line per cell, with the same verdicts', () => {
  const narrow = matrixText(sampleResult(), 60);
  const lines = narrow.split('\n').map((line) => line.trim());
  expect(narrow).not.toContain('│');
  const from = lines.indexOf('receipt-lost');
  expect(lines.slice(from + 1, from + 6)).toEqual([
    'platform-naive: ✗ violated',
    'platform-run-key: ✓ held',
    'platform-operation-key: ✓ held',
    'ledger: ✓ held',
    'both: ? unknown in 1 of 2',
  ]);
  expect(Math.max(...lines.slice(1, -1).map((line) => line.length))).toBeLessThanOrEqual(60);
  expect(matrixText(sampleResult(), 200)).toContain('│');
});

test('a run with a mutant says that its verdicts are not about the product', () => {
  expect(matrixText(sampleResult({ mutant: 'stale-check-dropped' }), 60)).toContain(
    'they say nothing about the product',
  );
  expect(matrixText(sampleResult(), 60)).not.toContain('bug');
});

test('colours follow the terminal, and NO_COLOR takes them away', async () => {
  const escape = '\u001b[';
  const coloured = await compare(sample, [], { env: { NO_COLOR: undefined, FORCE_COLOR: '1' } });
  const plain = await compare(sample, [], { env: { NO_COLOR: '1', FORCE_COLOR: '1' } });
  expect(coloured.stdout).toContain(escape);
  expect(plain.stdout).not.toContain(escape);
  expect(plain.stdout).toContain('✗ violated');
});

test('a cell is explained: fault, verdict and reason per promise, counts, authorities, and what was told', async () => {
  const { code, stdout } = await compare(sample, ['--situation', 'receipt-lost', '--arm', 'platform-naive']);
  expect(code).toBe(0);
  for (const part of [
    'The worker exits with code 42 right after the receiver’s commit',
    '✗ violated  at-most-one-effect: Read for at-most-one-effect: 2 effects.',
    '✓ held  no-work-lost: Read for no-work-lost: 2 effects.',
    'activity attempts: 3',
    'effects with content op-v1-3e2a: 2',
    'engine: Completed',
    'it establishes that this arm can violate what is marked so',
  ])
    expect(stdout).toContain(part);
  expect(stdout).not.toContain('platform-run-key');
});

test('recorded text cannot move the cursor, change colours or turn the direction of writing', async () => {
  const { stdout } = await compare(sample, ['--arm', 'platform-naive']);
  expect(stdout).toContain('<script>alert("1")</script> \\u{1b}[31mred\\u{1b}[0m \\u{202e}abc\\u{202c}');
  expect(stdout).toContain('It did not come to its end: The server did not come back within 60 s.');
  expect(stdout).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
});

test('an arm without a situation explains all of its situations, and why one is not applicable', async () => {
  const { stdout } = await compare(sample, ['--arm', 'ledger']);
  expect(stdout).toContain('ledger: ✓ held');
  expect(stdout).toContain('ledger: – not applicable');
  expect(stdout).toContain('This arm has no server to kill.');
  expect(stdout).toContain('ran `countersign approve` again');
});

test('--json gives the matrix, and with a choice the cells, as one document', async () => {
  interface Document {
    readonly run: string;
    readonly matrix: { name: string; arms: { arm: string; verdict: string; repetitions: string[] }[] }[];
    readonly explained?: { name: string; arms: { arm: string; runs: { observed: object; judgements: object }[] }[] }[];
  }
  const whole = documentOf(await runCommand(['--json', 'compare'], { cwd: sample })) as Document;
  expect(whole.run).toBe('sample-1');
  expect(whole.explained).toBeUndefined();
  const lost = whole.matrix.find(({ name }) => name === 'receipt-lost')!;
  expect(lost.arms.map(({ verdict }) => verdict)).toEqual(['violated', 'held', 'held', 'held', 'unknown']);
  expect(lost.arms.at(-1)!.repetitions).toEqual(['held', 'unknown']);

  const choice = ['--situation', 'receipt-lost', '--arm', 'platform-naive'];
  const { explained } = documentOf(await runCommand(['--json', 'compare', ...choice], { cwd: sample })) as Document;
  const { observed, judgements } = runCell('receipt-lost', 'platform-naive', {
    judged: { 'at-most-one-effect': 'violated' },
  });
  expect(explained!.map(({ name, arms }) => [name, arms.map(({ arm }) => arm)])).toEqual([
    ['receipt-lost', ['platform-naive']],
  ]);
  expect(explained![0]!.arms[0]!.runs).toEqual([expect.objectContaining({ observed, judgements })]);
});

test('the run whose result was written last is shown, and --run chooses another', async () => {
  const cwd = withRuns({ b: sampleResult({ run: 'older' }), a: sampleResult({ run: 'newer' }) });
  mkdirSync(join(cwd, 'out', 'lab', 'c-without-a-result'));
  const hour = 3600;
  const place = (name: string): string => join(cwd, 'out', 'lab', name);
  utimesSync(join(place('b'), 'result.json'), hour, hour);
  utimesSync(join(place('a'), 'result.json'), 2 * hour, 2 * hour);
  expect((await compare(cwd)).stdout).toContain('Run newer of');
  expect((await compare(cwd, ['--run', place('b')])).stdout).toContain('Run older of');
});

test('where no run is, it is not found, and the hint names the command that makes one', async () => {
  const empty = temporaryDirectory();
  const none = await faultOf(empty);
  expect([none.code, none.error.code]).toEqual([9, 'not_found']);
  expect(none.error.hint).toContain('countersign lab');
  const named = await faultOf(sample, ['--run', join(empty, 'nowhere')]);
  expect([named.code, named.error.code]).toEqual([9, 'not_found']);
  expect(listing(empty)).toEqual({});
});

test('a situation or arm that the run does not have is not found; an arm that nobody has is a wrong command line', async () => {
  const situation = await faultOf(sample, ['--situation', 'nowhere']);
  expect([situation.code, situation.error.code]).toEqual([9, 'not_found']);
  const arm = await faultOf(sample, ['--arm', 'nobody']);
  expect([arm.code, arm.error.code]).toEqual([2, 'usage']);
  expect(arm.error.hint).toContain('platform-operation-key');
});

type Loose = Record<'cells' | 'situations', object[]>;

/** The sample with a change that its type does not allow. */
function changed(change: (result: Loose) => void): string {
  const result = JSON.parse(JSON.stringify(sampleResult())) as Loose;
  change(result);
  return JSON.stringify(result);
}

test.each([
  ['no JSON', '{"format":', 'it is not JSON'],
  ['another document', '[]', 'the document'],
  ['another format', changed((result) => Object.assign(result, { format: 'countersign.lab.v9' })), '/format'],
  ['an unknown member', changed((result) => Object.assign(result, { more: 1 })), 'the document'],
  ['an unknown verdict', changed(({ cells }) => Object.assign(cells[0]!, { verdict: 'fine' })), '/cells/0/verdict'],
  [
    'a verdict better than its judgements',
    changed(({ cells }) => Object.assign(cells[0]!, { verdict: 'held' })),
    '/cells/0/verdict',
  ],
  ['a cell of no situation', changed(({ cells }) => Object.assign(cells[3]!, { situation: 'elsewhere' })), '/cells/3'],
  ['a cell twice', changed(({ cells }) => cells.push(cells[0]!)), '/cells/15 is there twice'],
  ['a situation twice', changed(({ situations }) => situations.push(situations[0]!)), '/situations/3'],
  [
    'a name that is no name',
    changed(({ situations }) => Object.assign(situations[0]!, { name: 'A b' })),
    '/situations/0/name',
  ],
])('a result with %s is refused as malformed input that names file and place', (_what, content, place) => {
  const path = join(withRuns({ foreign: content }), 'out', 'lab', 'foreign', 'result.json');
  const refused = { code: 'malformed_input', message: expect.stringContaining(place) as string };
  expect(() => readLabResult(path)).toThrow(expect.objectContaining(refused) as Error);
  expect(() => readLabResult(path)).toThrow(path);
});

test('the command refuses a result that the lab did not write, and shows nothing of it', async () => {
  const cwd = withRuns({ foreign: changed(({ cells }) => Object.assign(cells[0]!, { verdict: 'held' })) });
  const { code, error } = await faultOf(cwd);
  expect([code, error.code]).toEqual([2, 'malformed_input']);
  expect(error.message).toContain('/cells/0/verdict');
  expect(error.hint).toContain('countersign lab');
});
