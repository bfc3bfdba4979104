/** A second handle on a SQLite file, as any other program has one. */
import Database from 'better-sqlite3';

/** Runs `act` on a handle of its own. With no pragma set, as a stranger would open the file. */
export function withHandle<T>(path: string, act: (db: Database.Database) => T): T {
  const db = new Database(path);
  try {
    return act(db);
  } finally {
    db.close();
  }
}

/** Every row of every table, to tell whether anything at all was written. */
export function dump(path: string): Record<string, unknown[]> {
  return withHandle(path, (db) => {
    const names = db
      .prepare<[], { name: string }>(`SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name`)
      .all();
    return Object.fromEntries(names.map(({ name }) => [name, db.prepare(`SELECT * FROM "${name}"`).all()]));
  });
}
