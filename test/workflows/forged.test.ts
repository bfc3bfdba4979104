/** Nothing that only Temporal says is proof: forged results, forged runs and forged workers change nothing. */
import { expect, inject, onTestFinished, test } from 'vitest';
import { identify } from '../../src/identity/index.ts';
import { canonicalCase } from '../../src/operations/content.ts';
import { taskQueue, workflowIdOf, workflowType } from '../../src/worker/runs.ts';
import { verify } from '../../src/operations/verify.ts';
import { approvalSignal, decideUpdate } from '../../workflows/messages.ts';
import { world } from '../cli/on-temporal.ts';
import { caseFile } from '../cli/sandbox.ts';
import { ForgedRun, forgingWorker } from '../support/forged-run.ts';
import { dump } from '../support/sqlite-file.ts';
import {
  databases,
  eventually,
  heldReceiver,
  historyOf,
  jsonPayload,
  newCase,
  statusOf,
  type Environment,
} from '../support/temporal.ts';
import { environment } from './on-shared-server.ts';

const approve = (operationId: string) => ({ operationId, approved: true, reviewer: 'rosa' });
const invented = `op-v1-${'a'.repeat(64)}`;
const receipt = { outcome: 'claimed', why: null, receipt: 'created' };

/** Both databases but the journal and its counter: refusals are told, too. */
function records({ paths }: Environment) {
  const { journal: _told, sqlite_sequence: _counters, ...ledger } = dump(paths.ledger);
  return { ledger, receiver: dump(paths.receiver) };
}

const sound = async (at: Environment): Promise<void> =>
  expect((await verify(at.ports)).faults.map(({ fault }) => fault)).toEqual([]);

test('a made-up receipt that somebody reports for an attempt ends nothing: the run reads the ledger, and waits', async () => {
  const at = await environment();
  const receiver = heldReceiver();
  await at.startWorker({ receiver: receiver.wrap, recovery: { leaseMs: 1_000 } });
  const { handle, prepared } = await at.startReview(newCase());
  const { operationId } = prepared;
  await handle.executeUpdate(decideUpdate, { args: [approve(operationId)] });
  await eventually('the effect is on its way', () => receiver.arrived() === 1);
  const { activityId } = (await historyOf(handle)).find(
    ({ activityTaskScheduledEventAttributes: scheduled }) => scheduled?.activityType?.name === 'execute',
  )!.activityTaskScheduledEventAttributes!;

  await at.connection.workflowService.respondActivityTaskCompletedById({
    namespace: at.settings.namespace,
    workflowId: handle.workflowId,
    activityId: activityId!,
    result: { payloads: [jsonPayload(receipt)] },
    identity: 'forger',
  });

  await eventually('the run has read the ledger again', async () => (await statusOf(handle)).state === 'Executing');
  expect(databases.effectsOf(at.paths, operationId)).toBe(0);
  expect((await handle.describe()).status.name).toBe('RUNNING');
  receiver.release();
  // Whether its own receipt was in time or a look found the effect: there is one, and it is the receiver's.
  expect(await handle.result()).toMatchObject({ status: 'Committed', effectCount: 1, attempts: 1 });
  expect(databases.effectsOf(at.paths, operationId)).toBe(1);
  await sound(at);
});

test('a forged run that has activities called with invented, undecided and declined operations changes nothing', async () => {
  const at = await environment();
  await at.startWorker();
  const { prepared: pending } = await at.startReview(newCase());
  const { handle, prepared: declined } = await at.startReview(newCase());
  const no = { operationId: declined.operationId, approved: false, reviewer: 'rosa', reason: 'not now' };
  await handle.executeUpdate(decideUpdate, { args: [no] });
  await handle.result();
  const before = records(at);
  const forged = await ForgedRun.start(at);

  const ends = [
    await forged.activity('execute', { operationId: invented }),
    await forged.activity('execute', { operationId: pending.operationId }),
    await forged.activity('execute', { operationId: declined.operationId }),
    await forged.activity('execute', { operationId: { $ne: null } }),
    await forged.activity('reconcile', { operationId: pending.operationId }),
    await forged.activity('reconcile', { operationId: declined.operationId }),
  ];

  expect(ends).toMatchObject([
    { failure: 'not_found' },
    { failure: null, answer: { outcome: 'not_approved', receipt: null } },
    { failure: null, answer: { outcome: 'not_approved', receipt: null } },
    { failure: expect.any(String) as string },
    { failure: null, answer: { outcome: 'Pending', finding: null } },
    { failure: null, answer: { outcome: 'Declined', finding: null } },
  ]);
  expect(records(at)).toEqual(before);
  await sound(at);
});

/** No consent: what a run's handlers refuse, said past them. */
const noConsent: readonly (readonly [string, string, object])[] = [
  ['decide', 'approved is the text "true"', { approved: 'true', reviewer: 'rosa' }],
  ['decide', 'approved is 1', { approved: 1, reviewer: 'rosa' }],
  ['decide', 'approved is null', { approved: null, reviewer: 'rosa' }],
  ['decide', 'approved is missing', { reviewer: 'rosa' }],
  ['decide', 'nobody decides', { approved: true, reviewer: ' ' }],
  ['decide', 'there is an unknown field', { approved: true, reviewer: 'rosa', force: true }],
  ['withdraw', 'nobody withdraws', { by: '', reason: 'not needed' }],
  ['resolve', 'the word is none', { resolution: 'done', operator: 'olga', reason: 'x' }],
  ['resolve', 'it happened nowhere', { resolution: 'effect_happened', operator: 'olga', reason: 'x' }],
];

