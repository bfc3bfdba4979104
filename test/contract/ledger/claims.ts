// Ledger contract: the claim, judged again inside its own transaction.
import { describe, expect, test } from 'vitest';
import type { CaseInput } from '../../../src/core/case.ts';
import { noonMs } from '../../support/clock.ts';
import { granted, later, leaseMs, type World, type MakeWorld } from '../../support/ledger-world.ts';
import { journaled, unchanged } from './unchanged.ts';

const nowhere = `op-v1-${'0'.repeat(64)}`;
const object = { id: 'ticket', version: 1 };
const expiring = { expiresAt: '2026-11-30T12:01:00.000Z' };

function first(make: MakeWorld): void {
  test('an approved operation is claimed: one attempt, its lease, and the journal head as it was committed', async () => {
    const world = make();
    const operationId = await world.approved();
    world.clock.advance(100);
    const { outcome, view, claim } = await world.claim(operationId, { receiverSequence: 4 });
    expect(outcome).toBe('claimed');
    expect(view?.operation).toMatchObject({ state: 'Executing', attempts: 1 });
    expect(claim?.attempt).toEqual({
      operationId,
      attempt: 1,
      claimedAtMs: noonMs + 100,
      leaseUntilMs: noonMs + 100 + leaseMs,
      receiverId: 'receiver-1',
      receiverSequence: 4,
      executor: 'worker-1',
      answer: null,
      answeredAtMs: null,
    });
    const newest = (await world.ledger.journal(operationId)).at(-1);
    expect(newest).toMatchObject({ what: 'claimed', sequence: claim?.ledgerSequence, hash: claim?.ledgerHash });
    expect((await world.view(operationId)).attempts).toEqual([claim?.attempt]);
  });

  test('an operation nobody knows is not found', async () => {
    const world = make();
    await unchanged(world, () => expect(world.claim(nowhere)).rejects.toMatchObject({ code: 'not_found' }));
  });

  const notApproved: readonly (readonly [string, (world: World) => Promise<string>])[] = [
    ['Pending', (world) => world.propose()],
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
  test.each(notApproved)('an operation that is %s is not approved', async (state, reach) => {
    const world = make();
    const operationId = await reach(world);
    const act = () => world.claim(operationId);
    const answer = await journaled(world, operationId, 'claim refused: not_approved', act);
    expect(answer).toMatchObject({ outcome: 'not_approved', claim: null });
    expect(await world.state(operationId)).toBe(state);
  });

  test('an approval that a stricter deployment would not take does not count any more', async () => {
    const world = make();
    const operationId = await world.approved();
    const strict = world.harness.reopen({ minimums: { '*': { requireSignature: true } } });
    const input = { operationId, declaration: world.receiver, receiverSequence: 0, executor: 'worker-1' };
    expect(await strict.claim(input)).toMatchObject({ outcome: 'not_approved', claim: null });
    strict.close();
    expect(await world.state(operationId)).toBe('Approved');
  });

  test('a completed operation is answered at any rate, and nothing is written', async () => {
    const world = make();
    const operationId = await world.executing();
    await world.complete(operationId, 1);
    expect(await unchanged(world, () => world.claim(operationId))).toMatchObject({ outcome: 'completed', claim: null });
  });

  test('what somebody is at work on is in progress; the refusal is told once', async () => {
    const world = make();
    const operationId = await world.executing();
    world.clock.advance(leaseMs - 1);
    const act = () => world.claim(operationId);
    expect(await journaled(world, operationId, 'claim refused: in_progress', act)).toMatchObject({
      outcome: 'in_progress',
      claim: null,
    });
    await unchanged(world, act);
    expect((await world.view(operationId)).attempts).toHaveLength(1);
  });

  test('an attempt whose lease is over is not followed by another one before anybody looked', async () => {
    const world = make();
    const operationId = await world.executing();
    world.clock.advance(leaseMs);
    const act = () => world.claim(operationId);
    expect((await journaled(world, operationId, 'claim refused: unknown', act)).outcome).toBe('unknown');
    expect(await world.state(operationId)).toBe('Executing');
  });

  const closing: readonly (readonly [string, string, Partial<CaseInput>, (world: World) => Promise<unknown>])[] = [
    ['denied', 'Denied', {}, (world) =>
      world.ledger.setObject({ objectId: 'T-1042', version: 1, permitted: false, actor: 'olga' })],
    ['denied', 'Denied', {}, (world) =>
      world.ledger.setObject({ objectId: 'T-1042', version: 1, scope: 'red', actor: 'olga' })],
    ['superseded', 'Superseded', {}, (world) =>
      world.ledger.setObject({ objectId: 'T-1042', version: 2, actor: 'olga' })],
    ['expired', 'Expired', expiring, (world) => later(world, 60_000)],
  ]; // prettier-ignore
  test.each(closing)(
    'what changed after the approval is noticed inside the claim: %s → %s',
    async (outcome, state, over, happen) => {
      const world = make();
      const operationId = await world.approved(over);
      await happen(world);
      const answer = await world.claim(operationId);
      expect(answer).toMatchObject({ outcome, claim: null });
      expect(answer.view?.operation).toMatchObject({ state, attempts: 0 });
      expect(await world.told(operationId)).toEqual(['proposed', 'approved', `claim refused: ${outcome}`]);
    },
  );

  test('expiry bounds the claim to the millisecond, and not the receipt', async () => {
    const world = make();
    const operationId = await world.approved(expiring);
    world.clock.advance(59_999);
    expect((await world.claim(operationId)).outcome).toBe('claimed');
    world.clock.advance(1);
    expect((await world.complete(operationId, 1)).view.operation.state).toBe('Completed');
  });

  test.each(['executing', 'unknown'] as const)(
    'an operation that is %s keeps its object from every other one',
    async (reach) => {
      const world = make();
      const holder = await world[reach]({ caseId: 'T-1', object });
      const waiting = await world.approved({ caseId: 'T-2', object });
      const act = () => world.claim(waiting);
      const answer = await journaled(world, waiting, 'claim refused: overlap', act);
      expect(answer).toMatchObject({ outcome: 'overlap', claim: null });
      expect(answer.why).toContain(holder);
      expect(answer.view).toMatchObject({ heldBy: holder, operation: { state: 'Approved', attempts: 0 } });
      // Another object is free.
      expect((await world.claim(await world.approved({ caseId: 'T-3' }))).outcome).toBe('claimed');
    },
  );

  test('an overlap ends with the operation that held the object', async () => {
    const world = make();
    const holder = await world.executing({ caseId: 'T-1', object });
    const waiting = await world.approved({ caseId: 'T-2', object });
    expect((await world.claim(waiting)).outcome).toBe('overlap');
    await world.complete(holder, 1);
    expect((await world.claim(waiting)).outcome).toBe('claimed');
  });

  test('denied comes before superseded, that before expired, and that before overlap', async () => {
    const world = make();
    await world.executing({ caseId: 'T-1', object });
    const ids: string[] = [];
    for (const caseId of ['T-2', 'T-3', 'T-4', 'T-5']) ids.push(await world.approved({ caseId, object, ...expiring }));
    const outcome = async (index: number) => (await world.claim(ids[index]!)).outcome;
    expect(await outcome(0)).toBe('overlap');
    world.clock.advance(60_000);
    expect(await outcome(1)).toBe('expired');
    await world.ledger.setObject({ objectId: 'ticket', version: 2, actor: 'olga' });
    expect(await outcome(2)).toBe('superseded');
    await world.ledger.setObject({ objectId: 'ticket', version: 2, permitted: false, actor: 'olga' });
    expect(await outcome(3)).toBe('denied');
  });
}

function again(make: MakeWorld): void {
  test('after its lease an absent operation is claimed again: attempt 2, a longer lease, the same identity', async () => {
    const world = make();
    const operationId = await world.unknown();
    world.clock.advance(leaseMs);
    const answer = await world.claim(operationId);
    expect(answer.outcome).toBe('claimed');
    expect(granted(answer).attempt).toMatchObject({
      attempt: 2,
      claimedAtMs: noonMs + leaseMs,
      leaseUntilMs: noonMs + leaseMs + 2 * leaseMs,
    });
    expect(await world.state(operationId)).toBe('Executing');
    expect((await world.told(operationId)).at(-1)).toBe('claimed again');
  });

  test('not a millisecond before the lease is over', async () => {
    const world = make();
    const operationId = await world.unknown();
    world.clock.advance(leaseMs - 1);
    expect((await world.claim(operationId)).outcome).toBe('in_progress');
    world.clock.advance(1);
    expect((await world.claim(operationId)).outcome).toBe('claimed');
  });

  test('an absence counts for the attempt it was seen of, not for the next one', async () => {
    const world = make();
    const operationId = await world.unknown();
    world.clock.advance(leaseMs);
    await world.claim(operationId);
    world.clock.advance(2 * leaseMs);
    await world.observe(operationId, 2, 'unavailable');
    expect(await world.state(operationId)).toBe('Unknown');
    expect((await world.claim(operationId)).outcome).toBe('unknown');
    await world.observe(operationId, 2, 'absent');
    expect((await world.claim(operationId)).outcome).toBe('claimed');
  });

  test('the limit of attempts is kept', async () => {
    const world = make();
    const operationId = await world.unknown();
    for (const number of [2, 3]) {
      world.clock.advance(leaseMs * 4);
      expect((await world.claim(operationId)).outcome).toBe('claimed');
      await world.observe(operationId, number, 'absent');
    }
    world.clock.advance(leaseMs * 8);
    expect((await world.claim(operationId)).outcome).toBe('unknown');
    expect((await world.view(operationId)).attempts).toHaveLength(3);
  });

  const objections: readonly (readonly [string, (world: World) => Promise<unknown>])[] = [
    ['denied', (world) => world.ledger.setObject({ objectId: 'T-1042', version: 1, permitted: false, actor: 'olga' })],
    ['superseded', (world) => world.ledger.setObject({ objectId: 'T-1042', version: 2, actor: 'olga' })],
    ['expired', (world) => later(world, 60_000)],
  ]; // prettier-ignore
  test.each(objections)(
    '%s refuses it, and the operation stays Unknown and goes on holding its object',
    async (outcome, happen) => {
      const world = make();
      const operationId = await world.unknown(expiring);
      const waiting = await world.approved({ caseId: 'T-2', object: { id: 'T-1042' } });
      world.clock.advance(leaseMs);
      await happen(world);
      const act = () => world.claim(operationId);
      expect((await journaled(world, operationId, `claim refused: ${outcome}`, act)).outcome).toBe(outcome);
      expect(await world.state(operationId)).toBe('Unknown');
      expect((await world.view(waiting)).heldBy).toBe(operationId);
    },
  );

  /** Each row of the design's table: after which looks and words a second attempt is made once the lease is over. */
  const looks = ['absent', 'absent, "did not happen"', 'unavailable', 'unavailable, "did not happen"'] as const;
  const [absent, absentAndWord, unavailable, unavailableAndWord] = looks;
  const rows: readonly (readonly [string, Partial<World['receiver']>, Partial<CaseInput>, readonly string[]])[] = [
    ['deduplicates, authoritative', {}, {}, [absent, absentAndWord]],
    ['deduplicates, eventual', { lookup: 'eventual' }, {}, [absentAndWord]],
    [
      'deduplicates, eventual, resendWhenAbsent',
      { lookup: 'eventual' },
      { policy: { resendWhenAbsent: true } },
      [absent, absentAndWord],
    ],
    ['deduplicates, no look-up', { lookup: 'none' }, {}, [unavailable, unavailableAndWord]],
    ['does not deduplicate', { deduplicates: false }, { policy: { resendWhenAbsent: true } }, []],
  ];
  describe.each(rows)('at a receiver that %s', (_row, receiver, over, enough) => {
    const possible = receiver.lookup === 'none' ? [unavailable, unavailableAndWord] : looks;
    test.each(possible)('after "%s" a second attempt is made only where the table says so', async (seen) => {
      const world = make();
      world.receiver = { ...world.receiver, ...receiver };
      const operationId = await world.executing(over);
      await world.observe(operationId, 1, seen.startsWith(absent) ? 'absent' : 'unavailable');
      if (seen.endsWith('"did not happen"')) await world.resolve(operationId, 'effect_did_not_happen');
      world.clock.advance(leaseMs);
      const { outcome } = await world.claim(operationId);
      if (enough.includes(seen)) expect(outcome).toBe('claimed');
      // Where nothing may be sent twice, "did not happen" gave the operation up.
      else expect(outcome).toBe((await world.state(operationId)) === 'Abandoned' ? 'not_approved' : 'unknown');
    });
  });

  test('not at another receiver', async () => {
    const world = make();
    const operationId = await world.unknown();
    world.clock.advance(leaseMs);
    const declaration = { ...world.receiver, receiverId: 'receiver-2' };
    expect((await world.claim(operationId, { declaration })).outcome).toBe('unknown');
  });

  test('not at a receiver that says it has come less far than was seen', async () => {
    const world = make();
    const operationId = await world.unknown();
    world.sequence = 9;
    const other = await world.executing({ caseId: 'T-2' });
    await world.complete(other, 1);
    world.clock.advance(leaseMs);
    expect((await world.claim(operationId, { receiverSequence: 8 })).outcome).toBe('unknown');
    expect((await world.claim(operationId, { receiverSequence: null })).outcome).toBe('unknown');
    expect((await world.claim(operationId, { receiverSequence: 9 })).outcome).toBe('claimed');
  });

  test('not once the receiver may have forgotten the first attempt, however young the last one is', async () => {
    const world = make();
    world.receiver = { ...world.receiver, retentionMs: 40_000 };
    const operationId = await world.unknown();
    world.clock.advance(25_000);
    expect((await world.claim(operationId)).outcome).toBe('claimed');
    world.clock.advance(14_000);
    await world.observe(operationId, 2, 'absent');
    expect((await world.claim(operationId)).outcome).toBe('unknown');
    expect((await world.view(operationId)).observations.at(-1)?.discounted).toBeNull();
    world.clock.advance(1_000);
    await world.observe(operationId, 2, 'absent');
    expect((await world.view(operationId)).observations.at(-1)?.discounted).toMatch(/no longer remembers/);
  });

  test('not after the receiver answered with a conflict, even where it has no look-up', async () => {
    const world = make();
    world.receiver = { ...world.receiver, lookup: 'none' };
    const operationId = await world.executing();
    await world.complete(operationId, 1, 'conflict');
    world.clock.advance(leaseMs);
    expect((await world.claim(operationId)).outcome).toBe('unknown');
  });
}

export function claims(make: MakeWorld): void {
  describe('for the first time', () => first(make));
  describe('again', () => again(make));
}
