/** Deploys that do not fit, and a ledger that is lost or old. */
import { approve } from '../worlds/world.ts';
import { engineOf } from './gaps.ts';
import { noEngine, noLedger, type Situation } from './situation.ts';

export const versionSituations: readonly Situation[] = [
  {
    name: 'incompatible-deploy',
    title: 'A deploy that does not fit a waiting run',
    fault:
      'while the case waits, the worker is replaced by one whose workflow code has one step more; then it is approved',
    group: 'Deploys',
    absent: noEngine,
    async run(world) {
      const engine = engineOf(world);
      await engine.carry();
      const shown = await engine.begin(world.case());
      await engine.rest();
      await engine.carryIncompatible();
      await engine.decide(shown, approve);
      await engine.settle([shown]);
      await engine.finishStuck(shown);
    },
  },
  {
    name: 'unsupported-workflow-version',
    title: 'A case of a workflow version nobody here knows',
    fault: 'a case with workflowVersion 2 is handed in',
    group: 'Deploys',
    absent: {
      'platform-naive': 'A case has no version there.',
      'platform-run-key': 'A case has no version there.',
      'platform-operation-key': 'A case has no version there.',
    },
    async run(world) {
      await world.carry();
      await world.refusedAtBegin(world.case({ workflowVersion: 2 }));
    },
  },
  {
    name: 'ledger-file-lost',
    title: 'The ledger loses its file after the effect',
    fault: 'after the effect the ledger’s database file is removed; the case is handed in and approved again',
    group: 'The ledger is lost or old',
    absent: noLedger,
    async run(world) {
      await world.carry();
      const shown = await world.begin(world.case());
      await world.decide(shown, approve);
      await world.settle([shown]);
      await world.rest();
      world.x.loseFile('ledger.db');
      await world.again(world.case());
    },
  },
  {
    name: 'ledger-older-copy',
    title: 'An older copy of the ledger is restored after the effect',
    fault: 'the ledger is copied before the approval and the copy put back after the effect; it is approved again',
    group: 'The ledger is lost or old',
    absent: noLedger,
    async run(world) {
      await world.carry();
      const shown = await world.begin(world.case());
      await world.rest();
      const restore = world.x.copyFile('ledger.db');
      await world.carry();
      await world.decide(shown, approve);
      await world.resume(shown);
      await world.settle([shown]);
      await world.rest();
      restore();
      await world.again(world.case());
    },
  },
  {
    name: 'stored-content-altered',
    title: 'The stored content is altered between approval and effect',
    fault:
      'approved while nobody carries it out; the draft in the ledger’s file is changed behind its back; then it is carried out',
    group: 'The ledger is lost or old',
    absent: noLedger,
    async run(world) {
      await world.carry();
      const shown = await world.begin(world.case());
      await world.rest();
      await world.decide(shown, approve);
      world.x.alterBody(shown.contentId, 'Altered behind the back of the ledger.');
      await world.carry();
      await world.resume(shown);
      await world.attempted();
    },
  },
];
