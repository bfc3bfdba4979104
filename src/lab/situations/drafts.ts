/** Cases that a model drafts: how often it is called, and whether what it says later can pass for what was approved. */
import { approve } from '../worlds/world.ts';
import { engineOf, pointOf, sameGap } from './gaps.ts';
import { noEngine, type Situation } from './situation.ts';

const group = 'A model drafts';
const nothingToName = 'A decision names the identity of a proposal; before the draft there is none to name.';

export const draftSituations: readonly Situation[] = [
  {
    name: 'drafted-worker-killed-after-effect',
    title: 'A drafted case: kill -9 of the worker after the effect',
    fault: 'a model drafts the case; kill -9 of the process that carries out the effect, after the effect',
    group,
    async run(world) {
      await world.carry({ point: pointOf(world, sameGap('receiver.committed')), manner: 'hold' });
      const shown = await world.begin(world.undrafted());
      await world.decide(shown, approve);
      await world.kill();
      await world.resume(shown);
      await world.settle([shown]);
    },
  },
  {
    name: 'drafted-reset-after-effect',
    title: 'A drafted case: `workflow reset` after the effect',
    fault:
      'a model drafts the case; after the effect the run is reset to its first workflow task, before the draft; signals are applied again',
    group,
    absent: noEngine,
    async run(world) {
      const engine = engineOf(world);
      await engine.carry();
      const shown = await engine.begin(world.undrafted());
      await engine.decide(shown, approve);
      await engine.settle([shown]);
      await engine.reset(shown);
      await engine.settle([shown]);
    },
  },
  {
    name: 'approved-before-drafted',
    title: 'An approval before the draft exists',
    fault:
      'the case is handed in while no worker runs; an approval comes in before any draft exists; the worker starts',
    group,
    absent: { ledger: nothingToName, both: nothingToName },
    async run(world) {
      const given = world.undrafted();
      await world.submit(given);
      const unseen = world.unseen(given);
      await world.decide(unseen, approve);
      await world.carry();
      await world.settle([unseen]);
    },
  },
];
