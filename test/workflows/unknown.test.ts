/** An unknown outcome under Temporal: the looks go on by themselves, over restarts, and an operator needs no run. */
import { expect, test } from 'vitest';
import { defaultRecovery } from '../../src/core/recovery.ts';
import type { EffectRequest, Receiver } from '../../src/ports/receiver.ts';
import { decideUpdate } from '../../workflows/messages.ts';
import { world } from '../cli/on-temporal.ts';
import { withHandle } from '../support/sqlite-file.ts';
import { databases, eventually, newCase, statusOf } from '../support/temporal.ts';
import { environment } from './on-shared-server.ts';

const approve = (operationId: string) => ({ operationId, approved: true, reviewer: 'rosa' });

/** A destination whose absence is no proof: the request is on its way until `land`, and a look finds nothing. */
function slowDestination(): { wrap: (embedded: Receiver) => Receiver; land: (into: Receiver) => Promise<void> } {
  let sent: EffectRequest | null = null;
  return {
    wrap: (embedded) => ({
      ...embedded,
      async describe() {
        const status = await embedded.describe();
        return { ...status, declaration: { ...status.declaration, lookup: 'eventual' } };
      },
      commit: (request) => {
        sent = request;
        return Promise.reject(new Error('The connection was lost.'));
      },
    }),
    land: async (into) => {
      if (!sent) throw new Error('nothing was sent');
      await into.commit(sent);
    },
  };
}

test('an unknown outcome is asked about again and again, further and further apart, over a restart, until evidence comes', async () => {
  const at = await environment();
  const destination = slowDestination();
  const recovery = { leaseMs: 50, firstLookAgainMs: 40, longestLookAgainMs: 320 };
  await at.startWorker({ receiver: destination.wrap, recovery });
  const { handle, prepared } = await at.startReview(newCase());
  const { operationId } = prepared;
  await handle.executeUpdate(decideUpdate, { args: [approve(operationId)] });
  const looks = () =>
    withHandle(at.paths.ledger, (db) =>
      db
        .prepare<[], { finding: string; discounted: string | null; attempt: number; observed_at_ms: number }>(
          'SELECT finding, discounted, attempt, observed_at_ms FROM observations ORDER BY sequence',
        )
        .all(),
    );

  await eventually('it was looked for five times', () => looks().length >= 5);
  await at.stopWorker();
  const before = looks().length;
  expect(await at.ports.ledger.uncertainty(operationId, 10)).toMatchObject({ looks: before, blockedCount: 0 });
  await at.startWorker({ receiver: destination.wrap, recovery });
  await eventually('the looks go on after the restart', () => looks().length >= before + 2);

  const seen = looks();
  expect(new Set(seen.map(({ finding, discounted, attempt }) => `${finding} ${discounted} ${attempt}`))).toEqual(
    new Set(['absent null 1']),
  );
  // Never sooner than the schedule says, and the schedule backs off up to its bound.
  for (const [index, { observed_at_ms: atMs }] of seen.entries()) {
    if (index === 0) continue;
    const leastMs = Math.min(recovery.longestLookAgainMs, recovery.firstLookAgainMs * 2 ** (index - 1));
    expect(atMs - seen[index - 1]!.observed_at_ms, `look ${index + 1}`).toBeGreaterThanOrEqual(leastMs);
  }
  expect(await statusOf(handle)).toMatchObject({ state: 'Unknown', attempts: 1 });
  expect(databases.operation(at.paths, operationId)).toMatchObject({ state: 'Unknown', attempts: 1 });
  expect(databases.effects(at.paths)).toBe(0);

  await destination.land(at.ports.receiver);
  expect(await handle.result()).toMatchObject({ status: 'Committed', replayed: true, effectCount: 1, attempts: 1 });
  expect(databases.effectsOf(at.paths, operationId)).toBe(1);
  expect(looks().at(-1)).toMatchObject({ finding: 'matching', attempt: 1 });
});

test('an operator settles from the command line what has no run alive; a run is started only where something is left to do', async () => {
  const at = await world();
  await at.startWorker('--lease-ms', '1');
  const resolve = (id: string, as: string, ...more: string[]): string[] => [
    ...['resolve', id, '--as', as, '--operator', 'olga', '--reason', 'asked the desk', ...more],
  ];
  const settled = await at.unknown();
  const open = await at.unknown();
  at.leaseEnds(open.operationId, Date.now() - defaultRecovery.leaseMs);

  const happened = await at.askOn(resolve(settled.operationId, 'effect_happened', '--reference', 'desk entry 7'));
  const didNot = await at.askOn(resolve(open.operationId, 'effect_did_not_happen'));
  await at.reaches(open.operationId, 'Completed');

  expect(happened).toMatchObject({ code: 0, answer: { outcome: 'resolved', state: 'Completed' } });
  expect(didNot).toMatchObject({ code: 0, answer: { outcome: 'resolved', state: 'Unknown', told: true } });
  expect(at.operation(settled.operationId)).toMatchObject({ state: 'Completed', attempts: 1, workflow_id: null });
  expect(at.operation(open.operationId)).toMatchObject({ state: 'Completed', attempts: 2 });
  expect(at.effects()).toStrictEqual([open.operationId]);
  const stored = 'SELECT operation_id, resolution, operator, reason, reference FROM resolutions ORDER BY sequence';
  expect(at.rows(at.ledgerFile, stored)).toMatchObject([
    { operation_id: settled.operationId, resolution: 'effect_happened', operator: 'olga', reference: 'desk entry 7' },
    { operation_id: open.operationId, resolution: 'effect_did_not_happen', operator: 'olga', reference: null },
  ]);
});
