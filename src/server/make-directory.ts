/** Makes a directory and what is missing above it, private to this user. */
import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { errnoOf } from './errors.ts';

/**
 * Like `mkdir -p` with mode 0700. Not `mkdirSync`'s own `recursive`: where the parent exists but refuses children with
 * "no such file" (as /proc does), Node 20 tries for ever.
 *
 * @throws what the file system says.
 */
export function makeDirectory(path: string): void {
  const directory = resolve(path);
  try {
    mkdirSync(directory, { mode: 0o700 });
    return;
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === 'EEXIST' && statSync(directory).isDirectory()) return;
    if (errno !== 'ENOENT' || dirname(directory) === directory) throw error;
  }
  makeDirectory(dirname(directory));
  mkdirSync(directory, { mode: 0o700 });
}
