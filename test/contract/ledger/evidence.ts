// Ledger contract: what the receiver said, stored however late, and what follows from it.
import { describe, expect, test } from 'vitest';
import { noonMs } from '../../support/clock.ts';
import { leaseMs, type World, type MakeWorld } from '../../support/ledger-world.ts';
import { unchanged } from './unchanged.ts';

const nowhere = `op-v1-${'0'.repeat(64)}`;
const object = { id: 'ticket', version: 1 };

/** An operation whose second attempt is running. */
async function secondAttempt(world: World): Promise<string> {
  const operationId = await world.unknown();
  world.clock.advance(leaseMs);
  await world.claim(operationId);
  return operationId;
}

const final: readonly (readonly [string, (world: World) => Promise<string>])[] = [
  ['Declined', async (world) => {
    const operationId = await world.propose();
    await world.decide(operationId, { approved: false });
    return operationId;
  }],
  ['Withdrawn', async (world) => {
    const operationId = await world.approved();
    await world.withdraw(operationId);
    return operationId;
  }],
  ['Abandoned', async (world) => {
    const operationId = await world.unknown();
    await world.resolve(operationId, 'abandon');
    return operationId;
  }],
]; // prettier-ignore

function receipts(make: MakeWorld): void {
  test.each(['created', 'exists'] as const)(
    'the answer "%s" completes the operation and is stored with its attempt',
    async (answer) => {
      const world = make();
      const operationId = await world.executing();
      world.clock.advance(30);
      world.sequence = 1;
      const { view, unblocked } = await world.complete(operationId, 1, answer);
      expect(view.operation).toMatchObject({ state: 'Completed', attempts: 1 });
      expect(view.attempts).toMatchObject([{ attempt: 1, answer, answeredAtMs: noonMs + 30 }]);
      expect(view.lastReceiverSequence).toBe(1);
      expect(unblocked).toEqual([]);
      expect((await world.told(operationId)).at(-1)).toBe(`receipt: ${answer}`);
    },
  );

  test('the same receipt again writes nothing new', async () => {
    const world = make();
    const operationId = await world.executing();
    await world.complete(operationId, 1);
    const { view, unblocked } = await unchanged(world, () => world.complete(operationId, 1));
    expect(view.operation.state).toBe('Completed');
    expect(unblocked).toEqual([]);
  });

  test('a receipt for an attempt that was never made is no evidence', async () => {
    const world = make();
    const operationId = await world.executing();
    await unchanged(world, () => world.complete(operationId, 2));
    expect(await world.state(operationId)).toBe('Executing');
  });

  test('a conflict leaves the operation Unknown, flagged with its attempt', async () => {
    const world = make();
    const operationId = await world.executing();
    const { view } = await world.complete(operationId, 1, 'conflict');
    expect(view.operation.state).toBe('Unknown');
    expect(view.attempts).toMatchObject([{ answer: 'conflict' }]);
    expect((await world.told(operationId)).at(-1)).toBe('receipt: conflict');
  });

  test('a late receipt of attempt 1 completes the operation while attempt 2 is running', async () => {
    const world = make();
    const operationId = await secondAttempt(world);
    const { view } = await world.complete(operationId, 1, 'created');
    expect(view.operation).toMatchObject({ state: 'Completed', attempts: 2 });
    expect(view.attempts).toMatchObject([
      { attempt: 1, answer: 'created' },
      { attempt: 2, answer: null },
    ]);
  });

  test('a late receipt completes an Unknown operation', async () => {
    const world = make();
    const operationId = await world.unknown();
    expect((await world.complete(operationId, 1, 'created')).view.operation.state).toBe('Completed');
  });

  test('a late conflict of attempt 1 is stored and does not move attempt 2', async () => {
    const world = make();
    const operationId = await secondAttempt(world);
    const { view } = await world.complete(operationId, 1, 'conflict');
    expect(view.operation.state).toBe('Executing');
    expect(view.attempts).toMatchObject([{ answer: 'conflict' }, { answer: null }]);
  });

  test('the second receipt of a completed operation is stored and contradicts nothing', async () => {
    const world = make();
    const operationId = await secondAttempt(world);
    await world.complete(operationId, 2, 'created');
    const { view } = await world.complete(operationId, 1, 'exists');
    expect(view.operation.state).toBe('Completed');
    expect((await world.told(operationId)).at(-1)).toBe('receipt: exists');
  });

  test('a receipt after Abandoned is stored as a contradiction, and the state stays', async () => {
    const world = make();
    const operationId = await world.unknown();
    await world.resolve(operationId, 'abandon');
    const { view } = await world.complete(operationId, 1, 'created');
    expect(view.operation.state).toBe('Abandoned');
    expect(view.attempts).toMatchObject([{ answer: 'created' }]);
    expect((await world.told(operationId)).at(-1)).toBe('receipt against Abandoned: created');
  });

  test('an operation nobody knows is not found', async () => {
    const world = make();
    await unchanged(world, () => expect(world.complete(nowhere, 1)).rejects.toMatchObject({ code: 'not_found' }));
  });
}

