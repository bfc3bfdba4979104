/** Destinations that are not like the embedded one, and a key that is in use. */
import { approve } from '../worlds/world.ts';
import { type Situation } from './situation.ts';

const group = 'Destinations';

const sendsAgain = 'Nobody asks the destination there: what has no receipt is sent again.';
const neverAsks = {
  'platform-naive': sendsAgain,
  'platform-run-key': sendsAgain,
  'platform-operation-key': sendsAgain,
} as const;

export const destinationSituations: readonly Situation[] = [
  {
    name: 'same-identity-other-payload',
    title: 'The same identity, another payload',
    fault: 'the receiver holds another payload under the very key this content is sent with',
    group,
    absent: {
      'platform-naive': 'A random key never meets another payload.',
      'platform-run-key': 'The key of a new run never meets another payload.',
    },
    async run(world) {
      await world.carry();
      const shown = await world.begin(world.case());
      world.x.plantEffect(shown.contentId, 'another payload');
      await world.decide(shown, approve);
      await world.settle([shown]);
    },
  },
  {
    name: 'absent-then-present',
    title: 'A look-up that says "absent" and later "present"',
    fault: 'the call fails after the receiver has recorded the effect, and look-ups do not show it until later',
    group,
    absent: neverAsks,
    destination: { lookup: 'eventual', showsLate: true },
    async run(world) {
      await world.carry({ point: 'receiver.committed', manner: 'throw' });
      const shown = await world.begin(world.case());
      await world.decide(shown, approve);
      await world.lookedInVain(shown);
      world.x.showEffects();
      await world.resume(shown);
      await world.settle([shown]);
    },
  },
  {
    name: 'destination-does-not-deduplicate',
    title: 'A destination that does not deduplicate and cannot be asked',
    fault: 'the call fails after the effect; every delivery is an effect, and there is no look-up',
    group,
    destination: { deduplicates: false, lookup: 'none' },
    async run(world) {
      await world.carry({ point: 'receiver.committed', manner: 'throw' });
      const shown = await world.begin(world.case());
      await world.decide(shown, approve);
      await world.settle([shown]);
      // Whoever asks again must not send again.
      await world.resume(shown);
    },
  },
  {
    name: 'receiver-file-lost',
    title: 'The receiver loses its file after the effect',
    fault: 'after the effect the receiver’s database file is removed; the case is handed in and approved again',
    group,
    async run(world) {
      await world.carry();
      const shown = await world.begin(world.case());
      await world.decide(shown, approve);
      await world.settle([shown]);
      await world.rest();
      world.x.loseFile('receiver.db');
      await world.carry();
      await world.again(world.case());
    },
  },
];
