/** Every mutant still fits the sources it changes: `npm test` says so, before the lab is run. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { buildMutant } from '../../src/lab/mutants/build.ts';
import { mutants } from '../../src/lab/mutants/list.ts';
import { temporaryDirectory } from '../support/temporary.ts';

const checkout = fileURLToPath(new URL('../../', import.meta.url));
const root = temporaryDirectory();

test.each(mutants.map((mutant) => [mutant.name, mutant] as const))('%s changes what it names', (name, mutant) => {
  const copy = join(root, name);

  buildMutant(mutant, checkout, copy);

  expect(mutant.patches.length).toBeGreaterThan(0);
  for (const { file, replace } of mutant.patches) {
    const changed = readFileSync(join(copy, file), 'utf8');
    expect(changed).toContain(replace);
    expect(changed).not.toBe(readFileSync(join(checkout, file), 'utf8'));
  }
});

test('a patch that no longer fits is a fault of the lab, said with its file', () => {
  const stale = { ...mutants[0]!, patches: [{ file: 'src/core/states.ts', find: 'what nobody wrote', replace: '' }] };

  expect(() => buildMutant(stale, checkout, join(root, 'stale'))).toThrow(
    /no longer fits.*0 times in src\/core\/states/,
  );
});
