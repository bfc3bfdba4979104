// What is explained: every line rests on a record that is in the database, no record is told twice, none is left out.
import { describe, expect, test } from 'vitest';
import { stateNames, type State } from '../../src/core/states.ts';
import { explain, type Explanation, type Line } from '../../src/operations/explain.ts';
import { leaseMs } from '../support/ledger-world.ts';
import { PortsWorld } from '../support/ports-world.ts';
import { withHandle } from '../support/sqlite-file.ts';
import { temporaryDirectory } from '../support/temporary.ts';

const root = temporaryDirectory();

/** Where a record is, and the times that a line may name for it. */
const columns: Readonly<Record<string, { key: string; times: readonly string[] }>> = {
  journal: { key: 'sequence', times: ['at_ms'] },
  decisions: { key: 'operation_id', times: ['decided_at_ms'] },
  attempts: { key: `operation_id || '/' || attempt`, times: ['claimed_at_ms', 'answered_at_ms'] },
  observations: { key: 'sequence', times: ['observed_at_ms'] },
  resolutions: { key: 'sequence', times: ['resolved_at_ms'] },
};
const owner = (table: string): string => (table === 'journal' ? 'subject' : 'operation_id');
/** Written in one transaction with a row of another table, which is told instead. */
const twin = /^(approved|declined|claimed|claimed again|(receipt|look)( against \w+)?: \w+|resolved: \w+)$/;

const all = ({ happened, attempted, notEstablished }: Explanation): Line[] => [
  ...happened,
  ...attempted,
  ...notEstablished,
];
const nameOf = ({ record }: Line): string => `${record.table} ${record.key}`;

/** Every record of the operation that has something of its own to say, as `table key`, read past the code under test. */
function stored(world: PortsWorld, operationId: string): string[] {
  return withHandle(world.ledgerPath, (db) =>
    Object.entries(columns).flatMap(([table, { key }]) => {
      const what = table === 'journal' ? 'what' : `''`;
      const sql = `SELECT ${key} AS key, ${what} AS what FROM ${table} WHERE ${owner(table)} = ?`;
      const rows = db.prepare<[string], { key: string | number; what: string }>(sql).all(operationId);
      return rows.filter((row) => !twin.test(row.what)).map((row) => `${table} ${row.key}`);
    }),
  );
}

/** The times of the record that a line names; empty where there is no such record of this operation. */
function timesOf(world: PortsWorld, operationId: string, { record }: Line): string[] {
  const { key, times } = columns[record.table]!;
  return withHandle(world.ledgerPath, (db) => {
    const sql = `SELECT ${times.join(', ')} FROM ${record.table} WHERE ${owner(record.table)} = ? AND ${key} = ?`;
    const value = key === 'sequence' ? Number(record.key) : record.key;
    const rows = db.prepare<[string, string | number], Record<string, number | null>>(sql).all(operationId, value);
    return rows.flatMap((row) => Object.values(row)).flatMap((ms) => (ms === null ? [] : [new Date(ms).toISOString()]));
  });
}

const object = { id: 'ticket-7' };
type History = (world: PortsWorld) => Promise<string>;

async function lost(world: PortsWorld, how: 'request' | 'receipt', over = {}): Promise<string> {
  const operationId = await world.approved(over);
  if (how === 'request') world.fake.loseNextRequest();
  else world.fake.loseNextReceipt();
  await world.execute(operationId).catch(() => 'lost');
  return operationId;
}

async function unknown(world: PortsWorld, over = {}): Promise<string> {
  const operationId = await lost(world, 'request', over);
  world.clock.advance(70);
  await world.reconcile(operationId);
  return operationId;
}

/** Sent, looked for in vain, and let go by whoever resolves it; `land` lets it arrive then. */
async function onItsWay(world: PortsWorld): Promise<{ operationId: string; land: () => Promise<void> }> {
  const operationId = await world.approved();
  const held = world.fake.holdNextRequest();
  const slow = world.execute(operationId, 'worker-slow');
  await held.arrived;
  await world.reconcile(operationId);
  return {
    operationId,
    land: async () => {
      held.release();
      await slow;
    },
  };
}

