/** Builds a mutant: a copy of the sources with its patches, from which the experiment's processes run. */
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CountersignError } from '../../core/errors.ts';
import type { Mutant, Patch } from './mutant.ts';

const copied = ['src', 'workflows', 'activities', 'schema', 'package.json', 'tsconfig.json'];

function apply(root: string, mutant: string, { file, find, replace }: Patch): void {
  const path = join(root, file);
  const before = readFileSync(path, 'utf8');
  const found = before.split(find).length - 1;
  if (found !== 1) {
    throw new CountersignError('internal', {
      message: `Mutant ${mutant} no longer fits: what it changes stands ${found} times in ${file}.`,
      hint: 'Adapt its patch in src/lab/mutants/list.ts.',
    });
  }
  writeFileSync(
    path,
    before.replace(find, () => replace),
  );
}

/** `from`: root of a checkout; `root`: must not exist. Throws `usage` where there are no sources to change. */
export function buildMutant(mutant: Mutant, from: string, root: string): void {
  if (!existsSync(join(from, 'src', 'lab', 'mutants', 'list.ts'))) {
    throw new CountersignError('usage', {
      message: 'A mutant is made from the sources, and this package has none.',
      hint: 'Run the lab with --mutant in a checkout of the project.',
    });
  }
  mkdirSync(root, { mode: 0o700 });
  for (const name of copied) cpSync(join(from, name), join(root, name), { recursive: true });
  symlinkSync(join(from, 'node_modules'), join(root, 'node_modules'));
  for (const patch of mutant.patches) apply(root, mutant.name, patch);
}
