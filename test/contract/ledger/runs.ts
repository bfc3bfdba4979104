// Ledger contract: which runs are to be told of an operation, and of what.
import { expect, test } from 'vitest';
import { later, leaseMs, type MakeWorld, type World } from '../../support/ledger-world.ts';
import { unchanged } from './unchanged.ts';

const first = { workflowId: 'review/T-1042', runId: 'run-1' };
const second = { workflowId: 'review/T-1042/again', runId: 'run-2' };
const third = { workflowId: 'review/T-1042/once-more', runId: 'run-3' };

/** Who has not been told, and of how many changes. */
async function untold(world: World, operationId: string): Promise<Record<string, number>> {
  const runs = await world.ledger.runs(operationId);
  return Object.fromEntries(runs.filter((run) => run.untold > 0).map((run) => [run.runId, run.untold]));
}

/** A pending operation that three runs review. */
async function reviewedByThree(world: World): Promise<string> {
  const operationId = await world.propose({}, first);
  for (const run of [second, third]) expect(await world.ledger.noteRun(operationId, run)).toBe(true);
  return operationId;
}

type Change = (world: World, operationId: string) => Promise<unknown>;

/** What brings an operation so far, and then one change that `second` asks for. */
const changes: readonly (readonly [string, Change | null, Change])[] = [
  ['an approval', null, (world, id) => world.decide(id, { via: 'update', run: second })],
  ['a refusal', null, (world, id) => world.decide(id, { approved: false, via: 'signal', run: second })],
  ['a withdrawal', null, (world, id) => world.withdraw(id, { via: 'update', run: second })],
  [
    'an expiry that a read brings about',
    (world) => later(world, 60_000),
    (world, id) => world.ledger.settle(id, second),
  ],
  [
    'an expiry that a late decision brings about',
    (world) => later(world, 60_000),
    (world, id) => world.decide(id, { via: 'update', run: second }),
  ],
  [
    'a claim that is denied',
    async (world, id) => {
      await world.decide(id, { run: second });
      await world.ledger.setObject({ objectId: 'T-1042', version: 1, permitted: false, actor: 'olga' });
    },
    (world, id) => world.claim(id, { run: second }),
  ],
  ['a receipt', claimed, (world, id) => world.complete(id, 1, 'created', second)],
  ['a look that finds the effect', claimed, (world, id) => world.observe(id, 1, 'matching', { run: second })],
  ['a look that finds nothing', claimed, (world, id) => world.observe(id, 1, 'absent', { run: second })],
  ['an operator’s word', lookedFor, (world, id) => world.resolve(id, 'abandon', { via: 'update', run: second })],
  ['an operator’s question', lookedFor, (world, id) => world.resolve(id, 'ask_again', { via: 'update', run: second })],
];

async function claimed(world: World, operationId: string): Promise<void> {
  await world.decide(operationId, { run: second });
  await world.claim(operationId, { run: second });
}

async function lookedFor(world: World, operationId: string): Promise<void> {
  await claimed(world, operationId);
  await world.observe(operationId, 1, 'absent', { run: second });
}

async function tellAll(world: World, operationId: string): Promise<void> {
  for (const run of await world.ledger.runs(operationId)) {
    await world.ledger.noteTold(operationId, run.workflowId, run.untold);
  }
}