function looks(make: MakeWorld): void {
  test.each(['executing', 'unknown'] as const)('a matching look completes an operation that is %s', async (reach) => {
    const world = make();
    const operationId = await world[reach]();
    const { view } = await world.observe(operationId, 1, 'matching');
    expect(view.operation).toMatchObject({ state: 'Completed', attempts: 1 });
    expect(view.observations.at(-1)).toMatchObject({ finding: 'matching', attempt: 1, contradiction: false });
    expect((await world.told(operationId)).at(-1)).toBe('look: matching');
  });

  test.each(['absent', 'conflict', 'unavailable'] as const)(
    '"%s" leaves the operation Unknown, whatever the reason',
    async (finding) => {
      const world = make();
      const operationId = await world.executing();
      const { view } = await world.observe(operationId, 1, finding);
      expect(view.operation.state).toBe('Unknown');
      expect(view.observations).toMatchObject([{ finding, discounted: null, contradiction: false }]);
    },
  );

  test('a late absence of attempt 1 is stored and does not move attempt 2', async () => {
    const world = make();
    const operationId = await secondAttempt(world);
    for (const finding of ['absent', 'unavailable', 'conflict'] as const) {
      const { view } = await world.observe(operationId, 1, finding);
      expect(view.operation.state).toBe('Executing');
      expect(view.observations.at(-1)).toMatchObject({ attempt: 1, finding });
    }
  });

  test('a late matching look about attempt 1 completes the operation while attempt 2 is running', async () => {
    const world = make();
    const operationId = await secondAttempt(world);
    expect((await world.observe(operationId, 1, 'matching')).view.operation.state).toBe('Completed');
  });

  test('every look at an Unknown operation is stored', async () => {
    const world = make();
    const operationId = await world.unknown();
    await world.observe(operationId, 1, 'absent');
    await world.observe(operationId, 1, 'unavailable');
    const findings = (await world.ledger.observations(operationId)).map(({ finding }) => finding);
    expect(findings).toEqual(['absent', 'absent', 'unavailable']);
  });

  test('a matching look at a completed operation writes nothing new', async () => {
    const world = make();
    const operationId = await world.executing();
    await world.complete(operationId, 1);
    await unchanged(world, () => world.observe(operationId, 1, 'matching'));
    await unchanged(world, () => world.observe(operationId, 1, 'unavailable'));
  });

  test('a look at what was never claimed writes nothing when it finds nothing', async () => {
    const world = make();
    const operationId = await world.approved();
    const { view } = await unchanged(world, () => world.observe(operationId, 0, 'absent'));
    expect(view.operation.state).toBe('Approved');
  });

  test('an operation nobody knows is not found', async () => {
    const world = make();
    const act = () => expect(world.observe(nowhere, 0, 'absent')).rejects.toMatchObject({ code: 'not_found' });
    await unchanged(world, act);
  });
}

