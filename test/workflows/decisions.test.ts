/** One decision per identity: repeated, opposed, raced, late; and the changes that end a proposal without an effect. */
import { randomUUID } from 'node:crypto';
import { CancelledFailure, WorkflowNotFoundError } from '@temporalio/client';
import { expect, test } from 'vitest';
import { decide } from '../../src/operations/decide.ts';
import { decideUpdate, reviseUpdate, withdrawUpdate } from '../../workflows/messages.ts';
import {
  acceptedUpdates,
  applicationFailure,
  databases,
  eventually,
  heldReceiver,
  historyOf,
  newCase,
  proposalOf,
  refusalOf,
  statusOf,
  troubledTasks,
  type Environment,
} from '../support/temporal.ts';
import { environment } from './on-shared-server.ts';

const approve = (operationId: string, reviewer = 'rosa') => ({ operationId, approved: true, reviewer });
const decline = (operationId: string, reviewer = 'rosa') => ({ operationId, approved: false, reviewer });

test('the same decision again is repeated, with the original record, whoever gives it', async () => {
  const at = await environment();
  const receiver = heldReceiver();
  await at.startWorker({ receiver: receiver.wrap });
  const { handle, prepared } = await at.startReview(newCase());
  const { operationId } = prepared;

  const first = await handle.executeUpdate(decideUpdate, { args: [approve(operationId, 'rosa')] });
  const again = await handle.executeUpdate(decideUpdate, { args: [approve(operationId, 'sam')] });

  expect(again).toStrictEqual({ ...first, outcome: 'repeated', headHash: expect.any(String) as string });
  expect(again.decision).toMatchObject({ reviewer: 'rosa' });
  expect(databases.decisions(at.paths)).toHaveLength(1);
  receiver.release();
  expect(await handle.result()).toMatchObject({ status: 'Committed', effectCount: 1 });
});

test('an update sent again under its own id is answered the same, while the run lives and after it closed', async () => {
  const at = await environment();
  const receiver = heldReceiver();
  await at.startWorker({ receiver: receiver.wrap });
  const { handle, prepared } = await at.startReview(newCase());
  const updateId = randomUUID();
  const send = () => handle.executeUpdate(decideUpdate, { args: [approve(prepared.operationId)], updateId });

  const first = await send();
  const again = await send();
  receiver.release();
  await handle.result();
  const afterwards = await send();

  expect(first.outcome).toBe('recorded');
  expect(again).toStrictEqual(first);
  expect(afterwards).toStrictEqual(first);
  expect(acceptedUpdates(await historyOf(handle))).toStrictEqual(['prepared', 'decide']);
});

test('the opposite decision conflicts, and is told the decision that stands', async () => {
  const at = await environment();
  const receiver = heldReceiver();
  await at.startWorker({ receiver: receiver.wrap });
  const { handle, prepared } = await at.startReview(newCase());
  const { operationId } = prepared;
  const { decision } = await handle.executeUpdate(decideUpdate, { args: [approve(operationId)] });

  const { type, details } = await refusalOf(
    handle.executeUpdate(decideUpdate, { args: [decline(operationId, 'sam')] }),
  );

  expect(type).toBe('conflicting_decision');
  expect(details).toMatchObject({ operationId, decision });
  expect((await statusOf(handle)).refusals).toMatchObject([
    { message: 'decide', outcome: 'conflicting_decision', operationId, by: 'sam' },
  ]);
  receiver.release();
  expect(await handle.result()).toMatchObject({ status: 'Committed' });
  expect(troubledTasks(await historyOf(handle))).toStrictEqual([]);
});

