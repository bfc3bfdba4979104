/** The demonstration's own directory: made by it, private, and removed by it. */
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CountersignError } from '../../core/errors.ts';

/** Ledger and receiver of one part of the story. */
export interface Store {
  readonly directory: string;
  readonly ledger: string;
  readonly receiver: string;
  /** Whether commands on it are told of the server. */
  readonly usesTemporal: boolean;
}

export interface Scratch {
  readonly directory: string;
  readonly review: Store;
  readonly naive: Store;
  readonly application: Store;
  /** Paths of the cases, which are part of the package. */
  caseFile(name: string): string;
  /** Writes a file of the story and returns its path. */
  write(name: string, content: string): string;
  /** Paths within are shown as a person in that directory would type them. */
  shorten(text: string): string;
  remove(): void;
}

const casesDirectory = fileURLToPath(new URL('./cases/', import.meta.url));

export const readCase = (name: string): { readonly caseId: string; readonly body: string } =>
  JSON.parse(readFileSync(join(casesDirectory, name), 'utf8')) as { caseId: string; body: string };

/** Throws `usage` for a directory that exists: it may hold somebody's ledger. */
function make(asked: string | undefined): string {
  if (asked === undefined) return mkdtempSync(join(realpathSync(tmpdir()), 'countersign-demo-'));
  const wanted = resolve(asked);
  try {
    mkdirSync(wanted, { mode: 0o700 });
    return realpathSync(wanted);
  } catch (cause) {
    const exists = (cause as NodeJS.ErrnoException).code === 'EEXIST';
    throw new CountersignError('usage', {
      message: exists ? `${wanted} exists already.` : `${wanted} cannot be made (${String(cause)}).`,
      hint: 'The demonstration makes its own directory and removes it: name one that does not exist, or leave --state out.',
      cause,
    });
  }
}

function storeIn(directory: string, usesTemporal: boolean): Store {
  mkdirSync(directory, { mode: 0o700 });
  return { directory, ledger: join(directory, 'ledger.db'), receiver: join(directory, 'receiver.db'), usesTemporal };
}

export function makeScratch(asked: string | undefined): Scratch {
  const directory = make(asked);
  return {
    directory,
    review: storeIn(join(directory, 'review'), true),
    naive: storeIn(join(directory, 'naive'), true),
    application: storeIn(join(directory, 'application'), false),
    caseFile: (name) => join(casesDirectory, name),
    write: (name, content) => {
      const path = join(directory, name);
      writeFileSync(path, content, { mode: 0o600 });
      return path;
    },
    shorten: (text) => text.replaceAll(casesDirectory, '').replaceAll(`${directory}/`, ''),
    remove: () => rmSync(directory, { recursive: true, force: true, maxRetries: 3 }),
  };
}
