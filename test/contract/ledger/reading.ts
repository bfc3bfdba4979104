// Ledger contract: what can be asked, and what is answered where there is nothing.
import { expect, test } from 'vitest';
import { leaseMs, type MakeWorld } from '../../support/ledger-world.ts';
import { unchanged } from './unchanged.ts';

const nowhere = `op-v1-${'0'.repeat(64)}`;

export function reading(make: MakeWorld): void {
  test('what nobody knows is nothing, and reading writes nothing', async () => {
    const world = make();
    await world.propose();
    await unchanged(world, async () => {
      const { ledger } = world;
      expect(await ledger.view(nowhere)).toBeNull();
      expect(await ledger.summary(nowhere)).toBeNull();
      expect(await ledger.follow(nowhere)).toBeNull();
      expect(await ledger.current('T-9')).toBeNull();
      expect(await ledger.journal(nowhere)).toEqual([]);
      expect(await ledger.observations(nowhere)).toEqual([]);
      expect(await ledger.checkFile()).toEqual([]);
    });
  });

  test('following an identity leads over every revision to the newest one', async () => {
    const world = make();
    const first = await world.propose();
    const { currentOperationId: second } = await world.revise(first, 'better');
    const { currentOperationId: third } = await world.revise(second!, 'better still');
    for (const from of [first, second!, third!]) {
      expect((await world.ledger.follow(from))?.operation.operationId).toBe(third);
    }
    expect((await world.ledger.current('T-1042'))?.operation.operationId).toBe(third);
  });

  test('a list is in order of admission, filtered by state and case, and can be paged', async () => {
    const world = make();
    const ids: string[] = [];
    for (const caseId of ['T-1', 'T-2', 'T-3']) ids.push(await world.propose({ caseId }));
    await world.decide(ids[1]!);
    const list = async (filter: Partial<Parameters<typeof world.ledger.list>[0]>) =>
      (await world.ledger.list({ limit: 10, ...filter })).map(({ operationId }) => operationId);
    expect(await list({})).toEqual(ids);
    expect(await list({ states: ['Pending'] })).toEqual([ids[0], ids[2]]);
    expect(await list({ states: ['Approved', 'Pending'] })).toEqual(ids);
    expect(await list({ states: ['Completed'] })).toEqual([]);
    expect(await list({ caseId: 'T-3' })).toEqual([ids[2]]);
    expect(await list({ limit: 2 })).toEqual(ids.slice(0, 2));
    expect(await list({ limit: 2, after: 2 })).toEqual(ids.slice(2));
  });

  test('a summary says the same as the view', async () => {
    const world = make();
    const agree = async (operationId: string) => {
      const view = await world.view(operationId);
      const summary = await world.ledger.summary(operationId);
      const { operation, decision, headHash } = view;
      expect(operation).toMatchObject(summary!.operation);
      expect(summary).toMatchObject({ decision, headHash });
      expect(summary!.attempts).toEqual(
        view.attempts
          .filter(({ answer }) => answer === 'created')
          .map(({ answer, executor }) => ({ answer, executor })),
      );
    };
    const operationId = await world.propose({ expiresAt: '2026-12-24T12:00:00.000Z' });
    await agree(operationId);
    await world.decide(operationId, { reason: 'checked', requestId: 'update-1' });
    await agree(operationId);
    await world.claim(operationId);
    await world.observe(operationId, 1, 'absent');
    world.clock.advance(leaseMs);
    await world.claim(operationId);
    await world.complete(operationId, 2, 'created');
    await agree(operationId);
    const { currentOperationId } = (await world.ledger.summary(operationId))!;
    expect(currentOperationId).toBe(operationId);
  });

  test('the run that reviews an operation is noted once, and a different one replaces it', async () => {
    const world = make();
    const operationId = await world.propose();
    const run = (runId: string) => ({ workflowId: 'review/T-1042', runId });
    await world.ledger.noteRun(operationId, run('run-1'));
    await unchanged(world, () => world.ledger.noteRun(operationId, run('run-1')));
    await world.ledger.noteRun(operationId, run('run-2'));
    expect((await world.view(operationId)).operation).toMatchObject(run('run-2'));
    expect(await world.told(operationId)).toEqual(['proposed', 'reviewed by a run', 'reviewed by a run']);
    const noted = world.ledger.noteRun(nowhere, run('run-1'));
    await expect(noted).rejects.toMatchObject({ code: 'not_found' });
  });

  test('a view shows what was seen, newest last, and who holds the object', async () => {
    const world = make();
    const object = { id: 'ticket' };
    const operationId = await world.executing({ object });
    const waiting = await world.approved({ caseId: 'T-2', object });
    for (const finding of ['unavailable', 'absent'] as const) await world.observe(operationId, 1, finding);
    const view = await world.view(operationId);
    expect(view.observations.map(({ finding }) => finding)).toEqual(['unavailable', 'absent']);
    expect(view.heldBy).toBeNull();
    expect((await world.view(waiting)).heldBy).toBe(operationId);
  });

  test('an open outcome is told with its looks and with whom it blocks, oldest first and no more than asked for', async () => {
    const world = make();
    const object = { id: 'ticket' };
    const operationId = await world.unknown({ object });
    await world.observe(operationId, 1, 'unavailable');
    const waiting: string[] = [];
    for (const caseId of ['T-2', 'T-3', 'T-4']) waiting.push(await world.approved({ caseId, object }));
    await world.propose({ caseId: 'T-5', object });
    await world.approved({ caseId: 'T-6' });
    const asked = (limit: number) => unchanged(world, () => world.ledger.uncertainty(operationId, limit));
    expect(await asked(10)).toEqual({ looks: 2, blocks: waiting, blockedCount: 3 });
    expect(await asked(2)).toEqual({ looks: 2, blocks: waiting.slice(0, 2), blockedCount: 3 });
    await expect(world.ledger.uncertainty(nowhere, 10)).rejects.toMatchObject({ code: 'not_found' });
  });

  test('an operation that stays Unknown for long keeps its newest looks in view and all of them on record', async () => {
    const world = make();
    const operationId = await world.executing();
    for (let look = 0; look < 70; look += 1) {
      world.clock.advance(1);
      await world.observe(operationId, 1, look === 69 ? 'absent' : 'unavailable');
    }
    const { observations } = await world.view(operationId);
    expect(observations.length).toBeLessThan(70);
    expect(observations.at(-1)).toMatchObject({ finding: 'absent' });
    expect(await world.ledger.observations(operationId)).toHaveLength(70);
  });
}
