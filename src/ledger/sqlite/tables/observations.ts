/** Table `observations`: one row per look at the receiver. */
import type { Database } from 'better-sqlite3';
import type { Finding, ObservationRecord } from '../../../core/records.ts';

interface Row {
  sequence: number;
  operation_id: string;
  attempt: number;
  observed_at_ms: number;
  receiver_id: string;
  receiver_sequence: number | null;
  finding: Finding;
  discounted: string | null;
  contradiction: number;
}

const record = (row: Row): ObservationRecord => ({
  sequence: row.sequence,
  operationId: row.operation_id,
  attempt: row.attempt,
  observedAtMs: row.observed_at_ms,
  receiverId: row.receiver_id,
  receiverSequence: row.receiver_sequence,
  finding: row.finding,
  discounted: row.discounted,
  contradiction: row.contradiction === 1,
});

/** What the judging functions need: an operation that stays Unknown for weeks is looked at many hundred times. */
const newest = 64;

export function observationsTable(db: Database) {
  const recent = db.prepare<[string, number], Row>(
    `SELECT * FROM (SELECT * FROM observations WHERE operation_id = ? ORDER BY sequence DESC LIMIT ?) ORDER BY sequence`,
  );
  const all = db.prepare<[string], Row>('SELECT * FROM observations WHERE operation_id = ? ORDER BY sequence');
  const count = db.prepare<[string], { looks: number }>(
    'SELECT count(*) AS looks FROM observations WHERE operation_id = ?',
  );
  const said = db.prepare<[string, string], { sequence: number }>(
    'SELECT sequence FROM observations WHERE operation_id = ? AND discounted = ? LIMIT 1',
  );
  const insert = db.prepare(
    `INSERT INTO observations (operation_id, attempt, observed_at_ms, receiver_id, receiver_sequence, finding, discounted,
       contradiction) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  return {
    recent: (operationId: string) => recent.all(operationId, newest).map(record),
    count: (operationId: string) => count.get(operationId)?.looks ?? 0,
    of: (operationId: string) => all.all(operationId).map(record),
    /** Whether a look at this operation's effect was ever discounted for that reason. */
    hasSaid: (operationId: string, discounted: string) => said.get(operationId, discounted) !== undefined,
    insert(look: Omit<ObservationRecord, 'sequence'>): void {
      insert.run(
        look.operationId,
        look.attempt,
        look.observedAtMs,
        look.receiverId,
        look.receiverSequence,
        look.finding,
        look.discounted,
        look.contradiction ? 1 : 0,
      );
    },
  };
}
