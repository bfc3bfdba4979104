// The use cases over both stores: proposed, decided, executed once, and known however the receipt was lost.
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { parsePayload } from '../../src/identity/index.ts';
import { leaseMs } from '../support/ledger-world.ts';
import { PortsWorld } from '../support/ports-world.ts';
import { withHandle } from '../support/sqlite-file.ts';
import { temporaryDirectory } from '../support/temporary.ts';

const root = temporaryDirectory();
const make = (options?: ConstructorParameters<typeof PortsWorld>[1]) => new PortsWorld(root, options);
const nowhere = `op-v1-${'0'.repeat(64)}`;

interface EffectRow {
  operation_id: string;
  payload: Buffer;
  payload_sha256: string;
  attempt: number;
  ledger_id: string;
  ledger_sequence: number;
  ledger_hash: string;
}
const effects = (world: PortsWorld): EffectRow[] =>
  withHandle(world.receiverPath, (db) => db.prepare<[], EffectRow>('SELECT * FROM effects ORDER BY sequence').all());

/** Runs `act` and fails if either store changed. */
async function unchanged<T>(world: PortsWorld, act: () => Promise<T>): Promise<T> {
  const before = world.both();
  const answer = await act();
  expect(world.both()).toEqual(before);
  return answer;
}

describe('propose', () => {
  test('shows the proposal as it is recorded, in canonical text', async () => {
    const world = make();
    const answer = await world.propose({ body: 'one\r\ntwo\rthree' });
    expect(answer).toMatchObject({
      outcome: 'admitted',
      proposal: { body: 'one\ntwo\nthree', proposedAt: '2026-11-30T12:00:00.000Z', humanEdited: false },
      status: { state: 'Pending', decision: null, attempts: 0, result: null },
    });
    expect(answer.proposal?.operationId).toBe(answer.operationId);
    const same = await unchanged(world, () => world.propose({ body: 'one\ntwo\nthree' }));
    expect(same).toEqual({ ...answer, outcome: 'duplicate' });
  });

  test('refuses a malformed case with the pointer of the fault, and records nothing', async () => {
    const world = make();
    const malformed = (over: object, pointer: string) =>
      unchanged(world, () => expect(world.propose(over)).rejects.toMatchObject({ code: 'malformed_input', pointer }));
    await malformed({ body: 7 }, '/body');
    await malformed({ body: 'x\ud800' }, '/body');
    await malformed({ object: { id: 'o', version: 0 } }, '/object/version');
    await malformed({ expiresAt: '2026-12-24T12:00:00' }, '/expiresAt');
    await malformed({ approved: true }, '/approved');
  });

  test('a refused case names what stands in its way', async () => {
    const world = make();
    const first = await world.propose();
    const second = await world.propose({ body: 'another draft' });
    expect(second.outcome).toBe('case_open');
    expect(second.operationId).not.toBe(first.operationId);
    expect(second.proposal?.operationId).toBe(first.operationId);
  });
});

