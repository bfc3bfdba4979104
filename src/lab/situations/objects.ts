/** What the approval rested on changes between approval and effect; two operations want one object. */
import { approve, objectId } from '../worlds/world.ts';
import { ExperimentFault } from '../experiment.ts';
import { soon } from './decisions.ts';
import { type GivenCase, type Situation, type World } from './situation.ts';

const group = 'Between approval and effect';

/** Approved while nobody carries it out; then something happens that ends the approval; then somebody does. */
async function approvedThen(world: World, given: GivenCase, ends: () => Promise<string>): Promise<void> {
  await world.carry();
  const shown = await world.begin(given);
  await world.rest();
  const { acknowledged, said } = await world.decide(shown, approve);
  if (acknowledged !== true)
    throw new ExperimentFault(`The approval was answered "${said}": this machine was too slow.`);
  world.noteVoid(shown, await ends());
  await world.carry();
  await world.resume(shown);
  await world.settle([shown]);
}

export const objectSituations: readonly Situation[] = [
  {
    name: 'object-version-changed',
    title: 'The object changes between approval and effect',
    fault: 'approved while nobody carries it out; the object gets version 2; then it is carried out',
    group,
    run: (world) =>
      approvedThen(world, world.case(), async () => {
        await world.changeObject(objectId, { version: 2 });
        return 'the object had changed since';
      }),
  },
  {
    name: 'permission-revoked',
    title: 'The permission is revoked between approval and effect',
    fault: 'approved while nobody carries it out; the permission on the object is revoked; then it is carried out',
    group,
    run: (world) =>
      approvedThen(world, world.case(), async () => {
        await world.changeObject(objectId, { permitted: false });
        return 'the permission had been revoked';
      }),
  },
  {
    name: 'expired-after-approval',
    title: 'It expires between approval and effect',
    fault: 'approved in time while nobody carries it out; the deadline passes; then it is carried out',
    group,
    run: (world) => {
      const expiresAt = soon();
      return approvedThen(world, world.case({ expiresAt }), async () => {
        await world.x.untilTime(Date.parse(expiresAt));
        return 'it had expired';
      });
    },
  },
  {
    name: 'two-operations-one-object',
    title: 'Two operations on one object',
    fault: 'the destination is slow to answer the first; the second, on the same object, is approved meanwhile',
    group,
    async run(world) {
      await world.carry({ point: 'receiver.request-sent', manner: 'wait' });
      const first = await world.begin(world.case());
      const second = await world.begin(world.case({ caseId: 'T-42', body: 'Please send the unit in.' }));
      await world.decide(first, approve);
      await world.reached();
      world.noteTaken(first, objectId);
      await world.decide(second, approve);
      await world.settle([second]);
      world.noteFreed(objectId);
      world.proceed();
      await world.settle([first]);
      await world.resume(second);
      await world.settle([first, second]);
    },
  },
];
