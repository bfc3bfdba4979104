// docs/recovery.md, the list of crash points, the rows and the tests that vitest finds: one and the same, each way.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { crashRows } from '../../scripts/crash-rows.ts';
import { crashPoints } from '../../src/ports/crash-points.ts';
import { crashManners } from '../../src/worker/crash.ts';
import { cellsToRun, drivers, everyCell, titleOf } from '../crash/matrix.ts';
import { rowsUnder } from './tables.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const page = readFileSync(new URL('../../docs/recovery.md', import.meta.url), 'utf8');
const bare = (cell: string | undefined): string => (cell ?? '').replaceAll('`', '');

/** The driver without runs and reports has no such gap; every other point is in both. */
const temporalOnly = ['propose.workflow-started', 'execute.result-reported'];

/** Every test that the whole matrix consists of, as vitest itself finds it: file and title. */
async function testsFound(): Promise<string[]> {
  const vitest = `${root}node_modules/vitest/vitest.mjs`;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [vitest, 'list', '--project', 'server', 'test/crash', '--json'],
    { cwd: root, env: { ...process.env, COUNTERSIGN_FULL: '1', NO_COLOR: '1' } },
  );
  const listed = JSON.parse(stdout) as { name: string; file: string }[];
  return listed.map(({ name, file }) => `${file.slice(root.length)} > ${name}`);
}

test('there is one row for each crash point, in the order of the list', () => {
  expect(crashRows.map(({ point }) => point)).toEqual([...crashPoints]);
});

test('docs/recovery.md has one row for each crash point, with what is on disk and where it ends', () => {
  const documented = rowsUnder(page, '## Where a process dies').map(([point, , disk, , , end]) => ({
    point: bare(point),
    states: [bare(disk).split(',')[0], bare(end).split(',')[0]],
  }));
  const expected = crashRows.map(({ point, atCrash, end }) => ({
    point,
    states: [atCrash.state ?? 'nothing of the operation', end.state],
  }));
  expect(documented).toEqual(expected);
});

test('the points that only the temporal driver has are these, and the page says so', () => {
  const missing = crashRows.filter(({ application }) => application === null).map(({ point }) => point);
  expect(missing).toEqual(temporalOnly);
  const said = rowsUnder(page, '## Where a process dies').filter(([, , , , text]) => text === 'there is no such point');
  expect(said.map(([point]) => bare(point))).toEqual(temporalOnly);
});

test('every point has a test in each manner and driver, in the files that the page names', async () => {
  const found = await testsFound();
  const expected = drivers.flatMap((driver) =>
    everyCell(driver).map((cell) => `test/crash/${driver}.test.ts > ${driver} driver > ${titleOf(cell)}`),
  );
  const pointsOf = { application: crashPoints.length - temporalOnly.length, temporal: crashPoints.length };
  expect(expected).toHaveLength((pointsOf.application + pointsOf.temporal) * crashManners.length);
  expect(new Set(expected).size).toBe(expected.length);
  const matrix = /^test\/crash\/(application|temporal)\.test\.ts > /;
  expect(found.filter((name) => matrix.test(name)).sort()).toEqual(expected.sort());
  const named = rowsUnder(page, '## Where a process dies').map((cells) => bare(cells.at(-1)).split(', '));
  const files = crashRows.map(({ application }) =>
    (application === null ? ['temporal'] : ['temporal', 'application']).map((name) => `test/crash/${name}.test.ts`),
  );
  expect(named).toEqual(files);
});

test('the short run takes every point of each driver once, and every manner in each driver', () => {
  for (const driver of drivers) {
    const cells = cellsToRun(driver, false);
    expect(cells.map(({ row }) => row.point)).toEqual([...new Set(everyCell(driver).map(({ row }) => row.point))]);
    expect(new Set(cells.map(({ manner }) => manner))).toEqual(new Set(crashManners));
  }
  expect(cellsToRun('temporal', true)).toEqual(everyCell('temporal'));
});
