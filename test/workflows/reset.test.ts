/** `workflow reset`: Temporal does a part of the run again; the ledger has gone on, and no effect happens twice. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, inject, test } from 'vitest';
import { approvalSignal, decideUpdate, recheckSignal, withdrawUpdate } from '../../workflows/messages.ts';
import {
  databases,
  eventually,
  heldReceiver,
  historyOf,
  newCase,
  statusOf,
  troubledTasks,
} from '../support/temporal.ts';
import type { Environment, ReviewHandle } from '../support/temporal.ts';
import { activitiesOf, doneAgain, excluded, firstTask, points, reset, type Point } from '../support/resetting.ts';
import { environment } from './on-shared-server.ts';
import { expectOneEffect } from './one-effect.ts';

const approve = (operationId: string) => ({ operationId, approved: true, reviewer: 'rosa' });

const run = promisify(execFile);

const decideBy = {
  signal: (run: ReviewHandle, id: string) => run.signal(approvalSignal, approve(id)),
  update: (run: ReviewHandle, id: string) => run.executeUpdate(decideUpdate, { args: [approve(id)] }),
} as const;

/** A finished review whose history has a task between proposal and approval, so that a reset can keep the proposal. */
async function finished(at: Environment, by: keyof typeof decideBy) {
  await at.startWorker();
  const { handle, prepared } = await at.startReview(newCase());
  const { operationId } = prepared;
  await handle.signal(recheckSignal);
  await eventually('it looked', async () => (await activitiesOf(handle)).includes('readState'));
  await decideBy[by](handle, operationId);
  expect(await handle.result()).toMatchObject({ status: 'Committed', replayed: false });
  return { handle, operationId };
}

/** What a run that is reset to a point does again, by how it was decided and what the reset leaves out. */
const resets: readonly (readonly [Point, keyof typeof decideBy, keyof typeof excluded, readonly string[]])[] = [
  ['before the approval', 'signal', 'nothing', ['decide', 'readState']],
  ['before the approval', 'signal', 'both', ['readState']],
  ['before the claim', 'signal', 'nothing', ['decide', 'readState']],
  ['before the claim', 'signal', 'both', ['decide', 'readState']],
  ['after the effect', 'signal', 'nothing', ['readState']],
  ['after the effect', 'signal', 'both', ['readState']],
  ['before the approval', 'update', 'nothing', ['decide', 'readState']],
  ['before the approval', 'update', 'updates', ['readState']],
  // An update is accepted, decided and followed by the order to execute in one task: both points are the same.
  ['before the claim', 'update', 'nothing', ['decide', 'readState']],
  ['before the claim', 'update', 'both', ['readState']],
  ['after the effect', 'update', 'nothing', ['readState']],
  ['after the effect', 'update', 'both', ['readState']],
];

test.each(resets)(
  'reset to %s, a review decided by %s (left out: %s) ends as it did, with one effect',
  async (point, by, out, again) => {
    const at = await environment();
    const { handle, operationId } = await finished(at, by);
    const before = databases.journal(at.paths);

    const next = await reset(at, handle, points[point](await historyOf(handle)), excluded[out]);
    const result = await next.result();

    expect(result).toMatchObject({ operationId, status: 'Committed', replayed: true, effectCount: 1, attempts: 1 });
    // Never `execute`: the ledger says that it is done.
    expect((await doneAgain(next)).sort()).toStrictEqual(again);
    expect(databases.journal(at.paths)).toStrictEqual(before);
    expect(troubledTasks(await historyOf(next))).toStrictEqual([]);
    await expectOneEffect(at, operationId);
  },
);

test('the Temporal CLI resets a finished review to its first task: it proposes and decides again, and one effect stays', async () => {
  const at = await environment();
  const { handle, operationId } = await finished(at, 'signal');

  const target = ['--workflow-id', handle.workflowId, '--type', 'FirstWorkflowTask', '--reason', 'by a test'];
  const server = ['--address', at.settings.address, '--namespace', at.settings.namespace];
  await run(inject('temporalCli'), ['workflow', 'reset', ...target, ...server]);

  const next = at.handle(handle.workflowId);
  expect(await next.result()).toMatchObject({ operationId, status: 'Committed', replayed: true, attempts: 1 });
  expect((await doneAgain(next)).sort()).toStrictEqual(['decide', 'propose']);
  await expectOneEffect(at, operationId);
});

test('a review that was reset while it waits takes its decision as before', async () => {
  const at = await environment();
  await at.startWorker();
  const { handle, prepared } = await at.startReview(newCase());
  const { operationId } = prepared;

  const next = await reset(at, handle, firstTask(await historyOf(handle)), excluded.both);
  await eventually('the ledger knows the run', async () => {
    const { runId } = await next.describe();
    return databases.operation(at.paths, operationId)?.run_id === runId;
  });
  await next.signal(approvalSignal, approve(operationId));

  expect(await next.result()).toMatchObject({ operationId, status: 'Committed', replayed: false, effectCount: 1 });
  expect(await doneAgain(next)).toStrictEqual(['propose', 'decide', 'execute', 'readState']);
  await expectOneEffect(at, operationId);
});

test('a review that was reset without its signals, after the ledger was told of a withdrawal, ends as Withdrawn', async () => {
  const at = await environment();
  await at.startWorker();
  const { handle, prepared } = await at.startReview(newCase());
  const { operationId } = prepared;
  const pending = firstTask(await historyOf(handle));
  await handle.executeUpdate(withdrawUpdate, { args: [{ operationId, by: 'drafter', reason: 'sent by mistake' }] });
  await handle.result();

  const next = await reset(at, handle, pending, excluded.both);

  expect(await next.result()).toMatchObject({ operationId, status: 'Withdrawn', effectCount: 0, attempts: 0 });
  expect(databases.effects(at.paths)).toBe(0);
});

test('a review that was reset while its effect is on the way waits for that attempt and claims no other', async () => {
  const at = await environment();
  const receiver = heldReceiver();
  await at.startWorker({ receiver: receiver.wrap, recovery: { leaseMs: 3_600_000, longestLeaseMs: 3_600_000 } });
  const { handle, prepared } = await at.startReview(newCase());
  const { operationId } = prepared;
  const pending = firstTask(await historyOf(handle));
  await handle.signal(approvalSignal, approve(operationId));
  await eventually('the attempt', () => receiver.arrived() === 1);

  const next = await reset(at, handle, pending, excluded.nothing);
  await eventually('it shows the attempt', async () => (await statusOf(next)).state === 'Executing');
  receiver.release();

  expect(await next.result()).toMatchObject({ operationId, status: 'Committed', replayed: true, attempts: 1 });
  expect((await doneAgain(next)).filter((name) => name === 'execute' || name === 'reconcile')).toStrictEqual([]);
  expect(receiver.arrived()).toBe(1);
  await expectOneEffect(at, operationId);
});
