/**
 * Opens a SQLite file with the settings durability needs, written out and read back: what the database did not accept
 * would otherwise show only at a power loss.
 */
import { chmodSync, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import BetterSqlite3, { type Database } from 'better-sqlite3';
import { CountersignError, type ErrorCode } from '../core/errors.ts';

/** What a file is to be: nothing is written to a file that is marked as something else. */
export interface FileKind {
  readonly damaged: ErrorCode;
  /** For a file that is gone while a process has it open. */
  readonly unavailable: ErrorCode;
  /** For messages: "ledger", "receiver". */
  readonly name: string;
  /** SQLite's `application_id` of such a file. */
  readonly applicationId: number;
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
export function asStoreError(thrown: unknown, file: FileKind): unknown {
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

const pauseMs = 20;

/**
 * SQLite answers "busy" at once when several processes switch a fresh file at the same time: each of them waits for the
 * others to let go of what they have read. So it is tried again, for as long as any other lock is waited for.
 */
function switchToWriteAheadLogging(db: Database): void {
  const until = performance.now() + busyTimeoutMs;
  for (;;) {
    try {
      db.pragma('journal_mode = WAL');
      return;
    } catch (thrown) {
      if (sqliteCode(thrown)?.startsWith('SQLITE_BUSY') !== true || performance.now() > until) throw thrown;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
    }
  }
}

function setAndReadBack(db: Database, file: FileKind): void {
  db.pragma(`busy_timeout = ${busyTimeoutMs}`);
  switchToWriteAheadLogging(db);
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

/** Refuses a database that is not of this kind; an empty one may become it. Reads only. */
export function checkMark(db: Database, file: FileKind): void {
  // Both are read in one snapshot: another process may be making the file just now.
  const acceptable = db.transaction(() => {
    const marked = db.pragma('application_id', { simple: true }) as number;
    if (marked === file.applicationId) return true;
    const tables = db.prepare<[], { n: number }>('SELECT count(*) AS n FROM sqlite_schema').get()?.n ?? 0;
    return marked === 0 && tables === 0;
  });
  if (!acceptable()) {
    throw new CountersignError(file.damaged, { message: `The file is not a Countersign ${file.name}.` });
  }
}

/** Files that hold decisions and drafts are for their owner only. */
function checkOwner(path: string, file: FileKind): void {
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
export function openDatabase(path: string, file: FileKind, options: { readonly?: boolean } = {}): Database {
  let db: Database | undefined;
  try {
    checkOwner(dirname(path), file);
    const fresh = !existsSync(path);
    if (!fresh) checkOwner(path, file);
    db = new BetterSqlite3(path, { readonly: options.readonly ?? false, timeout: busyTimeoutMs });
    if (fresh) chmodSync(path, 0o600);
    // Before the first write: switching to write-ahead logging would change somebody else's database for good.
    checkMark(db, file);
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
