/** Sentences of the report, the terminal and the docs: what an experiment shows, and what it does not. */
import type { Verdict } from '../names.ts';
import type { LabResult, Observed, RunCell } from '../result.ts';

const establishedBy: Readonly<Record<Verdict, string>> = {
  held:
    'One experiment on one machine, in this one situation: it brought no violation about here. It does not establish ' +
    'that none is possible with another timing, in another situation or on another machine.',
  violated:
    'One experiment on one machine, in this one situation: it establishes that this arm can violate what is marked so, ' +
    'because it did. It does not establish how often, and it says nothing about other arms or situations.',
  unknown:
    'One experiment on one machine, in this one situation, and not everything could be read: what is marked unknown ' +
    'speaks neither for nor against this arm.',
};

/** What this experiment does and does not establish. */
export function establishes({ verdict, trouble }: RunCell, mutant: string | null): string {
  const bug = mutant === null ? '' : ` The bug ${mutant} was built in: the verdict is about that bug.`;
  const broken = trouble === null ? '' : ' It did not come to its end, so a violation after that point was not seen.';
  return `${establishedBy[verdict]}${broken}${bug}`;
}

export const notApplicableMeans =
  'Not applicable: the arm cannot express the situation. Nothing was run, and nothing is counted as held.';

/** Stands before everything else; `null` for a run of the product as it is. */
export function mutantWarning({ mutant }: LabResult): string | null {
  if (mutant === null) return null;
  return `A known bug was built in on purpose (${mutant}). These verdicts say whether the lab sees it; they say nothing about the product.`;
}

const settledText = (settledMs: number | null): string =>
  settledMs === null ? 'it never settled' : `${Math.round(settledMs)} ms`;

/** Counts in the order of the report. */
export function countsOf({ effects, ranAgain, settledMs }: Observed): readonly (readonly [string, string])[] {
  return [
    ['effects at the receiver', String(effects.total)],
    ['identities among them', String(effects.byIdentity)],
    ['workflow code run again', String(ranAgain.workflowReplays)],
    ['activity attempts', String(ranAgain.activityAttempts)],
    ['receiver writes', String(ranAgain.receiverWrites)],
    ['receiver look-ups', String(ranAgain.receiverLooks)],
    ['model calls', String(ranAgain.modelCalls)],
    ['from the fault to the settled state', settledText(settledMs)],
  ];
}

/** What each authority shows at the end; an arm without one has no row for it. */
export function shownOf({ shown }: Observed): readonly (readonly [string, string])[] {
  return Object.entries(shown).filter((entry): entry is [string, string] => entry[1] !== null);
}
