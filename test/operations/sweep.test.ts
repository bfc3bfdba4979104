// Use case sweep: what it finds, in which order, over how many operations and how fast.
import { expect, test } from 'vitest';
import { sweep, type Passing, type SweepBounds } from '../../src/operations/sweep.ts';
import { leaseMs } from '../support/ledger-world.ts';
import { PortsWorld } from '../support/ports-world.ts';
import { temporaryDirectory } from '../support/temporary.ts';

const root = temporaryDirectory();
const make = (): PortsWorld => new PortsWorld(root, { fake: {} });

/** Runs of the operations named; `passed` are those passed on, in order. */
function runsOf(alive: readonly string[]): Passing & { readonly passed: string[] } {
  const passed: string[] = [];
  return {
    passed,
    alive: ({ operationId }) => Promise.resolve(alive.includes(operationId)),
    pass: ({ operationId }) => {
      passed.push(operationId);
      return Promise.resolve('told');
    },
  };
}

/** Sweeps without waiting; `waits` are the milliseconds it would have waited. */
async function swept(world: PortsWorld, passing: Passing, bounds: Partial<SweepBounds> = {}) {
  const waits: number[] = [];
  const wait = (ms: number): Promise<void> => {
    waits.push(ms);
    return Promise.resolve();
  };
  const answer = await sweep(world.ports, passing, { limit: 100, ...bounds, wait });
  return { ...answer, waits, reasons: answer.swept.map(({ caseId, reason }) => `${caseId} ${reason}`) };
}

async function reviewed(world: PortsWorld, caseId: string, object?: { id: string }): Promise<string> {
  const { operationId } = await world.propose({ caseId, ...(object ? { object } : {}) });
  await world.ports.ledger.noteRun(operationId, { workflowId: `review/${caseId}`, runId: `run-${caseId}` });
  return operationId;
}

async function toldOfAll(world: PortsWorld, operationId: string): Promise<void> {
  for (const { workflowId, untold } of await world.ports.ledger.runs(operationId)) {
    await world.ports.ledger.noteTold(operationId, workflowId, untold);
  }
}

/** Approved, claimed, and its request lost on the way. */
async function executing(world: PortsWorld, operationId: string): Promise<void> {
  await world.decide(operationId);
  world.fake.loseNextRequest();
  await expect(world.execute(operationId)).rejects.toThrow();
}

test('a sweep finds decisions that were not told, open operations without a run, free objects and looks that are due', async () => {
  const world = make();
  const untold = await reviewed(world, 'T-untold');
  await world.decide(untold);
  const lost = await reviewed(world, 'T-lost');
  const waiting = await reviewed(world, 'T-free');
  await world.decide(waiting);
  await toldOfAll(world, waiting);
  const due = await reviewed(world, 'T-due');
  await executing(world, due);
  await world.reconcile(due);
  await toldOfAll(world, due);
  const busy = await reviewed(world, 'T-busy');
  const final = await reviewed(world, 'T-final');
  await world.withdraw(final);
  await toldOfAll(world, final);
  world.clock.advance(leaseMs);
  const passing = runsOf([untold, waiting, due, busy, final]);

  const { reasons, looked, more } = await swept(world, passing);

  expect(reasons).toStrictEqual(['T-untold not told', 'T-lost no run', 'T-free object is free', 'T-due look is due']);
  expect(passing.passed).toStrictEqual([untold, lost, waiting, due]);
  expect({ looked, more }).toStrictEqual({ looked: 5, more: false });
});

