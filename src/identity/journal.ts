/** The hash of a journal record: the same bytes in every store, so that any of them can be verified. */
import type { JournalRecord } from '../core/records.ts';
import { digest, frame } from './canonical.ts';

/** What stands before the first record of a chain. */
export const chainStart = '0'.repeat(64);

/** The hash of a journal record, lower-case hex. */
export function journalHash(ledgerId: string, entry: Omit<JournalRecord, 'sequence' | 'hash'>): string {
  const fields = [
    'countersign.journal.v1',
    ledgerId,
    entry.subject,
    String(entry.subjectSequence),
    String(entry.atMs),
    entry.actor,
    entry.what,
    entry.detail,
    entry.previousHash,
  ];
  return digest('', frame(fields));
}
