/** The state directory: made private, or refused with a reason. */
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { errorCode } from '../../src/core/errors.ts';
import { makeDirectory } from '../../src/server/index.ts';
import { prepareStateDirectory } from '../../src/worker/state-directory.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'countersign-directory-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function refusal(path: string): unknown {
  try {
    prepareStateDirectory(path);
    return null;
  } catch (thrown) {
    return errorCode(thrown);
  }
}

test('a state directory is made with what is missing above it, for its owner only', () => {
  const { directory } = prepareStateDirectory(join(root, 'a', 'b', 'c'));
  for (const path of [directory, join(root, 'a', 'b'), join(root, 'a')])
    expect(statSync(path).mode & 0o777).toBe(0o700);
  expect(prepareStateDirectory(directory).directory).toBe(directory);
});

test('a file in its place, or above it, is refused and stays as it is', () => {
  writeFileSync(join(root, 'file'), 'mine');
  expect(refusal(join(root, 'file'))).toBe('state_unusable');
  expect(refusal(join(root, 'file', 'below'))).toBe('state_unusable');
});

test.runIf(existsSync('/proc/self'))('a place that takes no directories is refused instead of tried for ever', () => {
  expect(refusal('/proc/countersign/state')).toBe('state_unusable');
  expect(() => makeDirectory('/proc/countersign')).toThrow(/ENOENT/);
});