test('operations blocked by one object are left alone while it is held, and passed on oldest first when it is free', async () => {
  const world = make();
  const object = { id: 'ticket' };
  const holder = await reviewed(world, 'T-holder', object);
  const blocked: string[] = [];
  for (const caseId of ['T-3', 'T-1', 'T-2']) blocked.push(await reviewed(world, caseId, object));
  // Approved in another order than admitted.
  for (const operationId of [...blocked].reverse()) await world.decide(operationId);
  await executing(world, holder);
  for (const operationId of [holder, ...blocked]) await toldOfAll(world, operationId);
  const passing = runsOf([holder, ...blocked]);

  const held = await swept(world, passing);
  await world.reconcile(holder);
  await world.resolve(holder, 'abandon');
  // As if the signals had been lost with the server.
  for (const operationId of [holder, ...blocked]) await toldOfAll(world, operationId);
  const free = await swept(world, passing);

  expect(held.reasons).toStrictEqual([]);
  expect(free.reasons).toStrictEqual(['T-3 object is free', 'T-1 object is free', 'T-2 object is free']);
  expect(passing.passed).toStrictEqual(blocked);
});

test('an unknown outcome is passed on when its next look is due, and not before', async () => {
  const world = make();
  const operationId = await reviewed(world, 'T-1');
  await executing(world, operationId);
  const passing = runsOf([operationId]);
  await toldOfAll(world, operationId);
  const during = await swept(world, passing);
  await world.reconcile(operationId);
  await toldOfAll(world, operationId);
  const looked = await swept(world, passing);
  world.clock.advance(1_000);
  const due = await swept(world, passing);

  expect(during.reasons).toStrictEqual([]);
  expect(looked.reasons).toStrictEqual([]);
  expect(due.reasons).toStrictEqual(['T-1 look is due']);
});

test('a sweep looks at no more than its limit, says that there are more, and never twice at one operation', async () => {
  const world = make();
  const ids: string[] = [];
  for (let index = 0; index < 5; index += 1) ids.push(await reviewed(world, `T-${index}`));
  await world.decide(ids[3]!);
  const passing = runsOf([]);

  const some = await swept(world, passing, { limit: 3 });
  const all = await swept(world, runsOf([]), { limit: 5 });

  expect(some).toMatchObject({ looked: 3, more: true });
  expect(passing.passed).toStrictEqual([ids[3], ids[0], ids[1]]);
  expect(all).toMatchObject({ looked: 5, more: false });
});

test('a sweep that goes on where another stopped comes to what is behind the first batch, and to nothing twice', async () => {
  const world = make();
  const ids: string[] = [];
  for (let index = 0; index < 5; index += 1) ids.push(await reviewed(world, `T-${index}`));
  // Their runs wait for a decision and are well: only the last one is lost.
  const passing = runsOf(ids.slice(0, 4));

  const first = await swept(world, passing, { limit: 2 });
  const second = await swept(world, passing, { limit: 2, from: first.next });
  const third = await swept(world, passing, { limit: 2, from: second.next });

  expect([first, second, third].map(({ looked, more }) => ({ looked, more }))).toStrictEqual([
    { looked: 2, more: true },
    { looked: 2, more: true },
    { looked: 1, more: false },
  ]);
  expect(third.next).toBeNull();
  expect(passing.passed).toStrictEqual([ids[4]]);
});

test('runs that cannot be told do not keep a sweep from the open operations behind them', async () => {
  const world = make();
  const ids: string[] = [];
  for (let index = 0; index < 3; index += 1) ids.push(await reviewed(world, `T-${index}`));
  for (const operationId of ids.slice(0, 2)) await world.decide(operationId);
  const passing = runsOf(ids.slice(0, 2));

  const first = await swept(world, passing, { limit: 2 });
  const second = await swept(world, passing, { limit: 3, from: first.next });

  expect(first.reasons).toStrictEqual(['T-0 not told', 'T-1 not told']);
  expect(second.reasons).toContain('T-2 no run');
  expect(second.more).toBe(false);
});

test('a sweep waits between one operation and the next, by default for 200 in a second', async () => {
  const world = make();
  for (let index = 0; index < 4; index += 1) await reviewed(world, `T-${index}`);

  expect((await swept(world, runsOf([]))).waits).toStrictEqual([5, 5, 5]);
  expect((await swept(world, runsOf([]), { perSecond: 4 })).waits).toStrictEqual([250, 250, 250]);
});
