/** Table `attempts`: one row per claim, with its lease and, once, the receiver's answer. */
import type { Database } from 'better-sqlite3';
import type { AttemptRecord, ReceiverAnswer } from '../../../core/records.ts';

interface Row {
  operation_id: string;
  attempt: number;
  claimed_at_ms: number;
  lease_until_ms: number;
  receiver_id: string;
  receiver_sequence: number | null;
  executor: string;
  answer: ReceiverAnswer | null;
  answered_at_ms: number | null;
}

const record = (row: Row): AttemptRecord => ({
  operationId: row.operation_id,
  attempt: row.attempt,
  claimedAtMs: row.claimed_at_ms,
  leaseUntilMs: row.lease_until_ms,
  receiverId: row.receiver_id,
  receiverSequence: row.receiver_sequence,
  executor: row.executor,
  answer: row.answer,
  answeredAtMs: row.answered_at_ms,
});

export function attemptsTable(db: Database) {
  const all = db.prepare<[string], Row>(
    `SELECT operation_id, attempt, claimed_at_ms, lease_until_ms, receiver_id, receiver_sequence, executor, answer,
       answered_at_ms FROM attempts WHERE operation_id = ? ORDER BY attempt`,
  );
  const insert = db.prepare(
    `INSERT INTO attempts (operation_id, attempt, claimed_at_ms, lease_until_ms, receiver_id, receiver_sequence, executor)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  const answer = db.prepare<[string, number, number | null, string, number]>(
    `UPDATE attempts SET answer = ?, answered_at_ms = ?, answered_sequence = ?
     WHERE operation_id = ? AND attempt = ? AND answer IS NULL`,
  );
  return {
    of: (operationId: string) => all.all(operationId).map(record),
    insert(attempt: AttemptRecord): void {
      insert.run(
        attempt.operationId,
        attempt.attempt,
        attempt.claimedAtMs,
        attempt.leaseUntilMs,
        attempt.receiverId,
        attempt.receiverSequence,
        attempt.executor,
      );
    },
    /** `false`: that attempt has an answer on record already, or was never made. */
    answer(of: { operationId: string; attempt: number }, value: ReceiverAnswer, atMs: number, sequence: number | null) {
      return answer.run(value, atMs, sequence, of.operationId, of.attempt).changes === 1;
    },
  };
}
