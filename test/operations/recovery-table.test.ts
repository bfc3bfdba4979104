// Every row of the recovery table with a real destination's faults: what is known after a lost receipt, a lost request
// and one that arrives late, what may be sent again, and how many effects there really were.
import { describe, expect, test } from 'vitest';
import type { Lookup } from '../../src/core/recovery.ts';
import { reconcile } from '../../src/operations/reconcile.ts';
import type { ObserveInput } from '../../src/ports/ledger.ts';
import { leaseMs } from '../support/ledger-world.ts';
import { PortsWorld } from '../support/ports-world.ts';
import { temporaryDirectory } from '../support/temporary.ts';

const root = temporaryDirectory();
const make = (fake: NonNullable<NonNullable<ConstructorParameters<typeof PortsWorld>[1]>['fake']>) =>
  new PortsWorld(root, { fake });

interface Row {
  readonly deduplicates: boolean;
  readonly lookup: Lookup;
  readonly resendWhenAbsent: boolean;
  /** What a look says after the effect happened, and when it did not. */
  readonly happened: string;
  readonly absent: string;
  /** What the claim after the lease answers when nothing arrived, and the effects that there are then. */
  readonly again: string;
}

const rows: readonly Row[] = [
  { deduplicates: true, lookup: 'authoritative', resendWhenAbsent: false, happened: 'Committed', absent: 'Unknown', again: 'claimed' },
  { deduplicates: true, lookup: 'eventual', resendWhenAbsent: false, happened: 'Committed', absent: 'Unknown', again: 'unknown' },
  { deduplicates: true, lookup: 'eventual', resendWhenAbsent: true, happened: 'Committed', absent: 'Unknown', again: 'claimed' },
  { deduplicates: true, lookup: 'none', resendWhenAbsent: false, happened: 'Unknown', absent: 'Unknown', again: 'claimed' },
  { deduplicates: false, lookup: 'authoritative', resendWhenAbsent: true, happened: 'Committed', absent: 'Unknown', again: 'unknown' },
  { deduplicates: false, lookup: 'eventual', resendWhenAbsent: true, happened: 'Committed', absent: 'Unknown', again: 'unknown' },
  { deduplicates: false, lookup: 'none', resendWhenAbsent: true, happened: 'Unknown', absent: 'Unknown', again: 'unknown' },
]; // prettier-ignore
const titled = rows.map((row) => {
  const resend = row.resendWhenAbsent ? ', resendWhenAbsent' : '';
  return [`deduplicates ${row.deduplicates}, lookup ${row.lookup}${resend}`, row] as const;
});
const policyOf = ({ resendWhenAbsent }: Row) => (resendWhenAbsent ? { policy: { resendWhenAbsent } } : {});

describe.each(titled)('%s', (_title, row) => {
  const { deduplicates, lookup } = row;

  test('a lost receipt is found by a look where there is one, and by the second sending where that is safe', async () => {
    const world = make({ deduplicates, lookup });
    const operationId = await world.approved(policyOf(row));
    world.fake.loseNextReceipt();
    await expect(world.execute(operationId)).rejects.toMatchObject({ code: 'receiver_unavailable' });
    const { outcome } = await world.reconcile(operationId);
    expect(outcome).toBe(row.happened);
    world.clock.advance(leaseMs);
    const after = await world.execute(operationId);
    if (row.happened === 'Committed') expect(after.outcome).toBe('completed');
    else if (deduplicates) expect(after).toMatchObject({ outcome: 'claimed', receipt: 'exists' });
    else expect(after.outcome).toBe('unknown');
    expect(world.fake.effectsOf(operationId)).toBe(1);
  });

  test('a lost request is sent again only as the table says', async () => {
    const world = make({ deduplicates, lookup });
    const operationId = await world.approved(policyOf(row));
    world.fake.loseNextRequest();
    await expect(world.execute(operationId)).rejects.toThrow();
    expect((await world.reconcile(operationId)).outcome).toBe(row.absent);
    expect((await world.execute(operationId)).outcome).toBe('in_progress');
    world.clock.advance(leaseMs);
    expect((await world.execute(operationId)).outcome).toBe(row.again);
    expect(world.fake.effectsOf(operationId)).toBe(row.again === 'claimed' ? 1 : 0);
    expect(await world.state(operationId)).toBe(row.again === 'claimed' ? 'Completed' : 'Unknown');
  });

  test('a request that arrives after everybody gave it up is one effect, and completes the operation', async () => {
    const world = make({ deduplicates, lookup });
    const operationId = await world.approved(policyOf(row));
    const held = world.fake.holdNextRequest();
    const slow = world.execute(operationId, 'worker-slow');
    await held.arrived;
    await world.reconcile(operationId);
    world.clock.advance(leaseMs);
    const second = await world.execute(operationId, 'worker-2');
    expect(second.outcome).toBe(row.again);
    held.release();
    expect((await slow).receipt).toBe(row.again === 'claimed' ? 'exists' : 'created');
    expect(world.fake.effectsOf(operationId)).toBe(1);
    expect(await world.view(operationId)).toMatchObject({
      operation: { state: 'Completed', attempts: row.again === 'claimed' ? 2 : 1 },
    });
  });

  test('an Unknown operation keeps its object until it is settled; abandoning it frees the object', async () => {
    const world = make({ deduplicates, lookup });
    const object = { id: 'ticket' };
    const operationId = await world.approved({ caseId: 'T-1', object, ...policyOf(row) });
    world.fake.loseNextRequest();
    await expect(world.execute(operationId)).rejects.toThrow();
    await world.reconcile(operationId);
    const waiting = await world.approved({ caseId: 'T-2', object });
    expect((await world.execute(waiting)).outcome).toBe('overlap');
    expect(await world.resolve(operationId, 'abandon')).toEqual({ outcome: 'resolved', state: 'Abandoned' });
    expect(world.woken.slice(-2)).toEqual([operationId, waiting]);
    expect((await world.execute(waiting)).receipt).toBe('created');
  });
});