const expiring = { expiresAt: '2026-11-30T12:01:00.000Z' };

const histories: Readonly<Record<string, readonly [State, History]>> = {
  'proposed, and delivered again by another event': ['Pending', async (world) => {
    const { operationId } = await world.propose();
    await world.propose({ eventId: 'evt-2' });
    return operationId;
  }],
  'approved, and asked for what is too late or wrong': ['Approved', async (world) => {
    const operationId = await world.approved();
    await world.decide(operationId, { approved: false });
    await world.decide(operationId, { reviewer: 'drafter' });
    await world.revise(operationId, { body: 'too late' });
    await world.propose({ body: 'another content on the open case' });
    await world.resolve(operationId, 'abandon');
    return operationId;
  }],
  'approved, and waiting for its object': ['Approved', async (world) => {
    await unknown(world, { caseId: 'T-1', object });
    const operationId = await world.approved({ caseId: 'T-2', object });
    await world.execute(operationId);
    return operationId;
  }],
  'claimed, with no answer and no look': ['Executing', (world) => lost(world, 'receipt')],
  'looked for in vain': ['Unknown', unknown],
  'looked for while nobody could be asked': ['Unknown', async (world) => {
    const operationId = await lost(world, 'receipt');
    world.fake.down = true;
    await world.reconcile(operationId);
    return operationId;
  }],
  'another payload at the receiver': ['Unknown', async (world) => {
    const operationId = await world.approved();
    world.fake.plant(operationId, new TextEncoder().encode('something else'));
    await world.execute(operationId);
    world.clock.advance(70);
    await world.reconcile(operationId);
    return operationId;
  }],
  'unknown, and an operator has it asked again': ['Unknown', async (world) => {
    const operationId = await unknown(world);
    await world.resolve(operationId, 'ask_again');
    await world.execute(operationId);
    return operationId;
  }],
  'completed at once': ['Completed', async (world) => {
    const operationId = await world.approved();
    await world.execute(operationId);
    return operationId;
  }],
  'completed by a look': ['Completed', async (world) => {
    const operationId = await lost(world, 'receipt');
    await world.reconcile(operationId);
    return operationId;
  }],
  'completed by a late receipt': ['Completed', async (world) => {
    const { operationId, land } = await onItsWay(world);
    await land();
    return operationId;
  }],
  'completed by a second attempt, and then the first was answered too': ['Completed', async (world) => {
    const { operationId, land } = await onItsWay(world);
    world.clock.advance(leaseMs);
    await world.execute(operationId, 'worker-2');
    await land();
    return operationId;
  }],
  'said to have happened, which a look contradicts': ['Completed', async (world) => {
    const operationId = await unknown(world);
    await world.resolve(operationId, 'effect_happened');
    await world.reconcile(operationId, true);
    return operationId;
  }],
  'declined': ['Declined', async (world) => {
    const { operationId } = await world.propose();
    await world.decide(operationId, { approved: false });
    return operationId;
  }],
  'revised': ['Superseded', async (world) => {
    const { operationId } = await world.propose();
    await world.revise(operationId, { body: 'better' });
    await world.decide(operationId);
    return operationId;
  }],
  'superseded at the claim': ['Superseded', async (world) => {
    const operationId = await world.approved({ object });
    await world.ports.ledger.setObject({ objectId: object.id, version: 2, actor: 'olga' });
    await world.execute(operationId);
    return operationId;
  }],
  'expired by itself': ['Expired', async (world) => {
    const { operationId } = await world.propose(expiring);
    world.clock.advance(60_000);
    await world.ports.ledger.settle(operationId);
    return operationId;
  }],
  'expired when somebody decided': ['Expired', async (world) => {
    const { operationId } = await world.propose(expiring);
    world.clock.advance(60_000);
    await world.decide(operationId);
    return operationId;
  }],
  'denied at admission': ['Denied', async (world) => {
    await world.ports.ledger.setObject({ objectId: object.id, version: 1, permitted: false, actor: 'olga' });
    return (await world.propose({ object })).operationId;
  }],
  'withdrawn': ['Withdrawn', async (world) => {
    const operationId = await world.approved();
    await world.withdraw(operationId);
    await world.withdraw(operationId);
    return operationId;
  }],
  'abandoned': ['Abandoned', async (world) => {
    const operationId = await unknown(world);
    await world.resolve(operationId, 'abandon');
    return operationId;
  }],
  'abandoned, and then the effect arrived': ['Abandoned', async (world) => {
    const { operationId, land } = await onItsWay(world);
    await world.resolve(operationId, 'abandon');
    await land();
    await world.reconcile(operationId, true);
    return operationId;
  }],
}; // prettier-ignore

