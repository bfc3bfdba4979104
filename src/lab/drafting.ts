/** The drafting model of the lab: scripted, the same draft for the same case, and every call in the journal. */
import type { Note } from './journal.ts';

export function scriptedDraft(given: { readonly caseId: string; readonly action: string }, note: Note): string {
  note('model', 'drafted', { caseId: given.caseId });
  return `Draft for ${given.caseId} (${given.action}): the restart after update 4.2 is a known firmware issue.`;
}
