// docs/source-map.md names tests that exist, and all tests of the source's story.
import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const root = new URL('../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');
const story = 'test/source/story.test.ts';

/** Rows whose second cell is a test file: what is checked, where, and the name of the test. */
const rows = read('docs/source-map.md')
  .split('\n')
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .filter(([, , file]) => file?.startsWith('`test/') ?? false)
  .map(([, check = '', file = '', name = '']) => ({ check, file: file.replaceAll('`', ''), name }));

/** The names of all tests in a file as they stand there, `%s` and all. */
function testsIn(file: string): string[] {
  const titles = /\btest(?:\.\w+)*(?:\((?:[^()]|\([^()]*\))*\))?\(\s*(['"`])((?:(?!\1).)+)\1/g;
  return [...read(file).matchAll(titles)].map(([, , title = '']) => title);
}

test.each(rows)('the test for "$check" exists', ({ file, name }) => {
  expect(existsSync(new URL(file, root)), file).toBe(true);
  expect(testsIn(file)).toContain(name);
});

test('no check is listed twice, and every test of the story is on the page', () => {
  expect(new Set(rows.map(({ check }) => check)).size).toBe(rows.length);
  const named = rows.filter(({ file }) => file === story).map(({ name }) => name);
  expect(testsIn(story).length).toBeGreaterThan(5);
  expect([...named].sort()).toEqual(testsIn(story).sort());
});
