// Ledger contract: an operator's word.
import { expect, test } from 'vitest';
import { noonMs } from '../../support/clock.ts';
import { leaseMs, type MakeWorld } from '../../support/ledger-world.ts';
import { journaled, unchanged } from './unchanged.ts';

const nowhere = `op-v1-${'0'.repeat(64)}`;

export function resolutions(make: MakeWorld): void {
  test.each([
    ['effect_happened', true, 'Completed'],
    ['effect_happened', false, 'Completed'],
    ['effect_did_not_happen', true, 'Unknown'],
    ['effect_did_not_happen', false, 'Abandoned'],
    ['ask_again', true, 'Unknown'],
    ['ask_again', false, 'Unknown'],
    ['abandon', true, 'Abandoned'],
    ['abandon', false, 'Abandoned'],
  ] as const)(
    '"%s" at a receiver that deduplicates %j leaves the operation %s, with name and reason',
    async (resolution, deduplicates, state) => {
      const world = make();
      world.receiver = { ...world.receiver, deduplicates };
      const operationId = await world.unknown();
      world.clock.advance(70);
      const answer = await world.resolve(operationId, resolution);
      expect(answer).toMatchObject({ outcome: 'resolved', state });
      const view = await world.view(operationId);
      expect(view.operation.state).toBe(state);
      expect(view.resolutions).toMatchObject([
        {
          operationId,
          attempt: 1,
          resolution,
          operator: 'olga',
          reason: 'asked the destination',
          reference: resolution === 'effect_happened' ? 'row 7' : null,
          resolvedAtMs: noonMs + 70,
        },
      ]);
      expect((await world.told(operationId)).at(-1)).toBe(`resolved: ${resolution}`);
    },
  );

  test('"did not happen" allows a second attempt at an eventual receiver, for this attempt only', async () => {
    const world = make();
    world.receiver = { ...world.receiver, lookup: 'eventual' };
    const operationId = await world.unknown();
    world.clock.advance(leaseMs);
    expect((await world.claim(operationId)).outcome).toBe('unknown');
    await world.resolve(operationId, 'effect_did_not_happen');
    expect((await world.claim(operationId)).outcome).toBe('claimed');
    world.clock.advance(leaseMs * 2);
    await world.observe(operationId, 2, 'absent');
    expect((await world.claim(operationId)).outcome).toBe('unknown');
  });

  test('an operation that is not Unknown is refused, and the refusal is told', async () => {
    for (const reach of ['propose', 'approved', 'executing'] as const) {
      const world = make();
      const operationId = await world[reach]();
      const state = await world.state(operationId);
      const act = () => world.resolve(operationId, 'abandon');
      const answer = await journaled(world, operationId, 'resolution refused: not_unknown', act);
      expect(answer).toEqual({ outcome: 'not_unknown', state, unblocked: [] });
    }
  });

  test('a second word after one that settled it is refused', async () => {
    const world = make();
    const operationId = await world.unknown();
    await world.resolve(operationId, 'abandon');
    const act = () => world.resolve(operationId, 'effect_happened');
    const answer = await journaled(world, operationId, 'resolution refused: not_unknown', act);
    expect(answer).toMatchObject({ outcome: 'not_unknown', state: 'Abandoned' });
  });

  test.each(['effect_happened', 'abandon'] as const)(
    'the word that settled it (%s) said again is the same again, writes nothing, and names whom it freed',
    async (word) => {
      const world = make();
      const object = { id: 'shared' };
      const operationId = await world.unknown({ caseId: 'T-1', object });
      const waiting = await world.approved({ caseId: 'T-2', object });
      const first = await world.resolve(operationId, word);
      const again = await unchanged(world, () => world.resolve(operationId, word));
      expect(again).toEqual(first);
      expect(again.unblocked.map((operation) => operation.operationId)).toEqual([waiting]);
    },
  );

  test('the same word of another operator, or with another reason, is another word', async () => {
    const world = make();
    const operationId = await world.unknown();
    await world.resolve(operationId, 'abandon');
    for (const other of [{ operator: 'oscar' }, { reason: 'tired of it' }]) {
      expect(await world.resolve(operationId, 'abandon', other)).toMatchObject({ outcome: 'not_unknown' });
    }
  });

  test('a word that settled nothing is written each time: it asks for another look', async () => {
    const world = make();
    const operationId = await world.unknown();
    await world.resolve(operationId, 'ask_again');
    await world.resolve(operationId, 'ask_again');
    expect((await world.view(operationId)).resolutions).toHaveLength(2);
  });

  test('an identity nobody knows, and one of another case, is unknown and told in the chain "ledger"', async () => {
    const world = make();
    const operationId = await world.unknown();
    const what = 'resolution refused: unknown_operation';
    const unknown = await journaled(world, 'ledger', what, () => world.resolve(nowhere, 'abandon'));
    expect(unknown).toEqual({ outcome: 'unknown_operation', state: null, unblocked: [] });
    const elsewhere = () => world.resolve(operationId, 'abandon', { caseId: 'T-2' });
    expect((await journaled(world, 'ledger', what, elsewhere)).outcome).toBe('unknown_operation');
    expect(await world.state(operationId)).toBe('Unknown');
  });

  test('"it happened" without a reference is not stored', async () => {
    const world = make();
    const operationId = await world.unknown();
    await expect(world.resolve(operationId, 'effect_happened', { reference: null })).rejects.toThrow();
    expect(await world.view(operationId)).toMatchObject({ operation: { state: 'Unknown' }, resolutions: [] });
    expect((await world.told(operationId)).at(-1)).toBe('look: absent');
  });

  test('a word given here first marks the run as not told', async () => {
    const world = make();
    const operationId = await world.unknown();
    const run = { workflowId: 'review/T-1042', runId: 'run-1' };
    await world.ledger.noteRun(operationId, run);
    await world.resolve(operationId, 'ask_again', { via: 'update', run });
    expect(await world.ledger.list({ untold: true, limit: 10 })).toEqual([]);
    await world.resolve(operationId, 'ask_again', { via: 'command' });
    expect(await world.ledger.list({ untold: true, limit: 10 })).toMatchObject([{ operationId }]);
  });
}
