/** Approvals: twice, opposite, stale, too early, too late. */
import { ExperimentFault } from '../experiment.ts';
import { approve, decline } from '../worlds/world.ts';
import { type Situation } from './situation.ts';

const group = 'Approvals';
/** Long enough for a slow machine to begin and approve in. */
const soonMs = 15_000;
export const soon = (): string => new Date(Date.now() + soonMs).toISOString();
const edited = { body: 'Edited: please collect a diagnostic export first.' };

export const decisionSituations: readonly Situation[] = [
  {
    name: 'approved-twice',
    title: 'The same approval is given twice',
    fault: 'two reviewers approve the same proposal, one after the other',
    group,
    async run(world) {
      await world.carry();
      const shown = await world.begin(world.case());
      await world.decide(shown, approve);
      await world.decide(shown, { approved: true, reviewer: 'marek' });
      await world.settle([shown]);
    },
  },
  {
    name: 'opposite-decisions',
    title: 'Opposite decisions',
    fault: 'while nobody carries anything out, one reviewer declines and another approves the same proposal',
    group,
    async run(world) {
      await world.carry();
      const shown = await world.begin(world.case());
      await world.rest();
      await world.decide(shown, decline);
      await world.decide(shown, approve);
      await world.carry();
      await world.resume(shown);
      await world.settle([shown]);
    },
  },
  {
    name: 'stale-tab',
    title: 'An approval from a stale tab',
    fault: 'the draft is edited; a reviewer who still sees the first draft approves',
    group,
    async run(world) {
      await world.carry();
      const first = await world.begin(world.case());
      const second = await world.revise(first, edited);
      await world.decide(first, approve);
      await world.settle([second]);
    },
  },
  {
    name: 'approved-before-ready',
    title: 'An approval before the proposal is ready',
    fault: 'the case is handed in while no worker runs, and approved by its text before anything has prepared it',
    group,
    absent: { ledger: 'The command that hands a case in prepares it, too: there is no moment in between.' },
    async run(world) {
      const given = world.case();
      await world.submit(given);
      const shown = world.asRead(given);
      await world.decide(shown, approve);
      await world.carry();
      await world.resume(shown);
      await world.settle([shown]);
    },
  },
  {
    name: 'approved-after-deadline',
    title: 'An approval after the deadline, with the worker down',
    fault: 'the worker is stopped, the deadline passes, a reviewer approves, the worker starts',
    group,
    async run(world) {
      const given = world.case({ expiresAt: soon() });
      await world.carry();
      const shown = await world.begin(given);
      const deadlineMs = Date.parse(given.expiresAt ?? '');
      if (Date.now() >= deadlineMs) throw new ExperimentFault('It was too late already: this machine was too slow.');
      await world.rest();
      await world.x.untilTime(deadlineMs);
      world.noteVoid(shown, 'its deadline had passed');
      await world.decide(shown, approve);
      await world.carry();
      await world.resume(shown);
      await world.settle([shown]);
    },
  },
];

export const changeSituations: readonly Situation[] = [
  {
    name: 'draft-edited',
    title: 'The draft is edited while it waits',
    fault: 'the draft is edited, and the edited one is approved',
    group: 'The content changes',
    async run(world) {
      await world.carry();
      const first = await world.begin(world.case());
      const second = await world.revise(first, edited);
      await world.decide(second, approve);
      await world.settle([second]);
    },
  },
  {
    name: 'source-version-changed',
    title: 'A source has a new version while the case waits',
    fault: 'the evidence is replaced by its next version; a reviewer who read the old one approves',
    group: 'The content changes',
    async run(world) {
      await world.carry();
      const first = await world.begin(world.case());
      const evidence = [{ sourceId: 'KB-311', version: 4, quotation: 'Update 4.2 does not restart the unit.' }];
      const second = await world.revise(first, { evidence });
      await world.decide(first, approve);
      await world.settle([second]);
    },
  },
  {
    name: 'policy-changed',
    title: 'The policy changes while the case waits',
    fault: 'the allowance in the policy is lowered; a reviewer who read the old one approves',
    group: 'The content changes',
    async run(world) {
      await world.carry();
      const first = await world.begin(world.case());
      const second = await world.revise(first, { policy: { label: 'support-review/2', allowanceUnits: 1 } });
      await world.decide(first, approve);
      await world.settle([second]);
    },
  },
];
