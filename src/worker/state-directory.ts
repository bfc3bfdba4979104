/** The directory that holds ledger, receiver and the development server's files: made private, checked before use. */
import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { CountersignError } from '../core/errors.ts';
// Not the folder's index: that one loads the Temporal client, which the application driver does without.
import { makeDirectory } from '../server/make-directory.ts';

export interface StatePaths {
  readonly directory: string;
  readonly ledger: string;
  readonly receiver: string;
  /** Used instead of `receiver` where the receiver keeps one readable file per operation. */
  readonly receiverFiles: string;
}

function refuse(message: string, cause?: unknown): never {
  throw new CountersignError('state_unusable', cause === undefined ? { message } : { message, cause });
}

function pathsIn(directory: string): StatePaths {
  return {
    directory,
    ledger: join(directory, 'ledger.db'),
    receiver: join(directory, 'receiver.db'),
    receiverFiles: join(directory, 'receiver-files'),
  };
}

function check(directory: string): void {
  const { uid, mode } = statSync(directory);
  if (!statSync(directory).isDirectory()) refuse(`${directory} is not a directory.`);
  const me = process.getuid?.();
  if (me !== undefined && uid !== me) refuse(`${directory} belongs to another user.`);
  if ((mode & 0o022) !== 0) refuse(`Others can write to ${directory}; make it private with chmod 700.`);
  accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK);
}

/** Makes (0700) or checks the state directory. Throws `state_unusable`; changes nothing that is there already. */
export function prepareStateDirectory(path: string): StatePaths {
  const wanted = resolve(path);
  try {
    makeDirectory(wanted);
    const directory = realpathSync(wanted);
    check(directory);
    return pathsIn(directory);
  } catch (thrown) {
    if (thrown instanceof CountersignError) throw thrown;
    return refuse(
      `The state directory ${wanted} cannot be used: ${thrown instanceof Error ? thrown.message : String(thrown)}`,
      thrown,
    );
  }
}
