/** From a case to its result, and what a case started again gets. */
import { WorkflowNotFoundError } from '@temporalio/client';
import { expect, test } from 'vitest';
import { canonicalCase } from '../../src/operations/content.ts';
import { identify } from '../../src/identity/index.ts';
import { workflowIdOf, workflowType } from '../../src/worker/runs.ts';
import { approvalSignal, decideUpdate } from '../../workflows/messages.ts';
import {
  databases,
  failureOf,
  historyOf,
  newCase,
  payloadOf,
  proposalOf,
  startWithPayloads,
  statusOf,
  troubledTasks,
} from '../support/temporal.ts';
import { environment } from './on-shared-server.ts';

test('a case approved by signal has one effect, and the result says so in the shape of the contract', async () => {
  const at = await environment();
  await at.startWorker();
  const { handle, prepared } = await at.startReview(newCase());
  const { operationId } = prepared;

  await handle.signal(approvalSignal, { operationId, approved: true, reviewer: 'rosa' });

  expect(await handle.result()).toStrictEqual({
    operationId,
    status: 'Committed',
    replayed: false,
    effectCount: 1,
    attempts: 1,
    headHash: databases.headHash(at.paths, operationId),
  });
  expect(databases.effectsOf(at.paths, operationId)).toBe(1);
  expect(databases.operation(at.paths, operationId)).toMatchObject({ state: 'Completed', attempts: 1 });
  expect(databases.decisions(at.paths)).toStrictEqual([
    { operation_id: operationId, approved: 1, reviewer: 'rosa', via: 'signal' },
  ]);
  expect(troubledTasks(await historyOf(handle))).toStrictEqual([]);
});

test('the update "decide" answers with the recorded decision, and the run goes on to the effect', async () => {
  const at = await environment();
  await at.startWorker();
  const { handle, prepared } = await at.startReview(newCase());
  const { operationId } = prepared;
  const message = { operationId, approved: true, reviewer: 'rosa', reason: 'checked against KB-311' };

  const reply = await handle.executeUpdate(decideUpdate, { args: [message] });

  expect(reply).toStrictEqual({
    outcome: 'recorded',
    operationId,
    decision: {
      approved: true,
      reviewer: 'rosa',
      reason: 'checked against KB-311',
      decidedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
      via: 'update',
    },
    headHash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
  });
  expect(await handle.result()).toMatchObject({ status: 'Committed', effectCount: 1, attempts: 1 });
  expect(databases.effects(at.paths)).toBe(1);
});

test('update-with-start answers the whole proposal, and the queries show the same', async () => {
  const at = await environment();
  await at.startWorker();
  const input = newCase({ body: 'first\r\nsecond', checks: [{ name: 'licensed-clauses', result: 'passed' }] });

  const { handle, prepared } = await at.startReview(input);

  const { admission, state, ...proposal } = prepared;
  expect({ admission, state }).toStrictEqual({ admission: 'admitted', state: 'Pending' });
  expect(proposal).toMatchObject({
    operationId: identify(canonicalCase(input)).operationId,
    caseId: input.caseId,
    body: 'first\nsecond',
    evidence: input.evidence,
    policy: input.policy,
    object: { id: input.caseId, version: 1, scope: 'default' },
    checks: [{ name: 'licensed-clauses', result: 'passed' }],
    humanEdited: false,
    expiresAt: null,
  });
  expect(await proposalOf(handle)).toStrictEqual(proposal);
  expect(await statusOf(handle)).toStrictEqual({
    state: 'Pending',
    operationId: proposal.operationId,
    caseId: input.caseId,
    decision: null,
    attempts: 0,
    headHash: databases.headHash(at.paths, proposal.operationId),
    result: null,
    refusals: [],
  });
  expect(databases.operation(at.paths, proposal.operationId)).toMatchObject({
    state: 'Pending',
    workflow_id: workflowIdOf(input.caseId),
  });
});

test('an approval that arrives before the proposal exists waits for it and counts', async () => {
  const at = await environment();
  const input = newCase();
  const { operationId } = identify(canonicalCase(input));

  const handle = await at.client.workflow.signalWithStart(workflowType, {
    ...at.startOptions([input], workflowIdOf(input.caseId)),
    signal: approvalSignal,
    signalArgs: [{ operationId, approved: true, reviewer: 'rosa' }],
  });
  await at.startWorker();

  expect(await handle.result()).toMatchObject({ operationId, status: 'Committed', effectCount: 1 });
});

test('a case started again after its run closed returns the stored outcome and writes no decision, attempt or effect', async () => {
  const at = await environment();
  await at.startWorker();
  const input = newCase();
  const first = await at.startReview(input);
  const { operationId } = first.prepared;
  await first.handle.signal(approvalSignal, { operationId, approved: true, reviewer: 'rosa' });
  const stored = await first.handle.result();
  const { runId } = await first.handle.describe();

  const again = await at.startReview(input);

  expect(again.prepared).toMatchObject({ operationId, admission: 'duplicate', state: 'Completed' });
  expect(await again.handle.result()).toMatchObject({
    ...stored,
    replayed: true,
    headHash: expect.any(String) as string,
  });
  expect((await again.handle.describe()).runId).not.toBe(runId);
  expect(databases.operation(at.paths, operationId)).toMatchObject({ state: 'Completed', attempts: 1 });
  expect(databases.effects(at.paths)).toBe(1);
  expect(databases.decisions(at.paths)).toHaveLength(1);
});

