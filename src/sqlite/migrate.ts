/** Brings a database file to the newest schema: numbered, append-only migrations in one transaction each. */
import { readFileSync, readdirSync } from 'node:fs';
import type { Database } from 'better-sqlite3';
import { CountersignError } from '../core/errors.ts';
import { checkMark, type FileKind } from './open.ts';

interface Migration {
  readonly version: number;
  readonly sql: string;
}

function migrationsIn(directory: URL): Migration[] {
  return readdirSync(directory)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => ({ version: Number(name.slice(0, 4)), sql: readFileSync(new URL(name, directory), 'utf8') }));
}

const userVersion = (db: Database): number => db.pragma('user_version', { simple: true }) as number;

/**
 * Applies what is missing and marks whose file it is, so that the ledger is never opened as a receiver or as somebody
 * else's database. Throws `ledger_version` for a newer schema, the file's `damaged` for a foreign one.
 */
export function migrate(db: Database, directory: URL, file: FileKind): void {
  const migrations = migrationsIn(directory);
  const newest = migrations.at(-1)?.version ?? 0;
  const run = db.transaction(() => {
    const version = userVersion(db);
    checkMark(db, file);
    if (version > newest) {
      throw new CountersignError('ledger_version', {
        message: `The ${file.name} has schema ${version}; this version of Countersign knows up to ${newest}.`,
      });
    }
    for (const { version: next, sql } of migrations) {
      if (next <= version) continue;
      db.exec(sql);
      db.pragma(`user_version = ${next}`);
    }
    db.pragma(`application_id = ${file.applicationId}`);
  });
  // The common case is a file that is up to date: it must not wait for another process's write lock.
  if (userVersion(db) === newest && db.pragma('application_id', { simple: true }) === file.applicationId) return;
  run.immediate();
}
