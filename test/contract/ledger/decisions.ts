// Ledger contract: the decision, written once.
import { describe, expect, test } from 'vitest';
import type { MakeWorld, World } from '../../support/ledger-world.ts';
import { noonMs } from '../../support/clock.ts';
import { journaled, unchanged } from './unchanged.ts';

const nowhere = `op-v1-${'0'.repeat(64)}`;

export function decisions(make: MakeWorld): void {
  test.each([
    [true, 'Approved', 'approved'],
    [false, 'Declined', 'declined'],
  ] as const)('approved %j is recorded with who, why, when and how', async (approved, state, what) => {
    const world = make();
    const operationId = await world.propose();
    world.clock.advance(250);
    const said = { approved, reason: 'checked', signature: 'sig', requestId: 'update-1', via: 'update' } as const;
    const answer = await world.decide(operationId, said);
    const record = { operationId, reviewer: 'rita', decidedAtMs: noonMs + 250, ...said };
    expect(answer).toMatchObject({ outcome: 'recorded', why: null, state, currentOperationId: operationId });
    expect(answer.decision).toEqual(record);
    const view = await world.view(operationId);
    expect(view.decision).toEqual(record);
    expect(view.operation.state).toBe(state);
    expect(answer.headHash).toBe(view.headHash);
    expect(await world.told(operationId)).toEqual(['proposed', what]);
  });

  test('a second approval of the same identity is repeated and writes nothing new', async () => {
    const world = make();
    const operationId = await world.propose();
    const first = await world.decide(operationId, { reviewer: 'rita', requestId: 'update-1' });
    const again = { reviewer: 'rolf', reason: 'me too', requestId: 'update-2' };
    const second = await unchanged(world, () => world.decide(operationId, again));
    expect(second).toEqual({ ...first, outcome: 'repeated' });
  });

  test("a request's own retry is answered recorded and writes nothing new", async () => {
    const world = make();
    const operationId = await world.propose();
    const request = { requestId: 'update-1' };
    const first = await world.decide(operationId, request);
    expect(await unchanged(world, () => world.decide(operationId, request))).toEqual(first);
    expect((await world.decide(operationId, { requestId: null })).outcome).toBe('repeated');
  });

  test('the opposite decision conflicts, is told who was first, and is journaled', async () => {
    const world = make();
    const operationId = await world.propose();
    const first = await world.decide(operationId, { reviewer: 'rita' });
    const act = () => world.decide(operationId, { approved: false, reviewer: 'rolf', reason: 'no' });
    const answer = await journaled(world, operationId, 'decision refused: conflicting_decision', act);
    expect(answer).toMatchObject({ outcome: 'conflicting_decision', state: 'Approved', decision: first.decision });
  });

  describe('the same decision after the operation went on', () => {
    const later: readonly (readonly [string, (world: World) => Promise<string>, string])[] = [
      ['was withdrawn', async (world) => {
        const operationId = await world.approved();
        await world.withdraw(operationId);
        return operationId;
      }, 'Withdrawn'],
      ['expired', async (world) => {
        const operationId = await world.approved({ expiresAt: '2026-11-30T12:00:01.000Z' });
        world.clock.advance(2_000);
        await world.ledger.settle(operationId);
        return operationId;
      }, 'Expired'],
      ['was superseded', async (world) => {
        const operationId = await world.approved();
        await world.ledger.setObject({ objectId: 'T-1042', version: 2, actor: 'olga' });
        await world.ledger.settle(operationId);
        return operationId;
      }, 'Superseded'],
      ['was completed', async (world) => {
        const operationId = await world.executing();
        await world.complete(operationId, 1);
        return operationId;
      }, 'Completed'],
    ]; // prettier-ignore
    test.each(later)('is repeated when it %s, and the opposite one conflicts', async (_how, reach, state) => {
      const world = make();
      const operationId = await reach(world);
      expect(await unchanged(world, () => world.decide(operationId))).toMatchObject({ outcome: 'repeated', state });
      expect((await world.decide(operationId, { approved: false })).outcome).toBe('conflicting_decision');
      expect(await world.state(operationId)).toBe(state);
    });
  });

  test('an unknown identity, and one of another case, is unknown and told in the chain "ledger"', async () => {
    const world = make();
    const operationId = await world.propose();
    const what = 'decision refused: unknown_operation';
    const unknown = await journaled(world, 'ledger', what, () => world.decide(nowhere));
    expect(unknown).toMatchObject({ outcome: 'unknown_operation', decision: null, state: null, headHash: null });
    const elsewhere = () => world.decide(operationId, { caseId: 'T-2' });
    expect((await journaled(world, 'ledger', what, elsewhere)).outcome).toBe('unknown_operation');
    expect(await world.state(operationId)).toBe('Pending');
    // Also once a decision is on record: a stale tab of another case is told nothing about it.
    await world.decide(operationId);
    expect((await world.decide(operationId, { caseId: 'T-2' })).outcome).toBe('unknown_operation');
  });

  test('whoever proposed the content may not approve it, and nothing is recorded', async () => {
    const world = make();
    const operationId = await world.propose();
    const act = () => world.decide(operationId, { reviewer: 'drafter' });
    const answer = await journaled(world, operationId, 'decision refused: not_authorized', act);
    expect(answer).toMatchObject({ outcome: 'not_authorized', decision: null, state: 'Pending' });
    expect(answer.why).toMatch(/may not approve/);
    expect((await world.decide(operationId, { reviewer: 'drafter', approved: false })).outcome).toBe('recorded');
  });

  test('a policy may allow self-approval, unless the deployment forbids it for the action', async () => {
    const policy = { allowSelfApproval: true };
    const free = make();
    expect((await free.decide(await free.propose({ policy }), { reviewer: 'drafter' })).outcome).toBe('recorded');
    const strict = make({ minimums: { record_support_review: { forbidSelfApproval: true } } });
    const answer = await strict.decide(await strict.propose({ policy }), { reviewer: 'drafter' });
    expect(answer.outcome).toBe('not_authorized');
  });

  test('a deployment that demands signatures refuses an unsigned decision', async () => {
    const world = make({ minimums: { '*': { requireSignature: true } } });
    const operationId = await world.propose();
    expect((await world.decide(operationId, { approved: false })).outcome).toBe('not_authorized');
  });

  test('not_authorized comes before repeated: what may not decide is not told what was decided as if it could', async () => {
    const world = make();
    const operationId = await world.approved();
    const answer = await world.decide(operationId, { reviewer: 'drafter' });
    expect(answer.outcome).toBe('not_authorized');
  });

  test('a proposal that was revised is stale, and the answer names the current one', async () => {
    const world = make();
    const first = await world.propose();
    const { currentOperationId: second } = await world.revise(first, 'better');
    const act = () => world.decide(first, { reviewer: 'rolf' });
    const answer = await journaled(world, first, 'decision refused: stale_proposal', act);
    expect(answer).toMatchObject({ outcome: 'stale_proposal', state: 'Superseded', currentOperationId: second });
    expect(await world.state(second!)).toBe('Pending');
  });

  test('a proposal whose case went on is stale even where it was only withdrawn', async () => {
    const world = make();
    const first = await world.propose();
    await world.withdraw(first);
    await world.propose({ body: 'another draft' });
    expect((await world.decide(first)).outcome).toBe('stale_proposal');
  });

  test('a decision at the deadline is too late and expires the proposal; one a millisecond before is not', async () => {
    const policy = { decisionTtlSeconds: 5 };
    const early = make();
    const inTime = await early.propose({ policy });
    early.clock.advance(4_999);
    expect((await early.decide(inTime)).outcome).toBe('recorded');

    const world = make();
    const operationId = await world.propose({ policy });
    world.clock.advance(5_000);
    const answer = await world.decide(operationId);
    expect(answer).toMatchObject({ outcome: 'expired', state: 'Expired', decision: null });
    expect(await world.told(operationId)).toEqual(['proposed', 'decision refused: expired']);
    const again = () => world.decide(operationId);
    expect(await journaled(world, operationId, 'decision refused: expired', again)).toMatchObject({
      outcome: 'expired',
    });
  });

  test('nobody answering is no consent: time alone leaves no decision', async () => {
    const world = make();
    const operationId = await world.propose({ policy: { decisionTtlSeconds: 5 } });
    world.clock.advance(86_400_000);
    await world.ledger.settle(operationId);
    const { decision, operation } = await world.view(operationId);
    expect(decision).toBeNull();
    expect(operation.state).toBe('Expired');
  });

  test('a proposal that was withdrawn or denied is closed', async () => {
    const world = make();
    const withdrawn = await world.propose();
    await world.withdraw(withdrawn);
    const act = () => world.decide(withdrawn);
    const answer = await journaled(world, withdrawn, 'decision refused: closed', act);
    expect(answer).toMatchObject({ outcome: 'closed', state: 'Withdrawn', decision: null });
    await world.ledger.setObject({ objectId: 'T-2', version: 1, permitted: false, actor: 'olga' });
    const { view } = await world.admit({ caseId: 'T-2' });
    expect((await world.decide(view!.operation.operationId)).outcome).toBe('closed');
  });

  test('a decision written here first marks a run as not told; one the run asked for does not', async () => {
    const world = make();
    const run = { workflowId: 'review/T-1', runId: 'run-1' };
    const untold = async () => (await world.ledger.list({ untold: true, limit: 10 })).map(({ caseId }) => caseId);
    await world.decide(await world.propose({ caseId: 'T-1' }, run), { via: 'update', run });
    await world.decide(await world.propose({ caseId: 'T-2' }, run), { via: 'signal', run });
    await world.decide(await world.propose({ caseId: 'T-3' }), { via: 'command' });
    expect(await untold()).toEqual([]);
    const operationId = await world.propose({ caseId: 'T-4' }, run);
    await world.decide(operationId, { via: 'command' });
    expect(await untold()).toEqual(['T-4']);
    await world.ledger.noteTold(operationId, run.workflowId, 1);
    expect(await untold()).toEqual([]);
  });
}
