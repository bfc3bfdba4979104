/** Several runs of one case: the ledger decides once, and every run comes to know it by itself. */
import { expect, inject, onTestFinished, test } from 'vitest';
import type { CaseInput } from '../../src/core/case.ts';
import { sweep } from '../../src/operations/sweep.ts';
import { passingToRuns } from '../../src/worker/runs.ts';
import { approvalSignal, decideUpdate, resolveUpdate, reviseUpdate, withdrawUpdate } from '../../workflows/messages.ts';
import { longHistorySoon, startOwnServer } from '../support/own-server.ts';
import {
  databases,
  detailsOf,
  eventually,
  heldReceiver,
  historyOf,
  newCase,
  openEnvironment,
  proposalOf,
  settingsFor,
  statusOf,
  troubledTasks,
  type Environment,
  type ReviewHandle,
} from '../support/temporal.ts';
import { environment } from './on-shared-server.ts';

const approve = (operationId: string) => ({ operationId, approved: true, reviewer: 'rosa' });
const decline = (operationId: string) => ({ operationId, approved: false, reviewer: 'rosa', reason: 'not covered' });

interface Reviewed {
  readonly operationId: string;
  readonly runs: readonly [ReviewHandle, ReviewHandle, ReviewHandle];
}

/** One case reviewed by three runs under three workflow ids. */
async function reviewedByThree(at: Environment, input: CaseInput = newCase()): Promise<Reviewed> {
  const { handle, prepared } = await at.startReview(input);
  const { operationId } = prepared;
  const others = [];
  for (const name of ['again', 'once-more']) {
    const other = await at.startReview(input, `${handle.workflowId}/${name}`);
    expect(other.prepared).toMatchObject({ operationId, admission: 'duplicate' });
    others.push(other.handle);
  }
  return { operationId, runs: [handle, others[0]!, others[1]!] };
}

const resultsOf = (runs: readonly ReviewHandle[]) => Promise.all(runs.map((run) => run.result()));

test('one effect ends every run of the case; only the one that wrote it does not say replayed', async () => {
  const at = await environment();
  await at.startWorker();
  const { operationId, runs } = await reviewedByThree(at);

  await runs[0].executeUpdate(decideUpdate, { args: [approve(operationId)] });

  const results = await resultsOf(runs);
  expect(results.map(({ replayed }) => replayed)).toStrictEqual([false, true, true]);
  for (const result of results) {
    expect(result).toMatchObject({ operationId, status: 'Committed', effectCount: 1, attempts: 1 });
  }
  for (const run of runs) expect(troubledTasks(await historyOf(run))).toStrictEqual([]);
  expect(databases.effects(at.paths)).toBe(1);
  expect(databases.journal(at.paths).filter(({ what }) => what === 'reviewed by a run')).toHaveLength(2);
});

test.each([
  ['declined by a signal', 'Declined', (run: ReviewHandle, id: string) => run.signal(approvalSignal, decline(id))],
  [
    'declined by an update',
    'Declined',
    (run: ReviewHandle, id: string) => run.executeUpdate(decideUpdate, { args: [decline(id)] }),
  ],
  [
    'withdrawn',
    'Withdrawn',
    (run: ReviewHandle, operationId: string) =>
      run.executeUpdate(withdrawUpdate, { args: [{ operationId, by: 'drafter', reason: 'sent by mistake' }] }),
  ],
] as const)('%s at one run, the proposal is so for all of them', async (_how, status, act) => {
  const at = await environment();
  await at.startWorker();
  const { operationId, runs } = await reviewedByThree(at);

  await act(runs[1], operationId);

  for (const result of await resultsOf(runs)) expect(result).toMatchObject({ operationId, status, effectCount: 0 });
  expect(databases.effects(at.paths)).toBe(0);
});

test('a deadline that passes ends every run of the case, whoever notices first', async () => {
  const at = await environment();
  await at.startWorker();
  const { operationId, runs } = await reviewedByThree(at, newCase({ policy: { decisionTtlSeconds: 2 } }));

  for (const result of await resultsOf(runs)) expect(result).toMatchObject({ operationId, status: 'Expired' });
  expect(databases.journal(at.paths).filter(({ what }) => what === 'expired')).toHaveLength(1);
});

test('a revision at one run is what all of them show, and its decision at another ends all of them', async () => {
  const at = await environment();
  await at.startWorker();
  const { operationId, runs } = await reviewedByThree(at);

  const revised = await runs[0].executeUpdate(reviseUpdate, {
    args: [{ expectedOperationId: operationId, revisedBy: 'ed', body: 'Shorter.' }],
  });
  for (const run of runs) {
    await eventually('the revision', async () => (await proposalOf(run))?.operationId === revised.operationId);
    expect(await statusOf(run)).toMatchObject({ state: 'Pending', operationId: revised.operationId });
  }
  await runs[2].signal(approvalSignal, approve(revised.operationId));

  for (const result of await resultsOf(runs)) {
    expect(result).toMatchObject({
      operationId: revised.operationId,
      status: 'Committed',
      effectCount: 1,
      attempts: 1,
    });
  }
  expect(databases.effects(at.paths)).toBe(1);
});