describe('execute', () => {
  test('one approved operation has one effect: exactly the bytes that were approved', async () => {
    const world = make();
    const operationId = await world.approved();
    const answer = await world.execute(operationId);
    expect(answer).toMatchObject({
      outcome: 'claimed',
      receipt: 'created',
      status: {
        state: 'Completed',
        attempts: 1,
        result: { status: 'Committed', replayed: false, effectCount: 1, attempts: 1 },
      },
    });
    const [effect, ...others] = effects(world);
    expect(others).toEqual([]);
    expect(`op-v1-${createHash('sha256').update(effect!.payload).digest('hex')}`).toBe(operationId);
    expect(parsePayload(effect!.payload)).toMatchObject({ caseId: 'T-1042', body: 'the draft' });
    // The receiver keeps how far the ledger had come: the very record of the claim.
    const claimed = (await world.ports.ledger.journal(operationId)).find(({ what }) => what === 'claimed');
    expect(effect).toMatchObject({
      operation_id: operationId,
      attempt: 1,
      ledger_id: world.ports.ledger.ledgerId,
      ledger_sequence: claimed?.sequence,
      ledger_hash: claimed?.hash,
    });
  });

  test('again writes nothing new, in neither store, and says that it was a replay', async () => {
    const world = make();
    const operationId = await world.approved();
    await world.execute(operationId, 'command-1');
    const again = await unchanged(world, () => world.execute(operationId, 'command-2'));
    expect(again).toMatchObject({ outcome: 'completed', receipt: null, status: { result: { replayed: true } } });
    expect((await world.execute(operationId, 'command-1')).status.result?.replayed).toBe(false);
  });

  test.each([
    ['Pending', (world: PortsWorld) => world.propose()],
    ['Declined', async (world: PortsWorld) => {
      const proposed = await world.propose();
      await world.decide(proposed.operationId, { approved: false });
      return proposed;
    }],
    ['Withdrawn', async (world: PortsWorld) => {
      const proposed = await world.propose();
      await world.withdraw(proposed.operationId);
      return proposed;
    }],
  ] as const)('an operation that is %s has no effect', async (state, reach) => {
    const world = make();
    const { operationId } = await reach(world);
    expect(await world.execute(operationId)).toMatchObject({ outcome: 'not_approved', receipt: null, status: { state } });
    expect(effects(world)).toEqual([]);
  }); // prettier-ignore

  test('of an operation nobody knows is not found', async () => {
    const world = make();
    await unchanged(world, () => expect(world.execute(nowhere)).rejects.toMatchObject({ code: 'not_found' }));
  });

  test('claims nothing while the receiver cannot say what it is', async () => {
    const world = make({ fake: {} });
    const operationId = await world.approved();
    world.fake.down = true;
    const act = () => expect(world.execute(operationId)).rejects.toMatchObject({ code: 'receiver_unavailable' });
    await unchanged(world, act);
    expect(await world.view(operationId)).toMatchObject({ operation: { state: 'Approved', attempts: 0 } });
  });

  test('tells the state of now when somebody else was faster', async () => {
    const world = make({ fake: {} });
    const operationId = await world.approved();
    const { receiver } = world.ports;
    // Between the first read and the claim another process executes the same operation.
    const describeReceiver = receiver.describe.bind(receiver);
    let raced = false;
    receiver.describe = async () => {
      if (!raced) {
        raced = true;
        await world.execute(operationId, 'command-9');
      }
      return describeReceiver();
    };
    const answer = await world.execute(operationId, 'command-1');
    expect(answer).toMatchObject({
      outcome: 'completed',
      receipt: null,
      status: { state: 'Completed', attempts: 1, result: { status: 'Committed', replayed: true } },
    });
    expect(world.fake.effectsOf(operationId)).toBe(1);
  });

  test('frees its object and wakes those that waited for it, oldest first', async () => {
    const world = make();
    const object = { id: 'ticket' };
    const holder = await world.approved({ caseId: 'T-1', object });
    world.failAt('claim.after-commit');
    await expect(world.execute(holder)).rejects.toThrow();
    const waiting = [];
    for (const caseId of ['T-9', 'T-5']) waiting.push(await world.approved({ caseId, object }));
    for (const operationId of waiting) expect((await world.execute(operationId)).outcome).toBe('overlap');
    expect(await world.reconcile(holder)).toMatchObject({ outcome: 'Unknown', finding: 'absent' });
    expect(world.woken).toEqual([...waiting, holder]);
    world.woken.length = 0;
    world.clock.advance(leaseMs);
    expect((await world.execute(holder)).receipt).toBe('created');
    expect(world.woken).toEqual([holder, ...waiting]);
    expect((await world.execute(waiting[0]!)).receipt).toBe('created');
  });
});

