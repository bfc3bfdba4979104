/** The drafting model of the lab: scripted, and every call in the journal, with another text at each of them. */
import { writeFileSync } from 'node:fs';
import { scriptedDrafter } from '../drafter/scripted.ts';
import type { Drafter } from '../ports/drafter.ts';
import type { Note } from './journal.ts';
import type { ProcessSettings } from './settings.ts';

/** The number of this call among those of all processes of the experiment: each takes the first that is free. */
function nextCall(journal: string): number {
  for (let call = 1; ; call += 1) {
    try {
      writeFileSync(`${journal}.draft-${call}`, '', { mode: 0o600, flag: 'wx' });
      return call;
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw thrown;
    }
  }
}

/** A second call gives another text, so it shows in what is approved and in what has an effect, not only in the count. */
export function labDrafter({ journal }: Pick<ProcessSettings, 'journal'>, note: Note): Drafter {
  return scriptedDrafter(({ caseId, action }) => {
    note('model', 'drafted', { caseId });
    const call = nextCall(journal);
    return `Draft ${call} for ${caseId} (${action}): the restart after update 4.2 is a known firmware issue.`;
  });
}
