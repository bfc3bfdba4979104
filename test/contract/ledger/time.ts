// Ledger contract: ledger time never goes back, and a clock that does is refused.
import { describe, expect, test } from 'vitest';
import { noonMs } from '../../support/clock.ts';
import { leaseMs, type World, type MakeWorld } from '../../support/ledger-world.ts';
import { unchanged } from './unchanged.ts';

const minutes = (count: number): number => count * 60_000;

export function time(make: MakeWorld): void {
  test('a clock less than five minutes behind is taken as the time of the newest entry', async () => {
    const world = make();
    const operationId = await world.propose();
    world.clock.advance(-minutes(5));
    const { decision } = await world.decide(operationId);
    expect(decision?.decidedAtMs).toBe(noonMs);
    expect((await world.view(operationId)).ledgerTimeMs).toBe(noonMs);
  });

  const writes: readonly (readonly [string, (world: World, ids: Record<string, string>) => Promise<unknown>])[] = [
    ['admit', (world) => world.admit({ caseId: 'T-9' })],
    ['decide', (world, { pending }) => world.decide(pending!)],
    ['revise', (world, { pending }) => world.revise(pending!, 'better', { caseId: 'T-1' })],
    ['withdraw', (world, { pending }) => world.withdraw(pending!)],
    ['claim', (world, { approved }) => world.claim(approved!)],
    ['complete', (world, { executing }) => world.complete(executing!, 1)],
    ['observe', (world, { executing }) => world.observe(executing!, 1, 'absent')],
    ['resolve', (world, { unknown }) => world.resolve(unknown!, 'abandon')],
    ['settle', (world, { pending }) => world.ledger.settle(pending!)],
    ['setObject', (world) => world.ledger.setObject({ objectId: 'o', version: 1, actor: 'olga' })],
    ['noteRun', (world, { pending }) => world.ledger.noteRun(pending!, { workflowId: 'w', runId: 'r' })],
  ];
  test.each(writes)(
    '%s is refused with clock_behind by a clock more than five minutes behind, and nothing is written',
    async (_name, act) => {
      const world = make();
      const ids = {
        pending: await world.propose({ caseId: 'T-1' }),
        approved: await world.approved({ caseId: 'T-2' }),
        executing: await world.executing({ caseId: 'T-3' }),
        unknown: await world.unknown({ caseId: 'T-4' }),
      };
      world.clock.advance(-minutes(5) - 1);
      await unchanged(world, () => expect(act(world, ids)).rejects.toMatchObject({ code: 'clock_behind' }));
      world.clock.advance(1);
      await act(world, ids);
    },
  );

  test('what is on record is still told by a clock that is behind', async () => {
    const world = make();
    const operationId = await world.executing();
    await world.complete(operationId, 1);
    world.clock.advance(-minutes(60));
    expect((await world.view(operationId)).operation.state).toBe('Completed');
    expect((await world.decide(operationId)).outcome).toBe('repeated');
    expect((await world.claim(operationId)).outcome).toBe('completed');
    expect((await world.ledger.settle(operationId))?.operation.state).toBe('Completed');
  });

  describe('a clock that jumps', () => {
    const expiring = { expiresAt: '2026-11-30T12:01:00.000Z' };

    test('back never turns an expired operation into an approved one', async () => {
      const world = make();
      const operationId = await world.propose(expiring);
      world.clock.advance(minutes(2));
      await world.ledger.settle(operationId);
      world.clock.advance(-minutes(2));
      expect(await world.decide(operationId)).toMatchObject({ outcome: 'expired', decision: null });
      expect(await world.state(operationId)).toBe('Expired');
    });

    test('back does not reopen a deadline that anything in the ledger has seen pass', async () => {
      const world = make();
      const operationId = await world.propose(expiring);
      world.clock.advance(minutes(2));
      await world.propose({ caseId: 'T-2' });
      world.clock.advance(-minutes(2));
      expect((await world.decide(operationId)).outcome).toBe('expired');
    });

    test('back does not let an approved operation be claimed after its expiry', async () => {
      const world = make();
      const operationId = await world.approved(expiring);
      world.clock.advance(minutes(2));
      await world.propose({ caseId: 'T-2' });
      world.clock.advance(-minutes(2));
      expect((await world.claim(operationId)).outcome).toBe('expired');
    });

    test('forward decides nothing by itself', async () => {
      const world = make();
      const operationId = await world.propose();
      world.clock.advance(minutes(60 * 24 * 365));
      expect((await world.ledger.settle(operationId))?.operation.state).toBe('Pending');
      expect((await world.view(operationId)).decision).toBeNull();
    });

    test('back does not prolong a lease that was over', async () => {
      const world = make();
      const operationId = await world.unknown();
      world.clock.advance(leaseMs);
      await world.propose({ caseId: 'T-2' });
      world.clock.advance(-leaseMs);
      expect((await world.claim(operationId)).outcome).toBe('claimed');
    });
  });

  test('order comes from sequence numbers where times are equal', async () => {
    const world = make();
    for (const caseId of ['T-3', 'T-1', 'T-2']) await world.propose({ caseId });
    const listed = await world.ledger.list({ limit: 10 });
    expect(listed.map(({ caseId }) => caseId)).toEqual(['T-3', 'T-1', 'T-2']);
    expect(new Set(listed.map(({ proposedAtMs }) => proposedAtMs)).size).toBe(1);
  });
}