test('of approvals and declines sent at once one wins, and everybody is told the same decision', async () => {
  const at = await environment();
  const receiver = heldReceiver();
  await at.startWorker({ receiver: receiver.wrap });
  const { handle, prepared } = await at.startReview(newCase());
  const { operationId } = prepared;

  const told = await Promise.all(
    Array.from({ length: 8 }, async (_, index) => {
      const message = (index % 2 === 0 ? approve : decline)(operationId, `reviewer-${index}`);
      try {
        return await handle.executeUpdate(decideUpdate, { args: [message] });
      } catch (thrown) {
        // A decline that won closed the run before this one arrived: then the ledger answers.
        if (thrown instanceof WorkflowNotFoundError) {
          return decide(at.ports, message, { caseId: null, requestId: null, via: 'command' });
        }
        const { type, details } = applicationFailure(thrown);
        return { outcome: type ?? '', decision: (details?.[0] as { decision: unknown }).decision };
      }
    }),
  );
  receiver.release();
  const result = await handle.result();

  const [written] = databases.decisions(at.paths);
  const verdict = written!.approved === 1;
  for (const [index, { outcome, decision }] of told.entries()) {
    expect(decision, `reviewer-${index}`).toMatchObject({ approved: verdict, reviewer: written!.reviewer });
    const agrees = (index % 2 === 0) === verdict;
    expect(['recorded', 'repeated'].includes(outcome), `reviewer-${index}: ${outcome}`).toBe(agrees);
  }
  expect(told.filter(({ outcome }) => outcome === 'recorded')).toHaveLength(1);
  expect(databases.decisions(at.paths)).toHaveLength(1);
  expect(result).toMatchObject(
    verdict ? { status: 'Committed', effectCount: 1 } : { status: 'Declined', effectCount: 0 },
  );
  expect(databases.effects(at.paths)).toBe(verdict ? 1 : 0);
});

test('a declined case ends Declined, without claim or effect, and its update is answered', async () => {
  const at = await environment();
  await at.startWorker();
  const { handle, prepared } = await at.startReview(newCase());
  const { operationId } = prepared;
  const message = { ...decline(operationId), reason: 'not covered' };

  const reply = await handle.executeUpdate(decideUpdate, { args: [message] });

  expect(reply).toMatchObject({ outcome: 'recorded', decision: { approved: false, reason: 'not covered' } });
  expect(await handle.result()).toMatchObject({ operationId, status: 'Declined', effectCount: 0, attempts: 0 });
  expect(databases.operation(at.paths, operationId)).toMatchObject({ state: 'Declined', attempts: 0 });
  expect(databases.effects(at.paths)).toBe(0);
});

test('a revision is a new identity, marked as edited by a person, without the checks of the old body', async () => {
  const at = await environment();
  await at.startWorker();
  const input = newCase({ checks: [{ name: 'licensed-clauses', result: 'passed' }], proposedBy: 'drafter' });
  const { handle, prepared } = await at.startReview(input);

  const revised = await handle.executeUpdate(reviseUpdate, {
    args: [{ expectedOperationId: prepared.operationId, revisedBy: 'ed', body: 'Shorter.' }],
  });

  expect(revised.operationId).not.toBe(prepared.operationId);
  expect(revised).toMatchObject({
    caseId: input.caseId,
    body: 'Shorter.',
    evidence: input.evidence,
    humanEdited: true,
    checks: [],
    proposedBy: 'ed',
    revisionOf: prepared.operationId,
  });
  expect(await proposalOf(handle)).toStrictEqual(revised);
  expect(databases.operations(at.paths, input.caseId)).toMatchObject([
    { operation_id: prepared.operationId, state: 'Superseded', attempts: 0 },
    { operation_id: revised.operationId, state: 'Pending', workflow_id: handle.workflowId },
  ]);
  // Whoever edited it may not approve it either; the old identity is stale.
  const own = await refusalOf(handle.executeUpdate(decideUpdate, { args: [approve(revised.operationId, 'ed')] }));
  const old = await refusalOf(handle.executeUpdate(decideUpdate, { args: [approve(prepared.operationId)] }));
  expect([own.type, old.type]).toStrictEqual(['not_authorized', 'stale_proposal']);
  await handle.executeUpdate(decideUpdate, { args: [approve(revised.operationId)] });
  expect(await handle.result()).toMatchObject({ operationId: revised.operationId, status: 'Committed' });
  expect(databases.effectsOf(at.paths, prepared.operationId)).toBe(0);
});

