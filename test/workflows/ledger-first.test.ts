/** Decisions and changes that the ledger had first, operations that wait for one object, and several runs at once. */
import { expect, test } from 'vitest';
import { revise, withdraw } from '../../src/operations/change.ts';
import { decide } from '../../src/operations/decide.ts';
import { approvalSignal, decideUpdate, recheckSignal } from '../../workflows/messages.ts';
import {
  databases,
  detailsOf,
  eventually,
  heldReceiver,
  historyOf,
  newCase,
  proposalOf,
  statusOf,
  troubledTasks,
  type ReviewHandle,
} from '../support/temporal.ts';
import { environment } from './on-shared-server.ts';

const approve = (operationId: string) => ({ operationId, approved: true, reviewer: 'rosa' });
const byCommand = { caseId: null, requestId: null, via: 'command' } as const;

test('a decision written to the ledger first is executed by the run once it is told to look', async () => {
  const at = await environment();
  await at.startWorker();
  const { handle, prepared } = await at.startReview(newCase());
  const { operationId } = prepared;

  const { outcome } = await decide(at.ports, approve(operationId), byCommand);
  await handle.signal(recheckSignal);

  expect(outcome).toBe('recorded');
  expect(await handle.result()).toMatchObject({ operationId, status: 'Committed', replayed: false, effectCount: 1 });
  expect(databases.decisions(at.paths)).toMatchObject([{ reviewer: 'rosa', via: 'command' }]);
});

test('a withdrawal written to the ledger first ends the run as Withdrawn once it is told to look', async () => {
  const at = await environment();
  await at.startWorker();
  const { handle, prepared } = await at.startReview(newCase());
  const { operationId } = prepared;

  await withdraw(at.ports, { operationId, by: 'drafter', reason: 'sent by mistake' }, { caseId: null, via: 'command' });
  await handle.signal(recheckSignal);

  expect(await handle.result()).toMatchObject({ operationId, status: 'Withdrawn', effectCount: 0, attempts: 0 });
});

test('a revision written to the ledger first is what the run shows and executes once it is told to look', async () => {
  const at = await environment();
  await at.startWorker();
  const input = newCase();
  const { handle, prepared } = await at.startReview(input);

  const revised = await revise(
    at.ports,
    { expectedOperationId: prepared.operationId, revisedBy: 'ed', body: 'Shorter.' },
    { caseId: input.caseId, executor: 'test', via: 'command' },
  );
  const operationId = revised.proposal!.operationId;
  await handle.signal(recheckSignal);

  await eventually('the new proposal', async () => (await proposalOf(handle))?.operationId === operationId);
  expect(await proposalOf(handle)).toMatchObject({ body: 'Shorter.', humanEdited: true });
  expect(await statusOf(handle)).toMatchObject({ state: 'Pending', operationId });
  await handle.signal(approvalSignal, approve(operationId));
  expect(await handle.result()).toMatchObject({ operationId, status: 'Committed' });
});

test('a run that was not told of a revision still decides and executes the revised operation', async () => {
  const at = await environment();
  await at.startWorker();
  const input = newCase();
  const { handle, prepared } = await at.startReview(input);
  const revised = await revise(
    at.ports,
    { expectedOperationId: prepared.operationId, revisedBy: 'ed', body: 'Shorter.' },
    { caseId: input.caseId, executor: 'test', via: 'command' },
  );
  const operationId = revised.proposal!.operationId;

  const reply = await handle.executeUpdate(decideUpdate, { args: [approve(operationId)] });

  expect(reply).toMatchObject({ outcome: 'recorded', operationId });
  expect(await handle.result()).toMatchObject({ operationId, status: 'Committed', effectCount: 1 });
  expect(await proposalOf(handle)).toMatchObject({ operationId, body: 'Shorter.' });
});

test('a revoked permission ends a pending run as Denied once it is told to look', async () => {
  const at = await environment();
  await at.startWorker();
  const { handle } = await at.startReview(newCase({ object: { id: 'ticket-1' } }));

  await at.ports.ledger.setObject({ objectId: 'ticket-1', version: 1, permitted: false, actor: 'ops' });
  await handle.signal(recheckSignal);

  expect(await handle.result()).toMatchObject({ status: 'Denied', effectCount: 0, attempts: 0 });
});

async function rechecks(handle: ReviewHandle): Promise<number[]> {
  return (await historyOf(handle)).flatMap(({ eventTime, workflowExecutionSignaledEventAttributes: signaled }) =>
    signaled?.signalName === 'recheck' ? [Number(eventTime?.seconds) * 1e9 + Number(eventTime?.nanos)] : [],
  );
}

test('operations on a held object wait without an attempt, and are woken oldest first when it is free', async () => {
  const at = await environment();
  const receiver = heldReceiver();
  await at.startWorker({ receiver: receiver.wrap });
  const object = { id: 'ticket-1', version: 3, scope: 'blue' };
  const [holder, second, third] = [
    await at.startReview(newCase({ object })),
    await at.startReview(newCase({ object })),
    await at.startReview(newCase({ object })),
  ];
  await holder.handle.signal(approvalSignal, approve(holder.prepared.operationId));
  await eventually('the holder has claimed', () => receiver.arrived() === 1);

  // Approved in the other order: what counts is which was admitted first.
  await third.handle.executeUpdate(decideUpdate, { args: [approve(third.prepared.operationId)] });
  await second.handle.executeUpdate(decideUpdate, { args: [approve(second.prepared.operationId)] });
  for (const { handle } of [second, third]) {
    await eventually('it waits for the object', async () =>
      (await detailsOf(handle)).includes('waits until the object'),
    );
    expect(await statusOf(handle)).toMatchObject({ state: 'Approved', attempts: 0 });
  }
  expect(receiver.arrived()).toBe(1);
  receiver.release();

  for (const { handle, prepared } of [holder, second, third]) {
    const { operationId } = prepared;
    expect(await handle.result()).toMatchObject({ operationId, status: 'Committed', effectCount: 1, attempts: 1 });
    expect(troubledTasks(await historyOf(handle))).toStrictEqual([]);
  }
  const [toldSecond] = await rechecks(second.handle);
  const [toldThird] = await rechecks(third.handle);
  expect(toldSecond).toBeLessThan(toldThird!);
  expect(databases.effects(at.paths)).toBe(3);
});

test('runs in one worker share nothing: refusals, proposals and results stay with their own case', async () => {
  const at = await environment();
  await at.startWorker();
  const reviews = await Promise.all(
    Array.from({ length: 12 }, (_, index) => at.startReview(newCase({ body: `body ${index}` }))),
  );

  await Promise.all(
    reviews.map(async ({ handle }, index) => {
      for (let sent = 0; sent < index % 4; sent += 1) await handle.signal(`wrong-${index}`);
    }),
  );
  for (const [index, { handle, prepared }] of reviews.entries()) {
    const refusals = await eventually(`the refusals of ${index}`, async () => {
      const shown = (await statusOf(handle)).refusals;
      return shown.length === index % 4 ? shown : null;
    });
    expect(refusals.every(({ message }) => message === `wrong-${index}`)).toBe(true);
    expect(await proposalOf(handle)).toMatchObject({ operationId: prepared.operationId, body: `body ${index}` });
  }
  await Promise.all(
    reviews.map(({ handle, prepared }) => handle.signal(approvalSignal, approve(prepared.operationId))),
  );

  for (const { handle, prepared } of reviews) {
    expect(await handle.result()).toMatchObject({ operationId: prepared.operationId, status: 'Committed' });
  }
  expect(databases.effects(at.paths)).toBe(12);
});
