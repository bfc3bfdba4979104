/**
 * Whether the database a connection has open is still the one its path leads to. A file that is removed or replaced
 * under a process goes on to take its commits, and nobody will ever read them: they must not be reported as recorded.
 */
import { statSync } from 'node:fs';
import { CountersignError } from '../core/errors.ts';
import type { FileKind } from './open.ts';

/** Device and inode; null where there is no file. */
function identityOf(path: string): string | null {
  const found = statSync(path, { throwIfNoEntry: false, bigint: true });
  return found ? `${found.dev}/${found.ino}` : null;
}

/**
 * To be called right after a database was opened and read. The function it returns throws the `unavailable` error of
 * `file` once the database or its write-ahead log has been removed or replaced. Call it before a commit, so that nothing
 * is recorded in vain, and again after it, before anybody is told.
 */
export function heldFile(path: string, file: FileKind): () => void {
  // While a connection is open SQLite keeps the log, which holds the newest commits.
  const held = [path, `${path}-wal`]
    .map((each) => ({ path: each, identity: identityOf(each) }))
    .filter(({ identity }) => identity !== null);
  return () => {
    for (const { path: each, identity } of held) {
      if (identityOf(each) === identity) continue;
      throw new CountersignError(file.unavailable, {
        message: `The ${file.name}'s file ${each} was removed or replaced while this process had it open.`,
        hint: 'Stop every process that uses the state directory, put the files back, and start again.',
      });
    }
  };
}