test('a revision of the policy alone keeps the checks and is not marked as edited; the same content again is refused', async () => {
  const at = await environment();
  await at.startWorker();
  const input = newCase({ checks: [{ name: 'licensed-clauses', result: 'passed' }] });
  const { handle, prepared } = await at.startReview(input);
  const first = prepared.operationId;

  const revised = await handle.executeUpdate(reviseUpdate, {
    args: [{ expectedOperationId: first, revisedBy: 'ed', policy: { label: 'support-review/2' } }],
  });
  const second = revised.operationId;
  const stale = await refusalOf(
    handle.executeUpdate(reviseUpdate, { args: [{ expectedOperationId: first, revisedBy: 'ed', body: 'x' }] }),
  );
  const back = await refusalOf(
    handle.executeUpdate(reviseUpdate, {
      args: [{ expectedOperationId: second, revisedBy: 'ed', policy: input.policy }],
    }),
  );

  expect(revised).toMatchObject({ humanEdited: false, checks: input.checks });
  expect(stale).toMatchObject({ type: 'stale_proposal', details: { currentOperationId: second } });
  expect(back.type).toBe('content_already_proposed');
  expect(databases.operations(at.paths, input.caseId)).toHaveLength(2);
});

test('an approved case can no longer be revised', async () => {
  const at = await environment();
  const receiver = heldReceiver();
  await at.startWorker({ receiver: receiver.wrap });
  const { handle, prepared } = await at.startReview(newCase());
  const { operationId } = prepared;
  await handle.executeUpdate(decideUpdate, { args: [approve(operationId)] });

  const revision = { expectedOperationId: operationId, revisedBy: 'ed', body: 'Shorter.' };
  const { type } = await refusalOf(handle.executeUpdate(reviseUpdate, { args: [revision] }));

  expect(type).toBe('already_decided');
  receiver.release();
  expect(await handle.result()).toMatchObject({ operationId, status: 'Committed' });
});

test('a withdrawn case ends Withdrawn; after the claim it is too late', async () => {
  const at = await environment();
  const receiver = heldReceiver();
  await at.startWorker({ receiver: receiver.wrap });
  const withdrawn = await at.startReview(newCase());
  const claimed = await at.startReview(newCase());
  const withdraw = (operationId: string) => ({ operationId, by: 'drafter', reason: 'sent by mistake' });

  const answer = await withdrawn.handle.executeUpdate(withdrawUpdate, {
    args: [withdraw(withdrawn.prepared.operationId)],
  });
  await claimed.handle.executeUpdate(decideUpdate, { args: [approve(claimed.prepared.operationId)] });
  await eventually('the claim', () => receiver.arrived() === 1);
  const late = await refusalOf(
    claimed.handle.executeUpdate(withdrawUpdate, { args: [withdraw(claimed.prepared.operationId)] }),
  );

  expect(answer).toStrictEqual({ outcome: 'withdrawn', state: 'Withdrawn' });
  expect(await withdrawn.handle.result()).toMatchObject({ status: 'Withdrawn', effectCount: 0, attempts: 0 });
  expect(late).toMatchObject({ type: 'already_decided', details: { state: 'Executing' } });
  receiver.release();
  expect(await claimed.handle.result()).toMatchObject({ status: 'Committed' });
});

test('a case nobody decided in time ends Expired by itself', async () => {
  const at = await environment();
  await at.startWorker();
  const { handle, prepared } = await at.startReview(newCase({ policy: { decisionTtlSeconds: 1 } }));

  const result = await handle.result();

  expect(result).toMatchObject({ operationId: prepared.operationId, status: 'Expired', effectCount: 0, attempts: 0 });
  expect(Date.parse(prepared.decideBy!) - Date.parse(prepared.proposedAt)).toBe(1000);
  expect(databases.decisions(at.paths)).toStrictEqual([]);
});

