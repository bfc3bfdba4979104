/**
 * Commands of the temporal driver write the ledger first and tell the run afterwards. One that dies in between has
 * changed the ledger, and its run learns of it from a sweep.
 */
import { expect, test } from 'vitest';
import { workflowIdOf } from '../../src/worker/runs.ts';
import type { CrashPoint } from '../../src/ports/crash-points.ts';
import type { State } from '../../src/core/states.ts';
import { world, type World } from '../cli/on-temporal.ts';
import { eventually } from '../support/temporal.ts';
import { receiptLost, unknownWithoutEffect } from './stand.ts';

type Reached = Awaited<ReturnType<World['begun']>>;

interface Late {
  readonly point: CrashPoint;
  readonly command: (id: string) => readonly string[];
  readonly reached: (at: World) => Promise<Reached>;
  /** Where the ledger is when the command is dead, and what the run says once it knows. */
  readonly state: State;
  readonly status: string;
  readonly effects: number;
}

/** A run waits for a decision. */
async function pending(at: World): Promise<Reached> {
  await at.startWorker();
  return at.begun();
}

/** A run waits for evidence, for an hour. */
async function waiting(at: World, arrange: (operationId: string) => Promise<void>): Promise<Reached> {
  const proposed = await at.proposed();
  await arrange(proposed.operationId);
  at.leaseEnds(proposed.operationId, Date.now() + 3_600_000);
  await at.startWorker();
  await eventually('a run reviews it', () => at.operation(proposed.operationId)?.run_id);
  return proposed;
}

const late: readonly Late[] = [
  {
    ...{ point: 'decide.after-commit', state: 'Approved', status: 'Committed', effects: 1, reached: pending },
    command: (id) => ['approve', id, '--reviewer', 'rosa'],
  },
  {
    ...{ point: 'decide.after-commit', state: 'Declined', status: 'Declined', effects: 0, reached: pending },
    command: (id) => ['decline', id, '--reviewer', 'rosa', '--reason', 'not now'],
  },
  {
    ...{ point: 'reconcile.after-commit', state: 'Completed', status: 'Committed', effects: 1 },
    reached: (at) => waiting(at, (id) => receiptLost(at, id)),
    command: (id) => ['reconcile', id],
  },
  {
    ...{ point: 'resolve.after-commit', state: 'Abandoned', status: 'Abandoned', effects: 0 },
    reached: (at) => waiting(at, (id) => unknownWithoutEffect(at, id)),
    command: (id) => ['resolve', id, '--as', 'abandon', '--operator', 'olga', '--reason', 'not there'],
  },
];

test.each(late)('a command that dies at $point leaves $state, and a sweep tells the run', async (row) => {
  const at = await world();
  const { operationId, caseId } = await row.reached(at);
  const handle = at.client.workflow.getHandle(workflowIdOf(caseId));

  const died = await at.on([...row.command(operationId), '--crash-at', row.point]);
  const between = { state: at.operation(operationId)?.state, run: (await handle.describe()).status.name };
  const swept = await at.askOn(['sweep']);
  const result: unknown = await handle.result();

  expect(died).toMatchObject({ code: 17, signal: null });
  expect(between).toEqual({ state: row.state, run: 'RUNNING' });
  expect(swept).toMatchObject({ code: 0, answer: { swept: [{ operationId, result: 'told' }] } });
  expect(result).toMatchObject({ operationId, status: row.status, effectCount: row.effects });
  expect(at.effects()).toHaveLength(row.effects);
  expect(await at.on(['verify'])).toMatchObject({ code: 0 });
});