describe('a receiver with an eventual look-up', () => {
  test('shows an effect after a while, and until then nothing is taken for proof', async () => {
    const world = make({ lookup: 'eventual', visibleAfterMs: 2_000 });
    const operationId = await world.approved();
    world.fake.loseNextReceipt();
    await expect(world.execute(operationId)).rejects.toThrow();
    expect(await world.reconcile(operationId)).toMatchObject({ outcome: 'Unknown', finding: 'absent' });
    world.clock.advance(leaseMs);
    expect(await world.reconcile(operationId)).toMatchObject({ outcome: 'Committed', finding: 'matching' });
    expect((await world.view(operationId)).attempts).toHaveLength(1);
  });

  test('that does not show a completed effect yet contradicts nothing', async () => {
    const world = make({ lookup: 'eventual', visibleAfterMs: 2_000 });
    const operationId = await world.approved();
    await world.execute(operationId);
    expect((await world.reconcile(operationId, true)).outcome).toBe('Committed');
    expect((await world.view(operationId)).observations.filter(({ contradiction }) => contradiction)).toEqual([]);
  });

  test('is sent to again when an operator says that it did not happen', async () => {
    const world = make({ lookup: 'eventual' });
    const operationId = await world.approved();
    world.fake.loseNextRequest();
    await expect(world.execute(operationId)).rejects.toThrow();
    await world.reconcile(operationId);
    world.clock.advance(leaseMs);
    expect((await world.execute(operationId)).outcome).toBe('unknown');
    expect(await world.resolve(operationId, 'effect_did_not_happen')).toEqual({
      outcome: 'resolved',
      state: 'Unknown',
    });
    expect((await world.execute(operationId)).receipt).toBe('created');
    expect(world.fake.effectsOf(operationId)).toBe(1);
  });
});

describe('a receiver without a look-up', () => {
  test('is never asked: its silence is stored as "could not be asked", not as an absence', async () => {
    const world = make({ lookup: 'none' });
    const operationId = await world.approved();
    world.fake.loseNextReceipt();
    await expect(world.execute(operationId)).rejects.toThrow();
    expect(await world.reconcile(operationId)).toMatchObject({ outcome: 'Unknown', finding: 'unavailable' });
    expect(world.fake.looks).toBe(0);
    expect((await world.view(operationId)).observations).toMatchObject([{ finding: 'unavailable', discounted: null }]);
  });
});

describe('a receiver that does not deduplicate', () => {
  test('"did not happen" gives the operation up; an effect that shows up later is a contradiction on record', async () => {
    const world = make({ deduplicates: false });
    const operationId = await world.approved();
    const held = world.fake.holdNextRequest();
    const slow = world.execute(operationId);
    await held.arrived;
    await world.reconcile(operationId);
    expect(await world.resolve(operationId, 'effect_did_not_happen')).toEqual({
      outcome: 'resolved',
      state: 'Abandoned',
    });
    held.release();
    await slow;
    expect(await world.reconcile(operationId, true)).toMatchObject({ outcome: 'Abandoned', finding: 'matching' });
    const { observations, operation } = await world.view(operationId);
    expect(operation.state).toBe('Abandoned');
    expect(observations.at(-1)).toMatchObject({ finding: 'matching', contradiction: true });
    expect(world.fake.effectsOf(operationId)).toBe(1);
  });
});

