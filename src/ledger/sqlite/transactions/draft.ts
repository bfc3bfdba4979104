/** Transaction that stores what a drafter answered: once per request. */
import type { DraftRecord } from '../../../core/records.ts';
import { draftDigest } from '../../../identity/draft.ts';
import type { Store } from '../store.ts';

export function keepDraft(store: Store, given: Omit<DraftRecord, 'draftedAtMs'>): DraftRecord {
  const kept = store.drafts.get(given.requestId);
  // Two that asked at the same time go on with one text; the later answer is dropped.
  if (kept) return kept;
  const nowMs = store.now();
  // A clock that was set back while the drafter was at work must not lose the draft.
  const draft = { ...given, askedAtMs: Math.min(given.askedAtMs, nowMs), draftedAtMs: nowMs };
  store.drafts.insert(draft);
  const { caseId, requestId, drafter, body } = draft;
  const detail = { caseId, requestId, drafter, sha256: draftDigest(body) };
  store.journal.append({ subject: 'ledger', actor: drafter, what: 'drafted', detail }, nowMs);
  return draft;
}