test('identical content under another workflow id returns the stored outcome, too', async () => {
  const at = await environment();
  await at.startWorker();
  const input = newCase();
  const first = await at.startReview(input);
  const { operationId } = first.prepared;
  await first.handle.executeUpdate(decideUpdate, { args: [{ operationId, approved: false, reviewer: 'rosa' }] });
  expect(await first.handle.result()).toMatchObject({
    status: 'Declined',
    replayed: false,
    effectCount: 0,
    attempts: 0,
  });

  const other = await at.start([input]);

  expect(await other.result()).toMatchObject({ operationId, status: 'Declined', replayed: false, effectCount: 0 });
  expect(databases.operations(at.paths, input.caseId)).toHaveLength(1);
});

test('another content on an open case fails the second run with case_open and leaves the first as it is', async () => {
  const at = await environment();
  await at.startWorker();
  const input = newCase();
  const { handle, prepared } = await at.startReview(input);
  const { operationId } = prepared;

  const failure = await failureOf((await at.start([{ ...input, body: 'Something else.' }])).result());

  expect(failure).toMatchObject({ type: 'case_open', nonRetryable: true });
  expect(failure.details?.[0]).toMatchObject({ currentOperationId: operationId, state: 'Pending' });
  await handle.signal(approvalSignal, { operationId, approved: true, reviewer: 'rosa' });
  expect(await handle.result()).toMatchObject({ operationId, status: 'Committed' });
  expect(databases.operations(at.paths, input.caseId)).toHaveLength(1);
});

test('a known event with other content, and a workflow version nobody knows, fail the run with the outcome', async () => {
  const at = await environment();
  await at.startWorker();
  const { handle } = await at.startReview(newCase({ eventId: 'evt-1' }));

  const conflict = await failureOf((await at.start([newCase({ eventId: 'evt-1' })])).result());
  const version = await failureOf((await at.start([newCase({ workflowVersion: 2 })])).result());

  expect([conflict.type, version.type]).toStrictEqual(['event_conflict', 'unsupported_workflow_version']);
  expect((await handle.describe()).status.name).toBe('RUNNING');
});

test('a malformed case fails the run with malformed_input and the JSON pointer, and writes nothing', async () => {
  const at = await environment();
  await at.startWorker();
  const input = newCase();
  const malformed: [unknown[], string | null][] = [
    [[{ ...input, body: 7 }], '/body'],
    [[{ ...input, evidence: [{ sourceId: 'KB-311', version: 3 }] }], '/evidence/0/quotation'],
    [[{ ...input, surprise: true }], '/surprise'],
    [[{ ...input, policy: { decisionTtlSeconds: 0 } }], '/policy/decisionTtlSeconds'],
    [[{ ...input, expiresAt: '2026-12-24T12:00:00' }], '/expiresAt'],
    [['T-1042'], ''],
    [[null], ''],
    [[], null],
    [[input, input], null],
    // What a run hands to its successor is no argument that anybody else may give.
    [[input, { operationId: identify(canonicalCase(input)).operationId, refusals: [], head: null }], null],
  ];

  for (const [args, pointer] of malformed) {
    const handle = await at.start(args);
    const failure = await failureOf(handle.result());
    expect(failure, JSON.stringify(args)).toMatchObject({ type: 'malformed_input', nonRetryable: true });
    if (pointer !== null) expect(failure.details?.[0], JSON.stringify(args)).toMatchObject({ pointer });
    expect(troubledTasks(await historyOf(handle))).toStrictEqual([]);
  }
  expect(databases.operations(at.paths, input.caseId)).toStrictEqual([]);
});

test('a case that nobody can decode fails the run with malformed_input', async () => {
  const at = await environment();
  await at.startWorker();
  const payloads = [payloadOf('binary/unknown', 'x'), payloadOf('json/plain', '{"caseId": '), payloadOf(null, '')];

  for (const payload of payloads) {
    const handle = await startWithPayloads(at, [payload]);
    expect(await failureOf(handle.result())).toMatchObject({ type: 'malformed_input' });
    expect(troubledTasks(await historyOf(handle))).toStrictEqual([]);
  }
});

test('a case nested too deep to be passed on fails the run with malformed_input, not its workflow task', async () => {
  const at = await environment();
  await at.startWorker();
  const nested = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;

  const handle = await startWithPayloads(at, [payloadOf('json/plain', `{"caseId":"T-1","policy":{"a":${nested}}}`)]);

  expect(await failureOf(handle.result())).toMatchObject({ type: 'malformed_input' });
  expect(troubledTasks(await historyOf(handle))).toStrictEqual([]);
});

test('"prepared" of a malformed case is refused with malformed_input, not left hanging', async () => {
  const at = await environment();
  await at.startWorker();

  const failure = await failureOf(at.startReview(newCase({ body: 'a lone \ud800 surrogate' })));

  expect(failure).toMatchObject({ type: 'malformed_input' });
  expect(failure.details?.[0]).toMatchObject({ pointer: '/body' });
});

test('a signal to a closed run is refused by the server and changes nothing', async () => {
  const at = await environment();
  await at.startWorker();
  const { handle, prepared } = await at.startReview(newCase());
  const { operationId } = prepared;
  await handle.executeUpdate(decideUpdate, { args: [{ operationId, approved: false, reviewer: 'rosa' }] });
  await handle.result();

  const late = handle.signal(approvalSignal, { operationId, approved: true, reviewer: 'rosa' });

  await expect(late).rejects.toBeInstanceOf(WorkflowNotFoundError);
  expect(databases.operation(at.paths, operationId)).toMatchObject({ state: 'Declined', attempts: 0 });
  expect(databases.effects(at.paths)).toBe(0);
});