describe('a receiver that was emptied, restored or swapped', () => {
  const spoil: readonly (readonly [string, RegExp, (world: PortsWorld) => void])[] = [
    ['emptied', /lost records/, (world) => world.fake.restore()],
    ['swapped', /another receiver/, (world) => world.fake.swap('receiver-other')],
  ];
  test.each(spoil)('(%s) proves nothing by its absence, and is not sent to again', async (_how, why, act) => {
    const world = make({});
    // Somebody else's receipt has shown how far it had come.
    await world.execute(await world.approved({ caseId: 'T-2' }));
    const operationId = await world.approved();
    world.fake.loseNextReceipt();
    await expect(world.execute(operationId)).rejects.toThrow();
    await world.execute(await world.approved({ caseId: 'T-3' }));
    act(world);
    expect(await world.reconcile(operationId)).toMatchObject({ outcome: 'Unknown', finding: 'absent' });
    expect((await world.view(operationId)).observations.at(-1)?.discounted).toMatch(why);
    world.clock.advance(leaseMs);
    expect((await world.execute(operationId)).outcome).toBe('unknown');
    expect((await world.read(operationId)).next).toMatchObject({ step: 'reconcile' });
    expect(world.fake.effectsOf(operationId)).toBe(1);
  });

  const elsewhere = (['eventual', 'none'] as const).flatMap((lookup) =>
    spoil.map(([how, why, act]) => [how, lookup, why, act] as const),
  );
  test.each(elsewhere)(
    '(%s, lookup %s) is not sent to again, though the policy allows it',
    async (_how, lookup, why, act) => {
      const world = make({ lookup });
      await world.execute(await world.approved({ caseId: 'T-2' }));
      const operationId = await world.approved({ policy: { resendWhenAbsent: true } });
      world.fake.loseNextReceipt();
      await expect(world.execute(operationId)).rejects.toThrow();
      act(world);
      expect((await world.reconcile(operationId)).outcome).toBe('Unknown');
      world.clock.advance(leaseMs);
      expect(await world.execute(operationId)).toMatchObject({
        outcome: 'unknown',
        receipt: null,
        why: expect.stringMatching(why) as string,
      });
      expect(world.fake.effectsOf(operationId)).toBe(1);
      expect(await world.view(operationId)).toMatchObject({ operation: { state: 'Unknown', attempts: 1 } });
    },
  );

  test('is not sent to again when later effects have brought its count back to where it was', async () => {
    const world = make({});
    await world.execute(await world.approved({ caseId: 'T-2' }));
    const operationId = await world.approved();
    world.fake.loseNextReceipt();
    await expect(world.execute(operationId)).rejects.toThrow();
    world.fake.restore();
    await world.reconcile(operationId);
    for (const caseId of ['T-3', 'T-4', 'T-5']) await world.execute(await world.approved({ caseId }));
    world.clock.advance(leaseMs);
    expect(await world.reconcile(operationId)).toMatchObject({ outcome: 'Unknown', finding: 'absent' });
    expect((await world.view(operationId)).observations.at(-1)?.discounted).toMatch(/lost records/);
    expect((await world.execute(operationId)).outcome).toBe('unknown');
    expect(world.fake.effectsOf(operationId)).toBe(1);
  });

  test('is not taken for one because somebody else was faster between the look and its record', async () => {
    const world = make({});
    await world.execute(await world.approved({ caseId: 'T-2' }));
    const operationId = await world.approved();
    world.fake.loseNextRequest();
    await expect(world.execute(operationId)).rejects.toThrow();
    const { ledger } = world.ports;
    const slow = {
      ...world.ports,
      ledger: { ...ledger, observe: (input: ObserveInput) => meanwhile().then(() => ledger.observe(input)) },
    };
    const meanwhile = async () => world.execute(await world.approved({ caseId: 'T-3' }));
    await reconcile(slow, operationId, { executor: 'command-2', askAboutSettled: false });
    expect((await world.view(operationId)).observations.at(-1)).toMatchObject({ finding: 'absent', discounted: null });
    world.clock.advance(leaseMs);
    expect((await world.execute(operationId)).receipt).toBe('created');
    expect(world.fake.effectsOf(operationId)).toBe(1);
  });

  test('after a look that counted is noticed by the claim itself', async () => {
    const world = make({});
    const copy = world.fake.copy();
    const operationId = await world.approved();
    const held = world.fake.holdNextRequest();
    const slow = world.execute(operationId).catch(() => 'lost');
    await held.arrived;
    await world.reconcile(operationId);
    expect((await world.view(operationId)).observations.at(-1)?.discounted).toBeNull();
    // The request lands, its receipt is lost, somebody else's shows the sequence, and then an older copy is restored.
    world.fake.loseNextReceipt();
    held.release();
    world.ports.ledger.complete = ((original) => (input) =>
      input.operationId === operationId ? Promise.reject(new Error('lost')) : original(input))(
      world.ports.ledger.complete,
    );
    await slow;
    await world.execute(await world.approved({ caseId: 'T-2' }));
    world.fake.restore(copy);
    world.clock.advance(leaseMs);
    expect((await world.execute(operationId)).outcome).toBe('unknown');
    expect(world.fake.effectsOf(operationId)).toBe(1);
  });
});

