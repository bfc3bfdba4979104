/** Table `receivers`: how far each receiver was seen to have come. */
import type { Database } from 'better-sqlite3';

export function receiversTable(db: Database) {
  const get = db.prepare<[string], { last_sequence: number | null }>(
    'SELECT last_sequence FROM receivers WHERE receiver_id = ?',
  );
  const see = db.prepare<[string, number | null, number]>(
    `INSERT INTO receivers (receiver_id, last_sequence, first_seen_ms) VALUES (?, ?, ?)
     ON CONFLICT (receiver_id) DO UPDATE
     SET last_sequence = max(coalesce(last_sequence, excluded.last_sequence), coalesce(excluded.last_sequence, last_sequence))`,
  );
  return {
    lastSequence: (receiverId: string) => get.get(receiverId)?.last_sequence ?? null,
    see: (receiverId: string, sequence: number | null, atMs: number) => see.run(receiverId, sequence, atMs),
  };
}