test('an approval after the deadline is refused as expired, even when it is handled before the timer', async () => {
  const at = await environment();
  await at.startWorker();
  const { handle, prepared } = await at.startReview(newCase({ policy: { decisionTtlSeconds: 1 } }));
  const { operationId } = prepared;
  await at.stopWorker();
  await eventually('the deadline has passed', () => Date.now() > Date.parse(prepared.decideBy!));

  const late = refusalOf(handle.executeUpdate(decideUpdate, { args: [approve(operationId)] }));
  await at.startWorker();

  expect((await late).type).toBe('expired');
  expect(await handle.result()).toMatchObject({ status: 'Expired', effectCount: 0 });
  expect(databases.operation(at.paths, operationId)).toMatchObject({ state: 'Expired', attempts: 0 });
  expect(databases.decisions(at.paths)).toStrictEqual([]);
});

test('a case that had expired before it was admitted ends Expired at once', async () => {
  const at = await environment();
  await at.startWorker();

  const { handle, prepared } = await at.startReview(newCase({ expiresAt: '2020-01-01T00:00:00+01:00' }));

  expect(prepared).toMatchObject({ admission: 'expired', state: 'Expired', expiresAt: '2019-12-31T23:00:00.000Z' });
  expect(await handle.result()).toMatchObject({ status: 'Expired', effectCount: 0 });
});

async function pendingOn(at: Environment, objectId: string) {
  return at.startReview(newCase({ object: { id: objectId, version: 1, scope: 'blue' } }));
}

test('an approved case whose object has changed since ends Superseded, without an attempt', async () => {
  const at = await environment();
  await at.startWorker();
  const { handle, prepared } = await pendingOn(at, 'ticket-1');
  await at.ports.ledger.setObject({ objectId: 'ticket-1', version: 2, actor: 'ops' });

  const reply = await handle.executeUpdate(decideUpdate, { args: [approve(prepared.operationId)] });

  expect(reply.outcome).toBe('recorded');
  expect(await handle.result()).toMatchObject({ status: 'Superseded', effectCount: 0, attempts: 0 });
  const known = await pendingOn(at, 'ticket-1');
  expect(known.prepared).toMatchObject({ admission: 'superseded', state: 'Superseded' });
});

test('an approved case whose permission was revoked ends Denied, and so does one in another scope at admission', async () => {
  const at = await environment();
  await at.startWorker();
  const { handle, prepared } = await pendingOn(at, 'ticket-1');
  await at.ports.ledger.setObject({ objectId: 'ticket-1', version: 1, permitted: false, actor: 'ops' });

  await handle.executeUpdate(decideUpdate, { args: [approve(prepared.operationId)] });

  expect(await handle.result()).toMatchObject({ status: 'Denied', effectCount: 0, attempts: 0 });
  const elsewhere = newCase({ object: { id: 'ticket-1', version: 1, scope: 'red' } });
  const refused = await at.startReview(elsewhere);
  expect(refused.prepared).toMatchObject({ admission: 'denied', state: 'Denied' });
  expect(await refused.handle.result()).toMatchObject({ status: 'Denied' });
  expect(databases.effects(at.paths)).toBe(0);
});

test('cancelling a pending run ends the run, changes nothing in the ledger, and a new run of the case goes on', async () => {
  const at = await environment();
  await at.startWorker();
  const input = newCase();
  const { handle, prepared } = await at.startReview(input);
  const { operationId } = prepared;

  await handle.cancel();

  await expect(handle.result()).rejects.toMatchObject({ cause: expect.any(CancelledFailure) as CancelledFailure });
  expect((await handle.describe()).status.name).toBe('CANCELLED');
  expect(databases.operation(at.paths, operationId)).toMatchObject({ state: 'Pending', attempts: 0 });
  const next = await at.startReview(input);
  expect(next.prepared).toMatchObject({ operationId, admission: 'duplicate', state: 'Pending' });
  await next.handle.executeUpdate(decideUpdate, { args: [approve(operationId)] });
  expect(await next.handle.result()).toMatchObject({ operationId, status: 'Committed', effectCount: 1 });
});