export function runs(make: MakeWorld): void {
  test.each(changes)('%s that one run asked for is to be told to every other one', async (_what, before, change) => {
    const world = make();
    const operationId = await world.propose({ policy: { label: 'p', decisionTtlSeconds: 30 } }, first);
    for (const run of [second, third]) await world.ledger.noteRun(operationId, run);
    await before?.(world, operationId);
    await tellAll(world, operationId);
    await change(world, operationId);
    expect(await untold(world, operationId)).toEqual({ 'run-1': 1, 'run-3': 1 });
    expect(await world.ledger.list({ untold: true, limit: 10 })).toMatchObject([{ operationId }]);
  });

  test('a change that a run’s predecessor asked for is to be told to the run: it may have been terminated', async () => {
    const world = make();
    const operationId = await reviewedByThree(world);
    const predecessor = { ...second, runId: 'run-0' };
    await world.decide(operationId, { via: 'update', run: predecessor });
    expect(await untold(world, operationId)).toEqual({ 'run-1': 1, 'run-2': 1, 'run-3': 1 });
  });

  test('a change that no run asked for is to be told to all of them', async () => {
    const world = make();
    const operationId = await reviewedByThree(world);
    await world.decide(operationId);
    expect(await untold(world, operationId)).toEqual({ 'run-1': 1, 'run-2': 1, 'run-3': 1 });
  });

  test('what changes nothing is to be told to nobody', async () => {
    const world = make();
    const operationId = await reviewedByThree(world);
    await world.decide(operationId, { run: first });
    await tellAll(world, operationId);
    await world.decide(operationId);
    await world.decide(operationId, { approved: false });
    await world.revise(operationId, 'better');
    await world.ledger.settle(operationId);
    await world.claim(operationId);
    await world.claim(operationId);
    expect(await untold(world, operationId)).toEqual({});
  });

  test('a look at an operation that stays Unknown is to be told to nobody', async () => {
    const world = make();
    const operationId = await reviewedByThree(world);
    await lookedFor(world, operationId);
    await tellAll(world, operationId);
    world.clock.advance(leaseMs);
    await world.observe(operationId, 1, 'absent', { run: second });
    expect(await untold(world, operationId)).toEqual({});
  });

  test('whoever reviews a proposal reviews its revision, and is to be told of it unless it asked', async () => {
    const world = make();
    const operationId = await reviewedByThree(world);
    const { currentOperationId } = await world.revise(operationId, 'better', { via: 'update', run: second });
    expect((await world.ledger.runs(currentOperationId!)).map(({ runId }) => runId).sort()).toEqual([
      ...['run-1', 'run-2', 'run-3'],
    ]);
    expect(await untold(world, currentOperationId!)).toEqual({ 'run-1': 1, 'run-3': 1 });
  });

  test('being told of less than there is does not count', async () => {
    const world = make();
    const operationId = await reviewedByThree(world);
    await world.decide(operationId, { run: second });
    await world.withdraw(operationId, { run: second });
    await unchanged(world, () => world.ledger.noteTold(operationId, first.workflowId, 1));
    expect(await untold(world, operationId)).toEqual({ 'run-1': 2, 'run-3': 2 });
    await world.ledger.noteTold(operationId, first.workflowId, 2);
    expect(await untold(world, operationId)).toEqual({ 'run-3': 2 });
  });

  test('a run is noted once; its successor under the same workflow id takes its place and reads for itself', async () => {
    const world = make();
    const operationId = await reviewedByThree(world);
    await world.decide(operationId);
    await unchanged(world, async () => expect(await world.ledger.noteRun(operationId, first)).toBe(false));
    expect(await world.ledger.noteRun(operationId, { ...first, runId: 'run-4' })).toBe(true);
    expect(await untold(world, operationId)).toEqual({ 'run-2': 1, 'run-3': 1 });
    expect((await world.view(operationId)).operation).toMatchObject({ ...first, runId: 'run-4' });
    // Read in turn by two of them, the operation does not change hands each time.
    await unchanged(world, () => world.ledger.noteRun(operationId, second));
  });

  test('a run that waits for an object is to be told when the object is free, and not before', async () => {
    for (const free of ['complete', 'resolve'] as const) {
      const world = make();
      const object = { id: 'ticket' };
      const holder = await world.unknown({ caseId: 'T-9', object });
      const operationId = await world.approved({ object }, first);
      await tellAll(world, operationId);
      expect((await world.claim(operationId)).outcome).toBe('overlap');
      expect(await untold(world, operationId)).toEqual({});
      await (free === 'complete' ? world.complete(holder, 1) : world.resolve(holder, 'abandon'));
      expect(await untold(world, operationId)).toEqual({ 'run-1': 1 });
    }
  });

  test('of an operation that nobody reviews nobody is to be told', async () => {
    const world = make();
    const operationId = await world.approved();
    expect(await world.ledger.runs(operationId)).toEqual([]);
    expect(await world.ledger.list({ untold: true, limit: 10 })).toEqual([]);
  });
}
