/** Processes whose clocks disagree: time that the ledger has seen pass has passed for everybody, and order is by number. */
import { describe, expect, test } from 'vitest';
import { openSqliteLedger } from '../../src/ledger/sqlite/ledger.ts';
import type { Ledger } from '../../src/ports/ledger.ts';
import { sandbox, type Sandbox } from './sandbox.ts';

const minute = 60_000;
const approve = (id: string): string[] => ['approve', id, '--reviewer', 'rosa'];
const inMinutes = (count: number): string => new Date(Date.now() + count * minute).toISOString();

/** What a process does whose clock is off by so much. */
async function withClockOff<T>(at: Sandbox, ms: number, act: (ledger: Ledger) => Promise<T>): Promise<T> {
  const ledger = openSqliteLedger(at.ledgerFile, { clock: { now: () => Date.now() + ms } });
  try {
    return await act(ledger);
  } finally {
    ledger.close();
  }
}

const deadlines = [
  ['its expiry', () => ({ expiresAt: inMinutes(2) })],
  ['its time to decide', () => ({ policy: { label: 'support-review/1', decisionTtlSeconds: 120 } })],
] as const;

describe.each(deadlines)('a proposal past %s by the clock of another process', (_what, content) => {
  test('that settled it stays Expired for one whose clock is behind', async () => {
    const at = sandbox();
    const { operationId } = await at.proposed(content());
    await withClockOff(at, 3 * minute, (ledger) => ledger.settle(operationId));
    expect(at.operation(operationId)?.state).toBe('Expired');

    const { code, answer } = await at.ask(approve(operationId));

    expect({ code, ...answer }).toMatchObject({ code: 10, outcome: 'expired', decision: null });
    expect(at.operation(operationId)).toMatchObject({ state: 'Expired', attempts: 0 });
    expect(at.decisions()).toStrictEqual([]);
  });

  test('that only wrote something else is expired for one whose clock is behind', async () => {
    const at = sandbox();
    const { operationId } = await at.proposed(content());
    await withClockOff(at, 3 * minute, (ledger) => ledger.setObject({ objectId: 'o', version: 1, actor: 'olga' }));

    const { code, answer } = await at.ask(approve(operationId));

    expect({ code, ...answer }).toMatchObject({ code: 10, outcome: 'expired', decision: null });
    expect(at.operation(operationId)).toMatchObject({ state: 'Expired', attempts: 0 });
    expect(at.decisions()).toStrictEqual([]);
  });
});

test('an approved operation past its expiry by another clock is not claimed by a process whose clock is behind', async () => {
  const at = sandbox();
  const { operationId } = await at.proposed({ expiresAt: inMinutes(2) });
  await at.decided(operationId, true);
  await withClockOff(at, 3 * minute, (ledger) => ledger.setObject({ objectId: 'o', version: 1, actor: 'olga' }));

  const { code, answer } = await at.ask(approve(operationId));

  expect({ code, ...answer }).toMatchObject({ code: 10, outcome: 'repeated', state: 'Expired', attempts: 0 });
  expect(at.operation(operationId)).toMatchObject({ state: 'Expired', attempts: 0 });
  expect(at.effects()).toStrictEqual([]);
});

test('a clock more than five minutes ahead stops everybody else, and approves nothing by itself', async () => {
  const at = sandbox();
  const { operationId } = await at.proposed();
  await withClockOff(at, 6 * minute, (ledger) => ledger.setObject({ objectId: 'o', version: 1, actor: 'olga' }));
  const before = at.dump();

  const { code, answer } = await at.ask(approve(operationId));
  const behind = await withClockOff(at, -60 * minute, (ledger) => ledger.settle(operationId)).catch(
    (thrown: unknown) => thrown,
  );

  expect({ code, error: answer.error?.code }).toStrictEqual({ code: 69, error: 'clock_behind' });
  expect(behind).toMatchObject({ code: 'clock_behind' });
  expect(at.operation(operationId)).toMatchObject({ state: 'Pending', attempts: 0 });
  expect(at.dump()).toStrictEqual(before);
});

test('order is by sequence number, and ledger time never goes back, whatever the clocks say', async () => {
  const at = sandbox();
  const first = await at.proposed({}, -4 * minute);
  const second = await at.proposed();
  const third = await at.proposed({}, 30_000);

  const { answer } = await at.ask<{ operations: { operationId: string; proposedAt: string }[] }>(['list']);

  const ids = [first, second, third].map(({ operationId }) => operationId);
  expect(answer.operations.map(({ operationId }) => operationId)).toStrictEqual(ids);
  const times = at.rows<{ at_ms: number }>(at.ledgerFile, 'SELECT at_ms FROM journal ORDER BY sequence');
  for (const [index, { at_ms: atMs }] of times.entries()) {
    expect(atMs).toBeGreaterThanOrEqual(times[index - 1]?.at_ms ?? 0);
  }
});
