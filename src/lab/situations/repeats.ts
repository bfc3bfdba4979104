/** Temporal's own ways to run something again, and an attempt that is declared dead and is not. */
import { approve } from '../worlds/world.ts';
import { engineOf } from './gaps.ts';
import { noEngine, type EngineWorld, type Situation, type World } from './situation.ts';

const group = 'The platform runs it again';

/** Approved and executed once. */
async function executed(world: World) {
  await world.carry();
  const shown = await world.begin(world.case());
  await world.decide(shown, approve);
  await world.settle([shown]);
  return shown;
}

const onEngine =
  (script: (world: EngineWorld) => Promise<void>): Situation['run'] =>
  (world) =>
    script(engineOf(world));

/** The case comes in once more, and whoever reviews it approves it once more where it is shown again. */
async function again(world: EngineWorld): Promise<void> {
  const shown = await world.begin(world.case());
  await world.decide(shown, approve);
  await world.settle([shown]);
}

export const repeatSituations: readonly Situation[] = [
  {
    name: 'attempt-outlives-its-timeout',
    title: 'An attempt is declared dead, and finishes beside its retry',
    fault: 'SIGSTOP of the worker before the effect, past its timeout; another worker takes over; then SIGCONT',
    group,
    async run(world) {
      await world.carry({ point: 'receiver.request-sent', manner: 'hold', alone: true });
      const shown = await world.begin(world.case());
      await world.decide(shown, approve);
      await world.heldBeside(shown);
      await world.settle([shown]);
    },
  },
  {
    name: 'reset-before-effect',
    title: '`workflow reset` before the effect',
    fault: 'the waiting run is reset to its first workflow task, and then approved',
    group,
    absent: noEngine,
    run: onEngine(async (world) => {
      await world.carry();
      const shown = await world.begin(world.case());
      await world.reset(shown);
      await world.decide(shown, approve);
      await world.settle([shown]);
    }),
  },
  {
    name: 'reset-after-effect',
    title: '`workflow reset` after the effect',
    fault: 'the finished run is reset to its first workflow task; its signals are applied again',
    group,
    absent: noEngine,
    run: onEngine(async (world) => {
      const shown = await executed(world);
      await world.reset(shown);
      await world.settle([shown]);
    }),
  },
  {
    name: 'started-again-while-open',
    title: 'The same workflow id is started again while its run is open',
    fault: 'the case is handed in twice before it is approved',
    group,
    async run(world) {
      await world.carry();
      await world.begin(world.case());
      const shown = await world.begin(world.case());
      await world.decide(shown, approve);
      await world.settle([shown]);
    },
  },
  {
    name: 'started-again-after-close',
    title: 'The same workflow id is started again after its run closed',
    fault: 'the case is handed in again after its effect, and approved again',
    group,
    async run(world) {
      await executed(world);
      const shown = await world.begin(world.case());
      await world.decide(shown, approve);
      await world.settle([shown]);
    },
  },
  {
    name: 'started-again-after-delete',
    title: 'The same workflow id is started again after its run was deleted',
    fault: 'the finished run is deleted, as retention would; the case is handed in and approved again',
    group,
    absent: noEngine,
    run: onEngine(async (world) => {
      await world.deleteRuns(await executed(world));
      await again(world);
    }),
  },
  {
    name: 'started-again-after-server-file-lost',
    title: 'The same workflow id is started again after the server lost its file',
    fault:
      'after the effect the server’s database file is removed and a new server started; the case is handed in and approved again',
    group,
    absent: noEngine,
    run: onEngine(async (world) => {
      await executed(world);
      await world.rest();
      await world.loseServerFile();
      await world.carry();
      await again(world);
    }),
  },
  {
    name: 'approved-then-server-file-lost',
    title: 'The server loses its file after an approval was acknowledged',
    fault:
      'no worker runs; an approval is acknowledged; the server’s database file is removed; server and worker start, and the case is handed in again',
    group,
    absent: noEngine,
    run: onEngine(async (world) => {
      await world.carry();
      const shown = await world.begin(world.case());
      await world.rest();
      await world.decide(shown, approve);
      await world.loseServerFile();
      await world.carry();
      const now = await world.begin(world.case());
      await world.settle([now]);
    }),
  },
];