test('there is a history for every state', () => {
  expect(new Set(Object.values(histories).map(([state]) => state))).toEqual(new Set(stateNames));
});

describe.each(Object.entries(histories))('an operation that was %s', (_name, [state, history]) => {
  test(`is ${state}; every line names a stored record and its time, no record twice, and none is left out`, async () => {
    const world = new PortsWorld(root, { fake: {} });
    const operationId = await history(world);
    const before = world.both();

    const explanation = await explain(world.ports, operationId);

    expect(explanation).toMatchObject({ operationId, state });
    const lines = all(explanation);
    for (const line of lines) expect(timesOf(world, operationId, line), line.text).toContain(line.record.at);
    const named = lines.map(nameOf);
    expect(new Set(named).size).toBe(named.length);
    const held = stored(world, operationId);
    expect(held.length).toBeGreaterThan(0);
    expect(held.filter((record) => !named.includes(record))).toEqual([]);
    // What is not established rests on the record that left it so, which another line may not have told.
    const open = explanation.notEstablished.filter(({ record }) => record.table === 'journal');
    expect(open).toHaveLength(state === 'Executing' || state === 'Unknown' ? 1 : 0);
    expect(world.both()).toEqual(before);
  });
});

const explained = async (name: string): Promise<Explanation> => {
  const world = new PortsWorld(root, { fake: {} });
  return explain(world.ports, await histories[name]![1](world));
};
const texts = (lines: readonly Line[]): string[] => lines.map(({ text }) => text);

describe('the three lists', () => {
  test('are in the order of the journal, which is the order of events where times are equal', async () => {
    const { happened, attempted, notEstablished } = await explained('abandoned, and then the effect arrived');
    expect(texts(happened)).toEqual([
      'The proposal was recorded, proposed by drafter.',
      'rita approved it (command).',
      'olga resolved: abandon: asked the destination.',
      'Attempt 1, claimed by worker-slow for receiver-fake, was answered: the receiver recorded the effect. This contradicts the recorded state.',
      'A look at the receiver found exactly this effect. This contradicts the recorded state.',
    ]);
    expect(attempted).toEqual([]);
    expect(texts(notEstablished)).toEqual(['A look at the receiver found no effect.']);
  });

  test('tell an attempt without an answer as attempted, and its outcome as not established', async () => {
    const { attempted, notEstablished } = await explained('looked for in vain');
    expect(texts(attempted)).toEqual(['Attempt 1 was claimed by command-1 for receiver-fake; no answer is recorded.']);
    expect(texts(notEstablished)).toEqual([
      'A look at the receiver found no effect.',
      'Whether the effect happened is not established: it is Unknown.',
    ]);
  });

  test('tell a refusal as attempted, and as happened where it ended the operation', async () => {
    const waiting = await explained('approved, and waiting for its object');
    expect(texts(waiting.attempted)).toEqual([
      expect.stringMatching(/^Claim by command-1 refused: overlap \(op-v1-\w+ holds the object\)\.$/),
    ]);
    const late = await explained('expired when somebody decided');
    expect(texts(late.happened)).toContain('Decision by rita refused: expired. It is Expired since.');
    expect(late.attempted).toEqual([]);
  });
});

test('what nobody knows is not explained', async () => {
  const world = new PortsWorld(root, { fake: {} });
  await expect(explain(world.ports, `op-v1-${'0'.repeat(64)}`)).rejects.toMatchObject({ code: 'not_found' });
});
