/** Table `restorations` and the suspicion before one: whether this file lacks what others have seen of the ledger. */
import type { Database } from 'better-sqlite3';

/** What somebody saw of this ledger and this ledger does not have. */
export interface Suspicion {
  readonly hash: string;
  readonly source: string;
}

const key = 'suspicion';

export function restorationsTable(db: Database) {
  const get = db.prepare<[string], { value: string }>('SELECT value FROM meta WHERE key = ?');
  const put = db.prepare<[string, string]>(
    'INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
  );
  const remove = db.prepare<[string]>('DELETE FROM meta WHERE key = ?');
  const newest = db.prepare<[], { generation: number }>(
    'SELECT coalesce(max(generation), 0) AS generation FROM restorations',
  );
  const accepted = db.prepare<[string], { generation: number }>(
    'SELECT generation FROM restorations WHERE lost_hash = ?',
  );
  const insert = db.prepare(
    `INSERT INTO restorations (generation, lost_hash, source, operator, reason, accepted_at_ms) VALUES (?, ?, ?, ?, ?, ?)`,
  );
  return {
    suspicion(): Suspicion | null {
      const row = get.get(key);
      return row ? (JSON.parse(row.value) as Suspicion) : null;
    },
    suspect: (suspicion: Suspicion) => put.run(key, JSON.stringify(suspicion)),
    clear: () => remove.run(key),
    /** How often a person let an older copy go on; a head of an earlier generation may be lost. */
    generation: () => newest.get()?.generation ?? 0,
    isAccepted: (hash: string) => accepted.get(hash) !== undefined,
    insert: (generation: number, lost: Suspicion, operator: string, reason: string, atMs: number) =>
      insert.run(generation, lost.hash, lost.source, operator, reason, atMs),
  };
}