function worth(make: MakeWorld): void {
  const discounted = async (world: World, over: Parameters<World['observe']>[3]): Promise<string | null> => {
    const operationId = await world.executing();
    world.sequence = 7;
    await world.complete(await world.executing({ caseId: 'T-2' }), 1);
    const { view } = await world.observe(operationId, 1, 'absent', over);
    expect(view.operation.state).toBe('Unknown');
    return view.observations.at(-1)!.discounted;
  };

  test('an absence at the same receiver, no less far than it was seen, counts', async () => {
    expect(await discounted(make(), { receiverSequence: 7 })).toBeNull();
  });

  test('an absence at a receiver that was emptied or restored proves nothing', async () => {
    expect(await discounted(make(), { receiverSequence: 6 })).toMatch(/lost records/);
    expect(await discounted(make(), { receiverSequence: null })).toMatch(/lost records/);
  });

  test('an absence at another receiver proves nothing', async () => {
    const world = make();
    const declaration = { ...world.receiver, receiverId: 'receiver-2' };
    expect(await discounted(world, { declaration, receiverSequence: 7 })).toMatch(/another receiver/);
  });

  test('an absence that proves nothing allows no other attempt, also when the count is back where it was', async () => {
    const world = make();
    const operationId = await world.executing();
    world.sequence = 7;
    await world.complete(await world.executing({ caseId: 'T-2' }), 1);
    await world.observe(operationId, 1, 'absent', { receiverSequence: 6 });
    world.clock.advance(leaseMs);
    expect((await world.claim(operationId)).outcome).toBe('unknown');
    // Effects of others have raised it since; what was lost is lost.
    const { view } = await world.observe(operationId, 1, 'absent');
    expect(view.observations.at(-1)?.discounted).toMatch(/lost records/);
    expect((await world.claim(operationId)).outcome).toBe('unknown');
  });

  test('what others have recorded since the receiver was asked does not make it one that lost records', async () => {
    const world = make();
    const operationId = await world.executing();
    world.sequence = 7;
    await world.complete(await world.executing({ caseId: 'T-2' }), 1);
    const asked = { receiverSequence: 6, lastSeenSequence: 6 };
    const { view } = await world.observe(operationId, 1, 'absent', asked);
    expect(view.observations.at(-1)?.discounted).toBeNull();
  });

  test('an absence against Completed is a contradiction only where it is proof', async () => {
    for (const [lookup, contradiction] of [
      ['authoritative', true],
      ['eventual', false],
    ] as const) {
      const world = make();
      world.receiver = { ...world.receiver, lookup };
      const operationId = await world.executing();
      world.sequence = 1;
      await world.complete(operationId, 1);
      const { view } = await world.observe(operationId, 1, 'absent');
      expect(view.operation.state).toBe('Completed');
      expect(view.observations.at(-1)?.contradiction ?? false).toBe(contradiction);
      const said = contradiction ? 'look against Completed: absent' : 'look: absent';
      expect((await world.told(operationId)).at(-1)).toBe(said);
      // An emptied receiver contradicts nothing.
      const { view: later } = await world.observe(operationId, 1, 'absent', { receiverSequence: 0 });
      expect(later.observations.at(-1)).toMatchObject({ contradiction: false });
    }
  });

  test('a conflict against Completed is a contradiction', async () => {
    const world = make();
    const operationId = await world.executing();
    await world.complete(operationId, 1);
    const { view } = await world.observe(operationId, 1, 'conflict');
    expect(view).toMatchObject({ operation: { state: 'Completed' }, observations: [{ contradiction: true }] });
  });

  test('what an operator said happened and a look does not find is a contradiction, and the state stays', async () => {
    const world = make();
    const operationId = await world.unknown();
    await world.resolve(operationId, 'effect_happened');
    const { view } = await world.observe(operationId, 1, 'absent');
    expect(view.operation.state).toBe('Completed');
    expect(view.observations.at(-1)).toMatchObject({ finding: 'absent', contradiction: true });
  });

  test.each(final)(
    'an effect of an operation that is %s is a contradiction, and the state stays',
    async (state, reach) => {
      const world = make();
      const operationId = await reach(world);
      const { attempts } = (await world.view(operationId)).operation;
      const { view } = await world.observe(operationId, attempts, 'matching');
      expect(view.operation.state).toBe(state);
      expect(view.observations.at(-1)).toMatchObject({ finding: 'matching', contradiction: true });
      expect((await world.told(operationId)).at(-1)).toBe(`look against ${state}: matching`);
    },
  );

  test('an effect of an operation that was never claimed is a contradiction', async () => {
    const world = make();
    const operationId = await world.approved();
    const { view } = await world.observe(operationId, 0, 'matching');
    expect(view).toMatchObject({ operation: { state: 'Approved' }, observations: [{ contradiction: true }] });
  });
}

function unblocking(make: MakeWorld): void {
  const free: readonly (readonly [string, (world: World, holder: string) => Promise<{ unblocked: readonly unknown[] }>])[] = [
    ['a receipt', (world, holder) => world.complete(holder, 1)],
    ['a matching look', (world, holder) => world.observe(holder, 1, 'matching')],
    ['"it happened"', async (world, holder) => {
      await world.observe(holder, 1, 'absent');
      return world.resolve(holder, 'effect_happened');
    }],
    ['"abandon"', async (world, holder) => {
      await world.observe(holder, 1, 'absent');
      return world.resolve(holder, 'abandon');
    }],
  ]; // prettier-ignore
  test.each(free)('%s names the approved operations that waited for the object, oldest first', async (_what, act) => {
    const world = make();
    const holder = await world.executing({ caseId: 'T-1', object });
    const waiting = [];
    for (const caseId of ['T-9', 'T-5', 'T-7']) waiting.push(await world.approved({ caseId, object }));
    await world.propose({ caseId: 'T-6', object });
    await world.approved({ caseId: 'T-8' });
    const { unblocked } = await act(world, holder);
    expect(unblocked.map((operation) => (operation as { operationId: string }).operationId)).toEqual(waiting);
  });

  test('what does not free the object unblocks nothing', async () => {
    const world = make();
    const holder = await world.executing({ caseId: 'T-1', object });
    await world.approved({ caseId: 'T-2', object });
    expect((await world.observe(holder, 1, 'absent')).unblocked).toEqual([]);
    expect((await world.resolve(holder, 'ask_again')).unblocked).toEqual([]);
    expect((await world.observe(holder, 1, 'matching')).unblocked).toHaveLength(1);
    // Once free, more evidence frees nothing again.
    expect((await world.complete(holder, 1)).unblocked).toEqual([]);
  });
}

export function evidence(make: MakeWorld): void {
  describe('a receipt', () => receipts(make));
  describe('a look', () => looks(make));
  describe('the worth of a look', () => worth(make));
  describe('an object that is free again', () => unblocking(make));
}