describe('a lost receipt', () => {
  test('is reconciled to Committed with one effect and one attempt; twice is the same', async () => {
    const world = make();
    const operationId = await world.approved();
    world.failAt('receiver.committed');
    await expect(world.execute(operationId)).rejects.toThrow();
    // As the source has it: the child ends, the ledger says Executing, the receiver holds one effect.
    expect(await world.state(operationId)).toBe('Executing');
    expect(effects(world)).toHaveLength(1);

    const answer = await world.reconcile(operationId);
    expect(answer).toMatchObject({
      outcome: 'Committed',
      finding: 'matching',
      status: { state: 'Completed', attempts: 1, result: { replayed: true, effectCount: 1 } },
    });
    const again = await unchanged(world, () => world.reconcile(operationId));
    expect(again).toEqual({ ...answer, finding: null });
    expect(effects(world)).toHaveLength(1);
    expect((await world.view(operationId)).attempts).toHaveLength(1);
    expect((await world.execute(operationId)).outcome).toBe('completed');
  });

  test.each(['receiver.half-reply', 'complete.before-commit', 'complete.after-commit'] as const)(
    'at %s ends with one effect and one attempt',
    async (point) => {
      const world = make();
      const operationId = await world.approved();
      world.failAt(point);
      await expect(world.execute(operationId)).rejects.toThrow();
      expect((await world.reconcile(operationId)).outcome).toBe('Committed');
      expect(effects(world)).toHaveLength(1);
      expect((await world.view(operationId)).attempts).toHaveLength(1);
    },
  );

  test('of a request that never arrived: Unknown, then a second attempt after the lease, and one effect', async () => {
    const world = make();
    const operationId = await world.approved();
    world.failAt('receiver.request-sent');
    await expect(world.execute(operationId)).rejects.toThrow();
    expect(await world.reconcile(operationId)).toMatchObject({ outcome: 'Unknown', finding: 'absent' });
    expect((await world.execute(operationId)).outcome).toBe('in_progress');
    expect(effects(world)).toEqual([]);
    world.clock.advance(leaseMs);
    expect(await world.execute(operationId)).toMatchObject({ receipt: 'created', status: { attempts: 2 } });
    expect(effects(world)).toMatchObject([{ operation_id: operationId, attempt: 2 }]);
  });

  test('a death before the claim was committed leaves nothing to reconcile', async () => {
    const world = make();
    const operationId = await world.approved();
    world.failAt('claim.before-commit');
    await unchanged(world, () => expect(world.execute(operationId)).rejects.toThrow());
    expect(await world.reconcile(operationId)).toMatchObject({ outcome: 'NoLocalEffectRecorded', finding: 'absent' });
    expect(await world.execute(operationId)).toMatchObject({ receipt: 'created', status: { attempts: 1 } });
    expect(effects(world)).toHaveLength(1);
  });
});

describe('reconcile', () => {
  test('an approved operation that was never claimed is NoLocalEffectRecorded, and asking changes nothing', async () => {
    const world = make();
    const operationId = await world.approved();
    const answer = await unchanged(world, () => world.reconcile(operationId));
    expect(answer).toMatchObject({
      outcome: 'NoLocalEffectRecorded',
      finding: 'absent',
      status: { state: 'Approved' },
    });
  });

  test('an approved operation is Unknown while the receiver cannot be asked', async () => {
    const world = make({ fake: {} });
    const operationId = await world.approved();
    world.fake.down = true;
    expect(await world.reconcile(operationId)).toMatchObject({ outcome: 'Unknown', finding: 'unavailable' });
    expect(await world.state(operationId)).toBe('Approved');
  });

  test('a pending or settled operation is answered from the ledger, and nobody is asked', async () => {
    const world = make({ fake: {} });
    const { operationId: pending } = await world.propose();
    expect(await unchanged(world, () => world.reconcile(pending))).toMatchObject({ outcome: 'Pending', finding: null });
    await world.decide(pending, { approved: false });
    expect(await unchanged(world, () => world.reconcile(pending))).toMatchObject({
      outcome: 'Declined',
      finding: null,
    });
    const { operationId: withdrawn } = await world.propose({ caseId: 'T-2' });
    await world.withdraw(withdrawn);
    expect((await world.reconcile(withdrawn)).outcome).toBe('Withdrawn');
    expect(world.fake.looks).toBe(0);
  });

  test('applies what time has brought about', async () => {
    const world = make();
    const { operationId } = await world.propose({ policy: { decisionTtlSeconds: 5 } });
    world.clock.advance(5_000);
    expect(await world.reconcile(operationId)).toMatchObject({ outcome: 'Expired', status: { state: 'Expired' } });
  });

  test('of an operation nobody knows is not found', async () => {
    await expect(make().reconcile(nowhere)).rejects.toMatchObject({ code: 'not_found' });
  });

  test('a receiver that belongs to another ledger stops the caller: that is no finding', async () => {
    const world = make({ fake: {} });
    const operationId = await world.approved();
    world.fake.loseNextReceipt();
    await expect(world.execute(operationId)).rejects.toThrow();
    world.ports.receiver.lookup = () =>
      Promise.reject(Object.assign(new Error('foreign'), { code: 'receiver_foreign' }));
    await unchanged(world, () =>
      expect(world.reconcile(operationId)).rejects.toMatchObject({ code: 'receiver_foreign' }),
    );
    expect(await world.state(operationId)).toBe('Executing');
  });
});

