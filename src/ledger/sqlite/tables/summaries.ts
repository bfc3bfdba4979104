/** One operation's state, decision, head and writer in one statement: what is asked for most often. */
import type { Database } from 'better-sqlite3';
import type { Policy } from '../../../core/case.ts';
import type { OperationSummary } from '../../../core/records.ts';
import type { State } from '../../../core/states.ts';

interface Row {
  case_id: string;
  action: string;
  policy: string;
  state: State;
  attempts: number;
  proposed_by: string | null;
  expires_at_ms: number | null;
  decide_by_ms: number | null;
  approved: number | null;
  reviewer: string | null;
  reason: string | null;
  signature: string | null;
  decided_at_ms: number | null;
  request_id: string | null;
  via: string | null;
  head_hash: string;
  writer: string | null;
  current_id: string;
}

function decisionOf(operationId: string, row: Row): OperationSummary['decision'] {
  const { approved, reviewer, reason, signature, decided_at_ms: decidedAtMs, request_id: requestId, via } = row;
  if (approved === null || reviewer === null || decidedAtMs === null || via === null) return null;
  return { operationId, approved: approved === 1, reviewer, reason, signature, decidedAtMs, requestId, via };
}

export function summariesTable(db: Database) {
  const get = db.prepare<[string], Row>(
    `SELECT o.case_id, o.action, o.policy, o.state, o.attempts, o.proposed_by, o.expires_at_ms, o.decide_by_ms,
       d.approved, d.reviewer, d.reason, d.signature, d.decided_at_ms, d.request_id, d.via,
       (SELECT hash FROM journal WHERE subject = o.operation_id ORDER BY subject_sequence DESC LIMIT 1) AS head_hash,
       (SELECT executor FROM attempts WHERE operation_id = o.operation_id AND answer = 'created') AS writer,
       (SELECT operation_id FROM operations WHERE case_id = o.case_id ORDER BY sequence DESC LIMIT 1) AS current_id
     FROM operations o LEFT JOIN decisions d ON d.operation_id = o.operation_id
     WHERE o.operation_id = ?`,
  );
  return {
    get(operationId: string): OperationSummary | null {
      const row = get.get(operationId);
      if (!row) return null;
      return {
        operation: {
          operationId,
          caseId: row.case_id,
          action: row.action,
          policy: JSON.parse(row.policy) as Policy,
          state: row.state,
          attempts: row.attempts,
          proposedBy: row.proposed_by,
          expiresAtMs: row.expires_at_ms,
          decideByMs: row.decide_by_ms,
        },
        decision: decisionOf(operationId, row),
        attempts: row.writer === null ? [] : [{ answer: 'created', executor: row.writer }],
        headHash: row.head_hash,
        currentOperationId: row.current_id,
      };
    },
  };
}
