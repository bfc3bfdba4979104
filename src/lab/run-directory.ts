/** Where a run of the lab is kept: a directory that nobody else uses. */
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { CountersignError } from '../core/errors.ts';
import { makeDirectory } from '../server/index.ts';

const isSystemError = (thrown: unknown): thrown is NodeJS.ErrnoException =>
  thrown instanceof Error && 'syscall' in thrown;

/** `state_unusable` for what the file system refused; anything else as it is. */
export function placeFault(place: string, thrown: unknown): unknown {
  if (!isSystemError(thrown)) return thrown;
  const message = `The lab cannot write in ${place} (${thrown.message}).`;
  return new CountersignError('state_unusable', { message, hint: 'Name another directory with --out.', cause: thrown });
}

/** Before anything is fetched, so that a place that cannot be used is known at once. Throws `state_unusable`. */
export function makePlaceForRuns(place: string): void {
  try {
    makeDirectory(place);
  } catch (thrown) {
    throw placeFault(place, thrown);
  }
}

/** Whether it was made just now. */
function madeAnew(path: string): boolean {
  try {
    mkdirSync(path, { mode: 0o700 });
    return true;
  } catch (thrown) {
    if (isSystemError(thrown) && thrown.code === 'EEXIST') return false;
    throw thrown;
  }
}

/**
 * Its name: when the run began, and the mutant it is about. Made, not only looked for: another lab may begin in the same
 * second. Throws `state_unusable`.
 */
export function makeRunDirectory(place: string, began: Date, mutant: string | null): string {
  const stamp = began.toISOString().replaceAll(':', '').replace(/\..*/, 'Z');
  const name = mutant === null ? stamp : `${stamp}-${mutant}`;
  try {
    for (let count = 1; ; count += 1) {
      const path = join(place, count === 1 ? name : `${name}-${count}`);
      // The sources of a mutant stand beside it.
      if (!existsSync(`${path}-sources`) && madeAnew(path)) return path;
    }
  } catch (thrown) {
    throw placeFault(place, thrown);
  }
}