describe('decide', () => {
  test('is answered with the decision as outsiders see it, and the head of the journal', async () => {
    const world = make();
    const { operationId } = await world.propose();
    const answer = await world.decide(operationId, { requestId: 'update-1' });
    expect(answer).toEqual({
      outcome: 'recorded',
      operationId,
      why: null,
      decision: {
        approved: true,
        reviewer: 'rita',
        reason: null,
        decidedAt: '2026-11-30T12:00:00.000Z',
        via: 'command',
      },
      state: 'Approved',
      currentOperationId: operationId,
      headHash: (await world.view(operationId)).headHash,
    });
    expect(await unchanged(world, () => world.decide(operationId))).toEqual({ ...answer, outcome: 'repeated' });
    const other = await world.decide(operationId, { approved: false });
    expect(other).toMatchObject({ outcome: 'conflicting_decision', decision: answer.decision });
    expect((await world.decide(operationId, { caseId: 'T-2' })).outcome).toBe('unknown_operation');
  });
});

describe('readState', () => {
  test('leads from proposal to result, step by step', async () => {
    const world = make();
    const { operationId } = await world.propose();
    const next = async () => (await world.read(operationId)).next;
    expect(await next()).toEqual({ step: 'await_decision', delayMs: null });
    await world.decide(operationId);
    expect(await next()).toEqual({ step: 'execute' });
    world.failAt('receiver.request-sent');
    await expect(world.execute(operationId, 'run:1')).rejects.toThrow();
    const wait = { step: 'await_evidence', delayMs: leaseMs, then: 'reconcile' };
    expect(await next()).toEqual(wait);
    // Only whoever made the attempt knows that it ended.
    expect((await world.read(operationId, true, 'run:2')).next).toEqual(wait);
    expect((await world.read(operationId, true)).next).toEqual({ step: 'reconcile' });
    await world.reconcile(operationId);
    expect(await next()).toEqual({ step: 'await_evidence', delayMs: leaseMs, then: 'execute' });
    world.clock.advance(leaseMs);
    expect(await next()).toEqual({ step: 'execute' });
    await world.execute(operationId);
    expect(await next()).toEqual({ step: 'finished', status: 'Committed' });
  });

  test('follows a revision and shows the new proposal', async () => {
    const world = make();
    const { operationId } = await world.propose();
    const { currentOperationId } = await world.revise(operationId, { body: 'better' });
    const state = await world.read(operationId);
    expect(state).toMatchObject({
      status: { operationId: currentOperationId, state: 'Pending' },
      proposal: { operationId: currentOperationId, body: 'better' },
    });
  });

  test('goes on asking about an operation that a claim would refuse, and finds its late effect', async () => {
    const world = make({ fake: {} });
    const operationId = await world.approved({ expiresAt: '2026-11-30T12:00:06.000Z' });
    const held = world.fake.holdNextRequest();
    const attempt = world.execute(operationId);
    await held.arrived;
    await world.reconcile(operationId);
    world.clock.advance(leaseMs + 1_000);
    // The lease is over and the absence counts, but the time for another attempt is over, too.
    expect((await world.read(operationId)).next).toEqual({ step: 'reconcile' });
    expect((await world.execute(operationId)).outcome).toBe('expired');
    held.release();
    expect((await attempt).receipt).toBe('created');
    expect((await world.read(operationId)).next).toEqual({ step: 'finished', status: 'Committed' });
    expect(world.fake.effectsOf(operationId)).toBe(1);
  });

  test('of an operation nobody knows is not found', async () => {
    await expect(make().read(nowhere)).rejects.toMatchObject({ code: 'not_found' });
  });
});
