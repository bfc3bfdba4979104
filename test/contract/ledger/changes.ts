// Ledger contract: revision, withdrawal, and what time or the object brings about.
import { describe, expect, test } from 'vitest';
import { later, type World, type MakeWorld } from '../../support/ledger-world.ts';
import { journaled, unchanged } from './unchanged.ts';

const nowhere = `op-v1-${'0'.repeat(64)}`;
const open = ['propose', 'approved', 'executing', 'unknown'] as const;

function revising(make: MakeWorld): void {
  test('a revision supersedes the proposal and takes its place, run included', async () => {
    const world = make();
    const run = { workflowId: 'review/T-1042', runId: 'run-1' };
    const first = await world.propose({}, run);
    const { outcome, view, currentOperationId } = await world.revise(first, 'better');
    expect(outcome).toBe('revised');
    expect(currentOperationId).toBe(view?.operation.operationId);
    expect(view?.operation).toMatchObject({
      state: 'Pending',
      body: 'better',
      humanEdited: true,
      proposedBy: 'rita',
      revisionOf: first,
      ...run,
    });
    const old = await world.view(first);
    expect(old.operation).toMatchObject({ state: 'Superseded', revisedTo: currentOperationId, body: 'the draft' });
    expect(await world.told(first)).toEqual(['proposed', 'superseded by a revision']);
    expect(await world.told(currentOperationId!)).toEqual(['proposed']);
  });

  test('a revision that leaves the body is not called edited; one after an edit still is', async () => {
    const world = make();
    const first = await world.propose();
    const policy = { label: 'support-review/2' };
    const { view: second } = await world.revise(first, 'the draft', { policy });
    expect(second?.operation.humanEdited).toBe(false);
    const { view: third } = await world.revise(second!.operation.operationId, 'better', { policy });
    const { view: fourth } = await world.revise(third!.operation.operationId, 'better');
    expect(fourth?.operation.humanEdited).toBe(true);
  });

  test('a revision made here first marks the run as not told; one the run asked for does not', async () => {
    const run = { workflowId: 'review/T-1042', runId: 'run-1' };
    for (const via of ['command', 'update'] as const) {
      const world = make();
      const asker = via === 'update' ? run : null;
      const { currentOperationId } = await world.revise(await world.propose({}, run), 'better', { via, run: asker });
      const untold = (await world.ledger.list({ untold: true, limit: 10 })).map(({ operationId }) => operationId);
      expect(untold).toEqual(via === 'command' ? [currentOperationId] : []);
    }
  });

  test('a revision of what the case does not have is unknown and told in the chain "ledger"', async () => {
    const world = make();
    const first = await world.propose();
    const what = 'revision refused: unknown_operation';
    const unknown = await journaled(world, 'ledger', what, () => world.revise(nowhere, 'better'));
    expect(unknown).toMatchObject({ outcome: 'unknown_operation', currentOperationId: first });
    const elsewhere = () => world.revise(first, 'better', { caseId: 'T-2' });
    expect(await journaled(world, 'ledger', what, elsewhere)).toMatchObject({
      outcome: 'unknown_operation',
      view: null,
      currentOperationId: null,
    });
  });

  test('two revisions of one proposal: the first is taken, the second is stale and told the current one', async () => {
    const world = make();
    const first = await world.propose();
    const { currentOperationId: second } = await world.revise(first, 'better');
    const act = () => world.revise(first, 'better still');
    const answer = await journaled(world, first, 'revision refused: stale_proposal', act);
    expect(answer).toMatchObject({ outcome: 'stale_proposal', currentOperationId: second });
    expect(answer.view?.operation.operationId).toBe(second);
  });

  test.each(['approved', 'executing', 'unknown'] as const)(
    'a proposal that is %s is not revised any more',
    async (reach) => {
      const world = make();
      const operationId = await world[reach]();
      const act = () => world.revise(operationId, 'better');
      const answer = await journaled(world, operationId, 'revision refused: already_decided', act);
      expect(answer.outcome).toBe('already_decided');
    },
  );

  test('the request that made a revision, tried again, is given it again and writes nothing; any other is stale', async () => {
    const world = make();
    const operationId = await world.propose();
    const requestId = 'run-1/7';
    const first = await world.revise(operationId, 'edited', { requestId });
    expect(await unchanged(world, () => world.revise(operationId, 'edited', { requestId }))).toEqual(first);
    for (const other of [{ requestId: 'run-1/8' }, { requestId: null }]) {
      const again = await world.revise(operationId, 'edited', other);
      expect(again).toMatchObject({ outcome: 'stale_proposal', currentOperationId: first.currentOperationId });
    }
  });

  test('a revision back to content that was proposed before is refused, and so is one that changes nothing', async () => {
    const world = make();
    const first = await world.propose({ proposedBy: 'rita' });
    expect((await world.revise(first, 'the draft')).outcome).toBe('content_already_proposed');
    const { currentOperationId: second } = await world.revise(first, 'better');
    const act = () => world.revise(second!, 'the draft');
    const answer = await journaled(world, second!, 'revision refused: content_already_proposed', act);
    expect(answer.outcome).toBe('content_already_proposed');
    expect(await world.state(second!)).toBe('Pending');
  });

  test('stale comes before already decided, and that before known content', async () => {
    const world = make();
    const first = await world.propose({ proposedBy: 'rita' });
    const { currentOperationId: second } = await world.revise(first, 'better');
    await world.decide(second!, { reviewer: 'rolf' });
    expect((await world.revise(first, 'the draft')).outcome).toBe('stale_proposal');
    expect((await world.revise(second!, 'the draft')).outcome).toBe('already_decided');
  });
}

