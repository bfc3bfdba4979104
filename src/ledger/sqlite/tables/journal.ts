/**
 * Table `journal`: every change and refusal, hash-chained per subject. A record's hash covers the ledger's id, its
 * place in the chain, its content and the hash before it, so a record cannot be changed, moved or left out unnoticed.
 */
import type { Database } from 'better-sqlite3';
import type { JournalRecord } from '../../../core/records.ts';
import { chainStart, journalHash } from '../../../identity/journal.ts';

interface Row {
  sequence: number;
  subject: string;
  subject_sequence: number;
  at_ms: number;
  actor: string;
  what: string;
  detail: string;
  previous_hash: string;
  hash: string;
}

const record = (row: Row): JournalRecord => ({
  sequence: row.sequence,
  subject: row.subject,
  subjectSequence: row.subject_sequence,
  atMs: row.at_ms,
  actor: row.actor,
  what: row.what,
  detail: row.detail,
  previousHash: row.previous_hash,
  hash: row.hash,
});

export interface JournalEntry {
  readonly subject: string;
  readonly actor: string;
  readonly what: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

export function journalTable(db: Database, ledgerId: string) {
  const last = db.prepare<[], { at_ms: number }>('SELECT at_ms FROM journal ORDER BY sequence DESC LIMIT 1');
  const head = db.prepare<[string], Row>(
    'SELECT * FROM journal WHERE subject = ? ORDER BY subject_sequence DESC LIMIT 1',
  );
  const all = db.prepare<[string], Row>('SELECT * FROM journal WHERE subject = ? ORDER BY subject_sequence');
  const has = db.prepare<[string, string], { sequence: number }>(
    'SELECT sequence FROM journal WHERE subject = ? AND hash = ?',
  );
  const subjects = db.prepare<[], { subject: string }>('SELECT DISTINCT subject FROM journal ORDER BY subject');
  const insert = db.prepare(
    `INSERT INTO journal (subject, subject_sequence, at_ms, actor, what, detail, previous_hash, hash)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const headOf = (subject: string): JournalRecord | null => {
    const row = head.get(subject);
    return row ? record(row) : null;
  };

  function append(entry: JournalEntry, atMs: number): JournalRecord {
    const before = headOf(entry.subject);
    const next = {
      subject: entry.subject,
      subjectSequence: (before?.subjectSequence ?? 0) + 1,
      atMs,
      actor: entry.actor,
      what: entry.what,
      detail: JSON.stringify(entry.detail),
      previousHash: before?.hash ?? chainStart,
    };
    const hash = journalHash(ledgerId, next);
    const { lastInsertRowid } = insert.run(
      next.subject,
      next.subjectSequence,
      next.atMs,
      next.actor,
      next.what,
      next.detail,
      next.previousHash,
      hash,
    );
    return { ...next, sequence: Number(lastInsertRowid), hash };
  }

  return {
    append,
    /** For refusals that an automatic caller may repeat for hours: the same one in a row is written once. */
    appendOnce(entry: JournalEntry, atMs: number): void {
      const before = headOf(entry.subject);
      if (before?.what === entry.what && before.detail === JSON.stringify(entry.detail)) return;
      append(entry, atMs);
    },
    lastAtMs: () => last.get()?.at_ms ?? null,
    headHash: (subject: string) => headOf(subject)?.hash ?? chainStart,
    holds: (subject: string, hash: string) => has.get(subject, hash) !== undefined,
    of: (subject: string) => all.all(subject).map(record),
    subjects: () => subjects.all().map((row) => row.subject),
  };
}