describe('a receiver that forgets', () => {
  test('is not sent to again once the first attempt may be forgotten', async () => {
    const retentionMs = 8 * leaseMs;
    const world = make({ retentionMs });
    const operationId = await world.approved();
    const held = world.fake.holdNextRequest();
    const slow = world.execute(operationId, 'worker-slow').catch(() => 'lost');
    await held.arrived;
    await world.reconcile(operationId);
    // Its request lands; nobody is told.
    world.fake.loseNextReceipt();
    held.release();
    expect(await slow).toBe('lost');
    world.clock.advance(leaseMs);
    world.fake.loseNextReceipt();
    await expect(world.execute(operationId)).rejects.toThrow();
    world.clock.advance(retentionMs - leaseMs);
    expect(await world.reconcile(operationId)).toMatchObject({ outcome: 'Unknown', finding: 'absent' });
    // However young the last attempt is: the first one may be what is forgotten.
    expect((await world.view(operationId)).observations.at(-1)?.discounted).toMatch(/no longer remembers/);
    expect((await world.execute(operationId)).outcome).toBe('unknown');
    expect(world.fake.effectsOf(operationId)).toBe(1);
  });
});

describe('another payload under the same identity', () => {
  test.each(['authoritative', 'eventual', 'none'] as const)(
    'is a conflict (lookup %s): Unknown, flagged, never sent again, for the operator',
    async (lookup) => {
      const world = make({ lookup });
      const operationId = await world.approved({ policy: { resendWhenAbsent: true } });
      world.fake.plant(operationId, new TextEncoder().encode('something else'));
      expect(await world.execute(operationId)).toMatchObject({ receipt: 'conflict', status: { state: 'Unknown' } });
      const { outcome, finding } = await world.reconcile(operationId);
      expect(outcome).toBe('Unknown');
      expect(finding).toBe(lookup === 'none' ? 'unavailable' : 'conflict');
      const { attempts } = await world.view(operationId);
      expect(attempts).toMatchObject([{ attempt: 1, answer: 'conflict' }]);
      world.clock.advance(leaseMs);
      expect((await world.execute(operationId)).outcome).toBe('unknown');
      expect(world.fake.effectsOf(operationId)).toBe(0);
      expect(await world.resolve(operationId, 'abandon')).toMatchObject({ state: 'Abandoned' });
    },
  );
});

describe('an operator', () => {
  const unknown = async (world: PortsWorld): Promise<string> => {
    const operationId = await world.approved();
    world.fake.loseNextReceipt();
    await expect(world.execute(operationId)).rejects.toThrow();
    world.fake.down = true;
    await world.reconcile(operationId);
    return operationId;
  };

  test.each([
    ['effect_happened', 'Completed'],
    ['abandon', 'Abandoned'],
    ['ask_again', 'Unknown'],
  ] as const)('can say %s while the receiver is gone for good', async (word, state) => {
    const world = make({});
    const operationId = await unknown(world);
    expect(await world.resolve(operationId, word)).toEqual({ outcome: 'resolved', state });
  });

  test('cannot have "did not happen" applied before the receiver says whether it deduplicates', async () => {
    const world = make({});
    const operationId = await unknown(world);
    await expect(world.resolve(operationId, 'effect_did_not_happen')).rejects.toMatchObject({
      code: 'receiver_unavailable',
    });
    expect((await world.view(operationId)).resolutions).toEqual([]);
  });

  test('who says "ask again" need not wait for the next look', async () => {
    const world = make({ deduplicates: false });
    const operationId = await unknown(world);
    world.fake.down = false;
    world.clock.advance(100);
    expect((await world.read(operationId)).next).toEqual({ step: 'await_evidence', delayMs: 900, then: 'reconcile' });
    await world.resolve(operationId, 'ask_again');
    expect((await world.read(operationId)).next).toEqual({ step: 'reconcile' });
  });

  test('whose word a look contradicts is not overruled: the contradiction is on record', async () => {
    const world = make({ sequence: false });
    const operationId = await world.approved();
    world.fake.loseNextRequest();
    await expect(world.execute(operationId)).rejects.toThrow();
    await world.reconcile(operationId);
    await world.resolve(operationId, 'effect_happened');
    expect(await world.reconcile(operationId, true)).toMatchObject({ outcome: 'Committed', finding: 'absent' });
    const { observations, operation } = await world.view(operationId);
    expect(operation.state).toBe('Completed');
    expect(observations.at(-1)).toMatchObject({ finding: 'absent', contradiction: true });
  });
});
