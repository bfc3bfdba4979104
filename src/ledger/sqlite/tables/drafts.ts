/** Table `drafts`: what a drafter answered to which request. */
import type { Database } from 'better-sqlite3';
import type { DraftRecord } from '../../../core/records.ts';

interface Row {
  request_id: string;
  case_id: string;
  drafter: string;
  body: Buffer;
  asked_at_ms: number;
  drafted_at_ms: number;
}

export function draftsTable(db: Database) {
  const get = db.prepare<[string], Row>('SELECT * FROM drafts WHERE request_id = ?');
  const insert = db.prepare(
    `INSERT INTO drafts (request_id, case_id, drafter, body, asked_at_ms, drafted_at_ms) VALUES (?, ?, ?, ?, ?, ?)`,
  );
  const requests = db.prepare<[], { request_id: string }>('SELECT request_id FROM drafts ORDER BY request_id');
  return {
    get(requestId: string): DraftRecord | null {
      const row = get.get(requestId);
      if (!row) return null;
      return {
        requestId: row.request_id,
        caseId: row.case_id,
        drafter: row.drafter,
        body: row.body.toString('utf8'),
        askedAtMs: row.asked_at_ms,
        draftedAtMs: row.drafted_at_ms,
      };
    },
    insert: ({ requestId, caseId, drafter, body, askedAtMs, draftedAtMs }: DraftRecord) =>
      insert.run(requestId, caseId, drafter, Buffer.from(body, 'utf8'), askedAtMs, draftedAtMs),
    requests: () => requests.all().map((row) => row.request_id),
  };
}
