/** Table `decisions`: written once per operation; triggers refuse every change. */
import type { Database } from 'better-sqlite3';
import type { DecisionRecord } from '../../../core/records.ts';

interface Row {
  operation_id: string;
  approved: number;
  reviewer: string;
  reason: string | null;
  signature: string | null;
  decided_at_ms: number;
  request_id: string | null;
  via: string;
}

export function decisionsTable(db: Database) {
  const get = db.prepare<[string], Row>('SELECT * FROM decisions WHERE operation_id = ?');
  const insert = db.prepare(
    `INSERT INTO decisions (operation_id, approved, reviewer, reason, signature, decided_at_ms, request_id, via)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  return {
    get(operationId: string): DecisionRecord | null {
      const row = get.get(operationId);
      if (!row) return null;
      return {
        operationId: row.operation_id,
        approved: row.approved === 1,
        reviewer: row.reviewer,
        reason: row.reason,
        signature: row.signature,
        decidedAtMs: row.decided_at_ms,
        requestId: row.request_id,
        via: row.via,
      };
    },
    insert(decision: DecisionRecord): void {
      insert.run(
        decision.operationId,
        decision.approved ? 1 : 0,
        decision.reviewer,
        decision.reason,
        decision.signature,
        decision.decidedAtMs,
        decision.requestId,
        decision.via,
      );
    },
  };
}
