/**
 * Opens a SQLite file with the settings durability needs, written out and read back: what the database did not accept
 * would otherwise show only at a power loss.
 */
import { chmodSync, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import BetterSqlite3, { type Database } from 'better-sqlite3';
import { CountersignError, type ErrorCode } from '../core/errors.ts';

export interface FileErrors {
  readonly damaged: ErrorCode;
  /** For messages: "ledger", "receiver". */
  readonly name: string;
}

/** Milliseconds a writer waits for another process's transaction before it gives up. */
const busyTimeoutMs = 10_000;

function sqliteCode(thrown: unknown): string | null {
  if (!(thrown instanceof Error) || !('code' in thrown) || typeof thrown.code !== 'string') return null;
  return thrown.code.startsWith('SQLITE_') ? thrown.code : null;
}

const damage = ['SQLITE_NOTADB', 'SQLITE_CORRUPT', 'SQLITE_SCHEMA', 'SQLITE_FORMAT'];
const refusals = ['SQLITE_CONSTRAINT', 'SQLITE_MISUSE', 'SQLITE_ERROR', 'SQLITE_RANGE', 'SQLITE_MISMATCH'];

/** Turns what SQLite throws into the catalogue's errors; anything else passes through unchanged. */
export function asStoreError(thrown: unknown, file: FileErrors): unknown {
  const code = sqliteCode(thrown);
  if (code === null) return thrown;
  if (damage.some((prefix) => code.startsWith(prefix))) {
    return new CountersignError(file.damaged, {
      message: `The ${file.name}'s file is damaged or not a database (${code}).`,
      cause: thrown,
    });
  }
  // A constraint that fires here is a fault of the program: expected hits are read back by the transactions themselves.
  if (refusals.some((prefix) => code.startsWith(prefix))) {
    return new CountersignError('internal', {
      message: `The ${file.name} refused a statement (${code}): ${String(thrown)}`,
      cause: thrown,
    });
  }
  return new CountersignError('ledger_unavailable', {
    message: `The ${file.name} cannot be used now (${code}).`,
    cause: thrown,
  });
}

function setAndReadBack(db: Database, file: FileErrors): void {
  db.pragma(`busy_timeout = ${busyTimeoutMs}`);
  const wanted: readonly (readonly [pragma: string, set: string, read: unknown])[] = [
    ['journal_mode', 'WAL', 'wal'],
    ['synchronous', 'FULL', 2],
    ['foreign_keys', 'ON', 1],
    ['trusted_schema', 'OFF', 0],
  ];
  for (const [pragma, set, expected] of wanted) {
    db.pragma(`${pragma} = ${set}`);
    const got: unknown = db.pragma(pragma, { simple: true });
    if (got !== expected) {
      throw new CountersignError('ledger_pragmas', {
        message: `The ${file.name}'s database answered ${pragma}=${String(got)} where ${set} is needed.`,
      });
    }
  }
}

/** Files that hold decisions and drafts are for their owner only. */
function checkOwner(path: string, file: FileErrors): void {
  const { uid, mode } = statSync(path);
  const me = process.getuid?.();
  const foreign = me !== undefined && uid !== me;
  if (foreign || (mode & 0o022) !== 0) {
    throw new CountersignError('state_unusable', {
      message: `${foreign ? 'Another user owns' : 'Others can write to'} the ${file.name} at ${path}.`,
      hint: 'Use a directory and files that only this user can write (chmod 700 for the directory, 600 for the files).',
    });
  }
}

/** Opens or creates the database at `path`. Throws catalogue errors; leaves no handle open when it does. */
export function openDatabase(path: string, file: FileErrors, options: { readonly?: boolean } = {}): Database {
  let db: Database | undefined;
  try {
    checkOwner(dirname(path), file);
    const fresh = !existsSync(path);
    if (!fresh) checkOwner(path, file);
    db = new BetterSqlite3(path, { readonly: options.readonly ?? false, timeout: busyTimeoutMs });
    if (fresh) chmodSync(path, 0o600);
    setAndReadBack(db, file);
    return db;
  } catch (thrown) {
    db?.close();
    if (thrown instanceof Error && 'code' in thrown && (thrown.code === 'ENOENT' || thrown.code === 'EACCES')) {
      throw new CountersignError('state_unusable', {
        message: `The directory of ${path} cannot be used.`,
        cause: thrown,
      });
    }
    throw asStoreError(thrown, file);
  }
}
