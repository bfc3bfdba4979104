/**
 * Looks at the server's database file before the server does. The development server neither checks nor migrates it:
 * 1.32 starts on a file of 1.29 whose tables and columns differ, and fails later, somewhere else.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { errnoOf, messageOf, ServerError } from './errors.ts';
import { damagedDatabase, foreignDatabase } from './failure.ts';

/** A whole check reads the whole file; above this size the server's own words have to do. */
const maxCheckedBytes = 64 * 1024 * 1024;

/** Written beside the file after each successful start: which server last worked on it, and its schema. */
interface VersionNote {
  readonly serverVersion: string;
  readonly schema: string;
}

const noteFile = (stateDir: string): string => join(stateDir, 'temporal.version.json');

export const databaseFileOf = (stateDir: string): string => join(stateDir, 'temporal.db');

export function schemaOf(database: Database.Database): string {
  const rows = database
    .prepare("SELECT type, name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' ORDER BY 1, 2")
    .all();
  return createHash('sha256').update(JSON.stringify(rows)).digest('hex');
}

function readNote(stateDir: string): VersionNote | null {
  try {
    return JSON.parse(readFileSync(noteFile(stateDir), 'utf8')) as VersionNote;
  } catch {
    return null;
  }
}

/** Without a note the next start learns the same by a longer way, so failing to write one stops nothing. */
export function writeNote(stateDir: string, serverVersion: string): void {
  let database: Database.Database | null = null;
  try {
    database = new Database(databaseFileOf(stateDir), { readonly: true, fileMustExist: true });
    const note: VersionNote = { serverVersion, schema: schemaOf(database) };
    writeFileSync(noteFile(stateDir), `${JSON.stringify(note)}\n`, { mode: 0o600 });
  } catch {
    rmSync(noteFile(stateDir), { force: true });
  } finally {
    database?.close();
  }
}

/** The exclusive mode makes SQLite refuse a file that any other process has open in WAL mode. */
function inspect(file: string): string {
  let database: Database.Database | null = null;
  try {
    database = new Database(file, { fileMustExist: true, timeout: 1_000 });
    database.pragma('locking_mode = EXCLUSIVE');
    const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").pluck().all();
    if (!tables.includes('namespaces') || !tables.includes('executions')) {
      throw foreignDatabase(file, 'is not a database of the Temporal server');
    }
    if (statSync(file).size <= maxCheckedBytes) {
      const found = database.pragma('quick_check(1)', { simple: true });
      if (found !== 'ok') throw damagedDatabase(file, String(found).replaceAll(/\s+/g, ' '));
    }
    return schemaOf(database);
  } catch (error) {
    if (error instanceof ServerError) throw error;
    const code = errnoOf(error) ?? '';
    if (code.startsWith('SQLITE_BUSY')) {
      const hint = 'A server that was not started from here uses it: stop that one, or use another --state directory.';
      throw new ServerError(`${file} is in use by another process`, hint);
    }
    if (code === 'SQLITE_NOTADB' || code.startsWith('SQLITE_CORRUPT')) throw damagedDatabase(file, messageOf(error));
    const hint = 'Check the permissions of the state directory and of the file.';
    throw new ServerError(`${file} cannot be opened (${messageOf(error)})`, hint);
  } finally {
    database?.close();
  }
}

/**
 * @param expectedSchema makes a new file with the server that is to work on this one and returns its schema; asked
 *   only where the note does not settle it.
 * @throws ServerError when the file is damaged, in use, or made by a server whose tables differ.
 */
export async function checkDatabase(
  stateDir: string,
  serverVersion: string,
  expectedSchema: () => Promise<string>,
): Promise<void> {
  const file = databaseFileOf(stateDir);
  if (!existsSync(file)) return;
  const schema = inspect(file);
  const note = readNote(stateDir);
  const known = note?.schema === schema ? note.serverVersion : null;
  if (known === serverVersion || (await expectedSchema()) === schema) return;
  const by = known === null ? 'another version of the Temporal server' : `Temporal server ${known}`;
  throw foreignDatabase(file, `was made by ${by}, and server ${serverVersion} needs other tables`);
}