test('waiting for its object, an approved case shows so in every run, and all end when the object is free', async () => {
  const at = await environment();
  const receiver = heldReceiver();
  await at.startWorker({ receiver: receiver.wrap });
  const object = { id: 'ticket-1' };
  const holder = await at.startReview(newCase({ object }));
  await holder.handle.signal(approvalSignal, approve(holder.prepared.operationId));
  await eventually('the holder has claimed', () => receiver.arrived() === 1);
  const { operationId, runs } = await reviewedByThree(at, newCase({ object }));
  await runs[0].executeUpdate(decideUpdate, { args: [approve(operationId)] });
  for (const run of runs) {
    await eventually('it waits', async () => (await detailsOf(run)).includes('waits until the object is free'));
  }

  receiver.release();

  for (const result of await resultsOf(runs)) {
    expect(result).toMatchObject({ operationId, status: 'Committed', effectCount: 1, attempts: 1 });
  }
  expect(databases.effects(at.paths)).toBe(2);
});

test('settled by an operator at one run, an unknown outcome is settled for all of them', async () => {
  const at = await environment();
  const longLease = { leaseMs: 3_600_000, longestLeaseMs: 3_600_000 };
  await at.startWorker({
    receiver: (embedded) => ({ ...embedded, commit: () => Promise.reject(new Error('connection refused')) }),
    recovery: longLease,
  });
  const { operationId, runs } = await reviewedByThree(at);
  await runs[0].signal(approvalSignal, approve(operationId));
  for (const run of runs) await eventually('unknown', async () => (await statusOf(run)).state === 'Unknown');

  const word = { operationId, resolution: 'abandon' as const, operator: 'olga', reason: 'the destination is gone' };
  await runs[2].executeUpdate(resolveUpdate, { args: [word] });

  for (const result of await resultsOf(runs)) expect(result).toMatchObject({ status: 'Abandoned', effectCount: 0 });
});

test('a run that joins while another executes is told how that ended', async () => {
  const at = await environment();
  const receiver = heldReceiver();
  await at.startWorker({ receiver: receiver.wrap, recovery: { leaseMs: 3_600_000, longestLeaseMs: 3_600_000 } });
  const input = newCase();
  const { handle, prepared } = await at.startReview(input);
  await handle.signal(approvalSignal, approve(prepared.operationId));
  await eventually('the attempt', () => receiver.arrived() === 1);
  const joined = await at.startReview(input, `${handle.workflowId}/again`);
  expect(joined.prepared).toMatchObject({ state: 'Executing' });

  receiver.release();

  expect(await handle.result()).toMatchObject({ status: 'Committed', replayed: false });
  expect(await joined.handle.result()).toMatchObject({ status: 'Committed', replayed: true, attempts: 1 });
});

test('a run terminated after it recorded an approval leaves the rest to the others, which a sweep tells', async () => {
  const at = await environment();
  let reachable = true;
  const { client, ports } = await at.startWorker({
    receiver: (embedded) => ({
      ...embedded,
      describe: () => (reachable ? embedded.describe() : Promise.reject(new Error('connection refused'))),
    }),
  });
  const { operationId, runs } = await reviewedByThree(at);
  // No attempt of the run that is terminated gets as far as its claim.
  reachable = false;
  await runs[0].executeUpdate(decideUpdate, { args: [approve(operationId)] });
  await runs[0].terminate('by a test');
  expect(databases.operation(at.paths, operationId)).toMatchObject({ state: 'Approved', attempts: 0 });
  for (const run of [runs[1], runs[2]]) expect(await statusOf(run)).toMatchObject({ state: 'Pending' });
  reachable = true;

  const { swept } = await sweep(ports, passingToRuns(client, ports.ledger, at.taskQueue), { limit: 10 });

  expect(swept).toMatchObject([{ operationId, reason: 'not told', result: 'told' }]);
  for (const result of await resultsOf([runs[1], runs[2]])) {
    expect(result).toMatchObject({ status: 'Committed', effectCount: 1, attempts: 1 });
  }
  expect(databases.effects(at.paths)).toBe(1);
});

test('a run that continued as new is told of what another run of its case brought about', async () => {
  const server = await startOwnServer(inject('temporalCli'), longHistorySoon);
  onTestFinished(() => server.stop());
  const at = await openEnvironment(settingsFor(server.address, server.namespace));
  onTestFinished(() => at.close());
  await at.startWorker();
  const { operationId, runs } = await reviewedByThree(at);
  const { runId: before } = await runs[1].describe();
  await eventually('it continued as new', async () => {
    await runs[1].signal('approval', ...([{ operationId, reviewer: 'rosa' }] as never));
    return (await runs[1].describe()).runId !== before;
  });

  await runs[0].executeUpdate(decideUpdate, { args: [approve(operationId)] });

  expect((await resultsOf(runs)).map(({ replayed }) => replayed)).toStrictEqual([false, true, true]);
  expect(databases.effects(at.paths)).toBe(1);
});
