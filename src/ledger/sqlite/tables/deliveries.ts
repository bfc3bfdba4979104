/** Table `deliveries`: which event brought which operation. */
import type { Database } from 'better-sqlite3';

export function deliveriesTable(db: Database) {
  const owner = db.prepare<[string], { operation_id: string }>(
    'SELECT operation_id FROM deliveries WHERE event_id = ?',
  );
  const insert = db.prepare<[string, string, number]>(
    'INSERT INTO deliveries (event_id, operation_id, at_ms) VALUES (?, ?, ?)',
  );
  return {
    owner: (eventId: string) => owner.get(eventId)?.operation_id ?? null,
    insert: (eventId: string, operationId: string, atMs: number) => insert.run(eventId, operationId, atMs),
  };
}
