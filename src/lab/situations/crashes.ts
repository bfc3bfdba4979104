/** The process that carries out the effect dies, and so does the server. */
import { approve } from '../worlds/world.ts';
import { engineOf, gaps, pointOf, sameGap, type Gap } from './gaps.ts';
import { noClaim, noEngine, type Situation } from './situation.ts';

const workerKilled = (gap: Gap): Situation => ({
  name: `worker-killed-${gap.name}`,
  title: `kill -9 of the worker ${gap.title}`,
  fault: `kill -9 of the process that carries out the effect, while it stands ${gap.title}`,
  group: 'Processes die',
  ...(gap.platform === null ? { absent: noClaim } : {}),
  async run(world) {
    await world.carry({ point: pointOf(world, gap), manner: 'hold' });
    const shown = await world.begin(world.case());
    await world.decide(shown, approve);
    await world.kill();
    await world.resume(shown);
    await world.settle([shown]);
  },
});

const serverKilled = (gap: Gap): Situation => ({
  name: `server-killed-${gap.name}`,
  title: `kill -9 of the server ${gap.title}`,
  fault: `kill -9 of the Temporal server while the worker stands ${gap.title}; the server starts again on its file, and the worker goes on`,
  group: 'Processes die',
  absent: { ...noEngine, ...(gap.platform === null ? noClaim : {}) },
  async run(world) {
    const engine = engineOf(world);
    await world.carry({ point: pointOf(world, gap), manner: 'hold' });
    const shown = await world.begin(world.case());
    await world.decide(shown, approve);
    await engine.killServer();
    await world.settle([shown]);
  },
});

const afterEffect = sameGap('receiver.committed');

const receiptLost: readonly Situation[] = [
  {
    name: 'receipt-lost-thrown',
    title: 'The receipt is lost: an error after the effect',
    fault: 'the receiver records the effect, and the call fails',
    group: 'The receipt is lost',
    async run(world) {
      await world.carry({ point: 'receiver.committed', manner: 'throw' });
      const shown = await world.begin(world.case());
      await world.decide(shown, approve);
      await world.settle([shown]);
      if (world.x.arm === 'ledger') await world.resume(shown);
    },
  },
  {
    name: 'receipt-lost-worker-exit-42',
    title: 'The receipt is lost: the worker exits',
    fault: 'the worker exits with 42 after the receiver has recorded the effect',
    group: 'The receipt is lost',
    absent: noEngine,
    async run(world) {
      await world.carry({ point: pointOf(world, afterEffect), manner: 'exit' });
      const shown = await world.begin(world.case());
      await world.decide(shown, approve);
      await world.died();
      await world.resume(shown);
      await world.settle([shown]);
    },
  },
  {
    name: 'receipt-lost-command-exit-17',
    title: 'The receipt is lost: the command exits',
    fault: 'the command that approves and executes exits with 17 after the receiver has recorded the effect',
    group: 'The receipt is lost',
    absent: {
      'platform-naive': 'No command carries out the effect.',
      'platform-run-key': 'No command carries out the effect.',
      'platform-operation-key': 'No command carries out the effect.',
      both: 'No command carries out the effect: the worker does.',
    },
    async run(world) {
      await world.carry({ point: 'receiver.committed', manner: 'exit' });
      const shown = await world.begin(world.case());
      await world.decide(shown, approve);
      await world.resume(shown);
      await world.settle([shown]);
    },
  },
  {
    name: 'retries-exhausted',
    title: 'Retries are exhausted although the effect exists',
    fault:
      'the answer to a delivery is lost, ten times over, and look-ups are answered; the first delivery records the effect',
    group: 'The receipt is lost',
    async run(world) {
      await world.carry({ point: 'receiver.committed', manner: 'throw', times: 10 });
      const shown = await world.begin(world.case());
      await world.decide(shown, approve);
      await world.settle([shown]);
      if (world.x.arm === 'ledger') await world.resume(shown);
    },
  },
];

export const crashSituations: readonly Situation[] = [
  ...receiptLost,
  ...gaps.map(workerKilled),
  ...gaps.map(serverKilled),
];