function withdrawing(make: MakeWorld): void {
  test.each(open)('from "%s": a withdrawal counts only before the claim', async (reach) => {
    const world = make();
    const operationId = await world[reach]();
    const before = reach === 'propose' || reach === 'approved';
    const state = await world.state(operationId);
    const answer = await world.withdraw(operationId);
    expect(answer.outcome).toBe(before ? 'withdrawn' : 'already_decided');
    expect(answer.state).toBe(before ? 'Withdrawn' : state);
    expect((await world.told(operationId)).at(-1)).toBe(before ? 'withdrawn' : 'withdrawal refused: already_decided');
    expect(await world.state(operationId)).toBe(answer.state);
  });

  test('withdrawing again is the same again and writes nothing new', async () => {
    const world = make();
    const operationId = await world.propose();
    const first = await world.withdraw(operationId);
    expect(await unchanged(world, () => world.withdraw(operationId, { by: 'olga' }))).toEqual(first);
  });

  test('what the case does not have is unknown, what was replaced is stale', async () => {
    const world = make();
    const first = await world.propose();
    const unknown = 'withdrawal refused: unknown_operation';
    expect((await journaled(world, 'ledger', unknown, () => world.withdraw(nowhere))).outcome).toBe(
      'unknown_operation',
    );
    const elsewhere = () => world.withdraw(first, { caseId: 'T-2' });
    expect((await journaled(world, 'ledger', unknown, elsewhere)).outcome).toBe('unknown_operation');
    const { currentOperationId: second } = await world.revise(first, 'better');
    const act = () => world.withdraw(first);
    expect(await journaled(world, first, 'withdrawal refused: stale_proposal', act)).toMatchObject({
      outcome: 'stale_proposal',
      currentOperationId: second,
    });
  });

  test('a withdrawal made here first marks the run as not told', async () => {
    const world = make();
    const operationId = await world.propose({}, { workflowId: 'review/T-1042', runId: 'run-1' });
    await world.withdraw(operationId, { via: 'command' });
    expect(await world.ledger.list({ untold: true, limit: 10 })).toMatchObject([{ operationId }]);
  });
}

const brought: readonly (readonly [string, string, string, (world: World) => Promise<unknown>])[] = [
  ['expired', 'Expired', 'its expiry passes', (world) => later(world, 60_000)],
  ['superseded', 'Superseded', 'the object changes', (world) =>
    world.ledger.setObject({ objectId: 'T-1042', version: 2, actor: 'olga' })],
  ['denied', 'Denied', 'permission is revoked', (world) =>
    world.ledger.setObject({ objectId: 'T-1042', version: 1, permitted: false, actor: 'olga' })],
  ['denied', 'Denied', 'the object moves to another scope', (world) =>
    world.ledger.setObject({ objectId: 'T-1042', version: 1, scope: 'red', actor: 'olga' })],
]; // prettier-ignore
const expiring = { expiresAt: '2026-11-30T12:01:00.000Z' };

function settling(make: MakeWorld): void {
  describe.each(brought)('%s → %s when %s', (what, state, _when, happen) => {
    test.each(['propose', 'approved'] as const)('from "%s", once', async (reach) => {
      const world = make();
      const operationId = await world[reach](expiring);
      await unchanged(world, () => world.ledger.settle(operationId));
      await happen(world);
      const view = await world.ledger.settle(operationId);
      expect(view?.operation.state).toBe(state);
      expect((await world.told(operationId)).at(-1)).toBe(what);
      await unchanged(world, () => world.ledger.settle(operationId));
    });

    test.each(['executing', 'unknown'] as const)('from "%s" nothing: an attempt may still land', async (reach) => {
      const world = make();
      const operationId = await world[reach](expiring);
      await happen(world);
      const before = await world.state(operationId);
      const view = await unchanged(world, () => world.ledger.settle(operationId));
      expect(view?.operation.state).toBe(before);
    });
  });

  test('the time to decide bounds the decision, not the claim', async () => {
    const world = make();
    const policy = { decisionTtlSeconds: 60 };
    const pending = await world.propose({ policy });
    const approved = await world.approved({ caseId: 'T-2', policy });
    world.clock.advance(60_000);
    expect((await world.ledger.settle(pending))?.operation.state).toBe('Expired');
    expect((await world.ledger.settle(approved))?.operation.state).toBe('Approved');
    expect((await world.claim(approved)).outcome).toBe('claimed');
  });

  test('an operation nobody knows settles to nothing', async () => {
    const world = make();
    expect(await unchanged(world, () => world.ledger.settle(nowhere))).toBeNull();
  });
}

export function changes(make: MakeWorld): void {
  describe('revise', () => revising(make));
  describe('withdraw', () => withdrawing(make));
  describe('settle', () => settling(make));

  test('setting an object keeps what is not named and is told in the chain of the object', async () => {
    const world = make();
    const first = { objectId: 'o', version: 2, scope: 'default', permitted: true };
    expect(await world.ledger.setObject({ objectId: 'o', version: 2, actor: 'olga' })).toEqual(first);
    const second = { objectId: 'o', version: 3, scope: 'blue', permitted: false };
    expect(await world.ledger.setObject({ ...second, actor: 'olga' })).toEqual(second);
    expect(await world.ledger.setObject({ objectId: 'o', version: 4, actor: 'olga' })).toEqual({
      ...second,
      version: 4,
    });
    expect(await world.told('object/o')).toEqual(['object set', 'object set', 'object set']);
  });
}