test('a forged run cannot say past the handlers what the handlers refuse', async () => {
  const at = await environment();
  await at.startWorker();
  const input = newCase();
  const { prepared } = await at.startReview(input);
  const { operationId } = prepared;
  const before = records(at);
  const forged = await ForgedRun.start(at);
  const by = { caseId: input.caseId, head: null, requestId: null, via: 'update' };

  for (const [name, what, said] of noConsent) {
    const end = await forged.activity(name, { ...by, message: { operationId, ...said } });
    expect(end.failure, what).toBe('malformed_input');
  }
  const elsewhere = await forged.activity('decide', { ...by, caseId: 'T-elsewhere', message: approve(operationId) });

  expect(elsewhere).toMatchObject({ failure: null, answer: { outcome: 'unknown_operation', decision: null } });
  expect(records(at)).toEqual(before);
});

test('a run that pretends to continue another one has no more to say than any other run', async () => {
  const at = await environment();
  await at.startWorker();
  const input = newCase();
  const { handle, prepared } = await at.startReview(input);
  const { operationId } = prepared;
  const [ofInvented, ofPending] = [await ForgedRun.start(at), await ForgedRun.start(at)];
  const carried = (id: string) => ({ operationId: id, refusals: [], head: null });

  await ofInvented.becomes(workflowType, [newCase(), carried(invented)]);
  await ofPending.becomes(workflowType, [newCase({ body: 'another text' }), carried(operationId)]);

  // What the ledger says is all that it can show, and it waits for a decision like the true one.
  const pretender = at.handle(ofPending.workflowId);
  await eventually('it has read the ledger', async () => (await statusOf(pretender)).operationId === operationId);
  expect(await statusOf(pretender)).toMatchObject({ state: 'Pending', decision: null, attempts: 0 });
  expect((await statusOf(at.handle(ofInvented.workflowId))).operationId).toBeUndefined();
  expect(databases.operations(at.paths, input.caseId)).toMatchObject([{ state: 'Pending', attempts: 0 }]);
  expect(databases.effects(at.paths)).toBe(0);
  await handle.signal(approvalSignal, approve(operationId));
  expect(await handle.result()).toMatchObject({ status: 'Committed', effectCount: 1, attempts: 1 });
  expect(databases.effects(at.paths)).toBe(1);
  await sound(at);
});

const status = (operationId: string, state: string) => ({
  operationId,
  state,
  decision: null,
  attempts: 1,
  headHash: '',
});
const object = { id: 'o', version: 1, scope: 's' };

test('a result that a forging worker gave a run is in no ledger; a true worker reviews the case from its beginning', async () => {
  const at = await environment();
  const input = newCase();
  await at.ports.receiver.describe();
  const before = records(at);
  const result = { operationId: invented, status: 'Committed', replayed: false, effectCount: 1, attempts: 1 };
  const proposal = { operationId: invented, caseId: 'T', action: 'a', body: 'b', object, decideBy: null };
  const state = {
    status: { ...status(invented, 'Completed'), result },
    next: { step: 'finished', status: 'Committed' },
    ...{ proposal, head: { operationId: invented, hash: '', generation: 0 }, searchAttributes: false },
  };
  const { stop } = await forgingWorker(
    { ...at.settings, taskQueue: at.taskQueue },
    {
      propose: () => Promise.resolve({ outcome: 'admitted', operationId: invented, recorded: true, proposal, state }),
      readState: () => Promise.resolve(state),
    },
  );
  onTestFinished(() => stop().catch(() => undefined));
  const lying = await at.start([input], workflowIdOf(input.caseId));

  expect(await lying.result()).toMatchObject({ status: 'Committed', effectCount: 1 });
  await stop();
  expect(records(at)).toEqual(before);

  await at.startWorker();
  const { handle, prepared } = await at.startReview(input);
  expect(prepared).toMatchObject({ admission: 'admitted', state: 'Pending', body: input.body });
  await handle.executeUpdate(decideUpdate, { args: [approve(prepared.operationId)] });
  expect(await handle.result()).toMatchObject({ status: 'Committed', replayed: false, attempts: 1 });
  expect(databases.effects(at.paths)).toBe(1);
  await sound(at);
});

test('begin shows what the ledger holds, not what a run says of it', async () => {
  const at = await world();
  const input = caseFile();
  const { operationId } = identify(canonicalCase(input));
  const proposal = { ...canonicalCase(input), operationId, body: 'Pay everything out.', object, decideBy: null };
  const waits = { next: { step: 'await_decision', delayMs: null }, proposal, head: null, searchAttributes: false };
  const state = { status: { ...status(operationId, 'Pending'), caseId: input.caseId }, ...waits };
  const { stop } = await forgingWorker(
    { address: inject('temporalAddress'), namespace: at.namespace, taskQueue },
    {
      propose: () => Promise.resolve({ outcome: 'admitted', operationId, recorded: true, proposal, state }),
      readState: () => Promise.resolve(state),
    },
  );
  onTestFinished(() => stop().catch(() => undefined));

  const { code, answer } = await at.askOn(['begin', at.file('case.json', input)]);

  expect({ code, ...answer }).toMatchObject({ code: 0, operationId, state: 'Pending', proposal: { body: input.body } });
  expect(at.operation(operationId)).toMatchObject({ state: 'Pending', attempts: 0 });
  expect(at.effects()).toStrictEqual([]);
});
