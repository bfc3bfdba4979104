/** Table `resolutions`: what operators said of Unknown operations, with name and reason. */
import type { Database } from 'better-sqlite3';
import type { Resolution, ResolutionRecord } from '../../../core/records.ts';

interface Row {
  sequence: number;
  operation_id: string;
  attempt: number;
  resolution: Resolution;
  operator: string;
  reason: string;
  reference: string | null;
  resolved_at_ms: number;
}

export function resolutionsTable(db: Database) {
  const all = db.prepare<[string], Row>('SELECT * FROM resolutions WHERE operation_id = ? ORDER BY sequence');
  const insert = db.prepare(
    `INSERT INTO resolutions (operation_id, attempt, resolution, operator, reason, reference, resolved_at_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  return {
    of: (operationId: string): ResolutionRecord[] =>
      all.all(operationId).map((row) => ({
        sequence: row.sequence,
        operationId: row.operation_id,
        attempt: row.attempt,
        resolution: row.resolution,
        operator: row.operator,
        reason: row.reason,
        reference: row.reference,
        resolvedAtMs: row.resolved_at_ms,
      })),
    insert(word: Omit<ResolutionRecord, 'sequence'>): void {
      insert.run(
        word.operationId,
        word.attempt,
        word.resolution,
        word.operator,
        word.reason,
        word.reference,
        word.resolvedAtMs,
      );
    },
  };
}
