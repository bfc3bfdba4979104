/** The state directory, made private when it is new. */
import { realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf, ServerError } from './errors.ts';
import { makeDirectory } from './make-directory.ts';

/** A write is tried: permission bits alone do not tell about a read-only file system or a full disk. */
export function prepareStateDirectory(stateDir: string): string {
  try {
    makeDirectory(stateDir);
    // One spelling per directory, so that a server can be recognised by the path it was given.
    const directory = realpathSync(stateDir);
    const probe = join(directory, `.write-test-${process.pid}`);
    writeFileSync(probe, '', { mode: 0o600 });
    rmSync(probe);
    return directory;
  } catch (error) {
    const hint = 'Name a directory that can be written to with --state or COUNTERSIGN_STATE.';
    throw new ServerError(`the state directory ${stateDir} cannot be used (${messageOf(error)})`, hint, {
      cause: error,
    });
  }
}
