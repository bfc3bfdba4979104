/** One durable insert, with the same settings as the ledger's database. */
import BetterSqlite3 from 'better-sqlite3';

export interface BareActivities {
  insertOnce(key: string): Promise<number>;
}

export function bareActivities(path: string): BareActivities {
  const db = new BetterSqlite3(path);
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  db.exec('CREATE TABLE IF NOT EXISTS effects (key TEXT PRIMARY KEY, at INTEGER NOT NULL) STRICT');
  const insert = db.prepare('INSERT OR IGNORE INTO effects (key, at) VALUES (?, ?)');
  return { insertOnce: async (key) => insert.run(key, Date.now()).changes };
}
