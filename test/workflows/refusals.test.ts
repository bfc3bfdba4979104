/** Messages that change nothing: each is refused, shows where it must, and leaves the run able to take a valid one. */
import { randomUUID } from 'node:crypto';
import type { Payload } from '@temporalio/common';
import { expect, test } from 'vitest';
import { approvalSignal, decideUpdate, reviseUpdate, type Refusal } from '../../workflows/messages.ts';
import {
  acceptedUpdates,
  databases,
  eventually,
  historyOf,
  jsonPayload,
  newCase,
  payloadOf,
  refusalOf,
  signalWithPayloads,
  statusOf,
  troubledTasks,
  updateWithPayloads,
  type Environment,
  type ReviewHandle,
} from '../support/temporal.ts';
import { environment } from './on-shared-server.ts';

const nobodysId = `op-v1-${'0'.repeat(64)}`;

interface Sent {
  readonly what: string;
  readonly payloads: readonly Payload[];
  /** JSON pointer of the fault. */
  readonly pointer: string;
}

/** Everything that is no approval of `operationId` in shape. */
function misshapen(operationId: string): Sent[] {
  const good = { operationId, approved: true, reviewer: 'rosa' };
  const json = (what: string, value: unknown, pointer: string): Sent => ({
    what,
    payloads: [jsonPayload(value)],
    pointer,
  });
  const raw = (what: string, ...payloads: Payload[]): Sent => ({ what, payloads, pointer: '' });
  return [
    json('approved left out', { operationId, reviewer: 'rosa' }, '/approved'),
    json('approved null', { ...good, approved: null }, '/approved'),
    json('approved "true"', { ...good, approved: 'true' }, '/approved'),
    json('approved 1', { ...good, approved: 1 }, '/approved'),
    json('approved []', { ...good, approved: [] }, '/approved'),
    json('approved inherited', { operationId, reviewer: 'rosa', constructor: { approved: true } }, '/approved'),
    json('[]', [], ''),
    json('[approval]', [good], ''),
    json('"yes"', 'yes', ''),
    json('null', null, ''),
    json('true', true, ''),
    json('an id of another form', { ...good, operationId: 'op-1' }, '/operationId'),
    json('no reviewer', { ...good, reviewer: '  ' }, '/reviewer'),
    json('an ill-formed reviewer', { ...good, reviewer: 'ro\ud800sa' }, '/reviewer'),
    json('an unknown field', { ...good, force: true }, '/force'),
    raw('no input'),
    raw('two arguments', jsonPayload(good), jsonPayload(good)),
    raw('undefined', payloadOf('binary/null', '')),
    raw('__proto__', payloadOf('json/plain', `{"__proto__":{"approved":true},"operationId":"${operationId}"}`)),
    raw('an unknown encoding', payloadOf('binary/unknown', '\u0000\u0001')),
    raw('no encoding', payloadOf(null, JSON.stringify(good))),
    raw('broken JSON', payloadOf('json/plain', '{"approved": tru')),
    raw('bytes that are no UTF-8', payloadOf('json/plain', new Uint8Array([0x22, 0xff, 0xfe, 0x22]))),
    raw('bytes', payloadOf('binary/plain', JSON.stringify(good))),
    raw('protobuf', payloadOf('json/protobuf', '{}')),
  ].map((sent) => (sent.what === '__proto__' ? { ...sent, pointer: '/approved' } : sent));
}

async function lastRefusal(handle: ReviewHandle, count: number): Promise<Refusal> {
  return eventually(`refusal ${count}`, async () => (await statusOf(handle)).refusals[count - 1]);
}

async function approvesInTheEnd(at: Environment, handle: ReviewHandle, operationId: string): Promise<void> {
  await handle.signal(approvalSignal, { operationId, approved: true, reviewer: 'rosa' });
  expect(await handle.result()).toMatchObject({ operationId, status: 'Committed', effectCount: 1, attempts: 1 });
  expect(troubledTasks(await historyOf(handle))).toStrictEqual([]);
  expect(databases.effects(at.paths)).toBe(1);
  expect(databases.decisions(at.paths)).toHaveLength(1);
}

test('a signal of any shape is no approval, fails no workflow task, and does not block the valid one after it', async () => {
  const at = await environment();
  await at.startWorker();
  const { handle, prepared } = await at.startReview(newCase());
  const { operationId } = prepared;
  const all = misshapen(operationId);

  for (const { payloads } of all) await signalWithPayloads(at, handle.workflowId, 'approval', payloads);

  // 25 were sent; the last 20 are kept, in the order they came.
  expect(all).toHaveLength(25);
  const refusals = await eventually('all are refused', async () => {
    const shown = (await statusOf(handle)).refusals;
    return shown.length === 20 && shown.at(-1)?.why.includes('/operationId') ? shown : null;
  });
  for (const [index, { what, pointer }] of all.slice(5).entries()) {
    expect(refusals[index], what).toMatchObject({ message: 'approval', outcome: 'malformed_input' });
    expect(refusals[index]!.why, what).toMatch(pointer === '' ? /./ : new RegExp(`^${pointer} `));
  }
  expect(await statusOf(handle)).toMatchObject({ state: 'Pending', decision: null, attempts: 0 });
  await approvesInTheEnd(at, handle, operationId);
});

test('an update of any shape is refused before it is accepted and leaves no trace in the history', async () => {
  const at = await environment();
  await at.startWorker();
  const { handle, prepared } = await at.startReview(newCase());
  const { operationId } = prepared;

  for (const { what, payloads, pointer } of misshapen(operationId)) {
    const { type, details } = await refusalOf(updateWithPayloads(at, handle.workflowId, 'decide', payloads));
    expect(type, what).toBe('malformed_input');
    if (pointer !== '') expect(details, what).toMatchObject({ pointer });
  }
  for (const name of ['revise', 'withdraw', 'resolve']) {
    const { type } = await refusalOf(
      updateWithPayloads(at, handle.workflowId, name, [payloadOf('binary/unknown', 'x')]),
    );
    expect(type, name).toBe('malformed_input');
  }
  await expect(updateWithPayloads(at, handle.workflowId, 'approve', [])).rejects.toThrow(/No registered handler/);
  await expect(updateWithPayloads(at, handle.workflowId, '__temporal_approve', [])).rejects.toThrow(
    /No registered handler/,
  );

  expect(acceptedUpdates(await historyOf(handle))).toStrictEqual(['prepared']);
  expect((await statusOf(handle)).refusals).toStrictEqual([]);
  await approvesInTheEnd(at, handle, operationId);
});

test('a signal of another name, even a reserved one, is noted as refused and nothing else', async () => {
  const at = await environment();
  await at.startWorker();
  const { handle, prepared } = await at.startReview(newCase());
  const { operationId } = prepared;
  const good = { operationId, approved: true, reviewer: 'rosa' };
  const names = ['aproval', 'Approval', 'decide', '__temporal_approval', '__stack_trace', 'constructor', 'unknown'];

  for (const [index, name] of names.entries()) {
    await signalWithPayloads(at, handle.workflowId, name, [jsonPayload(good)]);
    expect(await lastRefusal(handle, index + 1)).toMatchObject({ message: name, outcome: 'malformed_input' });
  }
  await signalWithPayloads(at, handle.workflowId, '__temporal_x', [payloadOf('binary/unknown', 'x')]);
  expect(await lastRefusal(handle, names.length + 1)).toMatchObject({ message: '__temporal_x', by: null });

  expect(databases.decisions(at.paths)).toStrictEqual([]);
  await approvesInTheEnd(at, handle, operationId);
});

test('a reserved signal name that arrives before the run begins does not keep it from beginning', async () => {
  const at = await environment();
  const handle = await at.start([newCase()]);
  await signalWithPayloads(at, handle.workflowId, '__temporal_x', [payloadOf('binary/unknown', 'x')]);

  await at.startWorker();

  expect(await lastRefusal(handle, 1)).toMatchObject({ message: '__temporal_x' });
  const { operationId } = await eventually('the proposal', async () => {
    const status = await statusOf(handle);
    return status.state === 'Pending' ? { operationId: status.operationId! } : null;
  });
  await approvesInTheEnd(at, handle, operationId);
});

test('"recheck" with any payload reads the ledger and changes nothing', async () => {
  const at = await environment();
  await at.startWorker();
  const { handle, prepared } = await at.startReview(newCase());

  await signalWithPayloads(at, handle.workflowId, 'recheck', []);
  await signalWithPayloads(at, handle.workflowId, 'recheck', [
    payloadOf('binary/unknown', 'x'),
    jsonPayload({ approved: true }),
  ]);

  expect(await statusOf(handle)).toMatchObject({ state: 'Pending', decision: null, refusals: [] });
  await approvesInTheEnd(at, handle, prepared.operationId);
});

test('an unknown operation, and one of another case, are refused as unknown_operation by signal and by update', async () => {
  const at = await environment();
  await at.startWorker();
  const { handle, prepared } = await at.startReview(newCase());
  const other = await at.startReview(newCase());

  for (const operationId of [nobodysId, other.prepared.operationId]) {
    const { type, details } = await refusalOf(
      handle.executeUpdate(decideUpdate, { args: [{ operationId, approved: true, reviewer: 'rosa' }] }),
    );
    expect(type).toBe('unknown_operation');
    expect(details).toMatchObject({ operationId, currentOperationId: prepared.operationId });
    await handle.signal(approvalSignal, { operationId, approved: true, reviewer: 'rosa' });
  }

  const refusals = await eventually('four refusals', async () => {
    const shown = (await statusOf(handle)).refusals;
    return shown.length === 4 ? shown : null;
  });
  expect(refusals.map(({ message, outcome }) => `${message}: ${outcome}`).sort()).toStrictEqual([
    'approval: unknown_operation',
    'approval: unknown_operation',
    'decide: unknown_operation',
    'decide: unknown_operation',
  ]);
  expect(refusals[0]).toMatchObject({ operationId: nobodysId, by: 'rosa' });
  expect(databases.decisions(at.paths)).toStrictEqual([]);
  await approvesInTheEnd(at, handle, prepared.operationId);
});

test('whoever proposed the content may not approve it, unless the policy says so; declining it is allowed', async () => {
  const at = await environment();
  await at.startWorker();
  const { handle, prepared } = await at.startReview(newCase({ proposedBy: 'drafter' }));
  const { operationId } = prepared;

  const refused = await refusalOf(
    handle.executeUpdate(decideUpdate, { args: [{ operationId, approved: true, reviewer: 'drafter' }] }),
  );
  await handle.signal(approvalSignal, { operationId, approved: true, reviewer: 'drafter' });

  expect(refused.type).toBe('not_authorized');
  expect(refused.details['why']).toMatch(/may not approve/);
  expect(await lastRefusal(handle, 2)).toMatchObject({ message: 'approval', outcome: 'not_authorized', by: 'drafter' });
  await handle.signal(approvalSignal, { operationId, approved: false, reviewer: 'drafter' });
  expect(await handle.result()).toMatchObject({ status: 'Declined' });

  const allowed = await at.startReview(newCase({ proposedBy: 'drafter', policy: { allowSelfApproval: true } }));
  const own = { operationId: allowed.prepared.operationId, approved: true, reviewer: 'drafter' };
  expect(await allowed.handle.executeUpdate(decideUpdate, { args: [own] })).toMatchObject({ outcome: 'recorded' });
});

test('an approval of a proposal that was revised is stale, and the refusal names the current one', async () => {
  const at = await environment();
  await at.startWorker();
  const { handle, prepared } = await at.startReview(newCase());
  const old = { operationId: prepared.operationId, approved: true, reviewer: 'rosa' };
  const revised = await handle.executeUpdate(reviseUpdate, {
    args: [{ expectedOperationId: old.operationId, revisedBy: 'ed', body: 'Shorter.' }],
  });

  const { type, details } = await refusalOf(handle.executeUpdate(decideUpdate, { args: [old] }));
  await handle.signal(approvalSignal, old);

  expect(type).toBe('stale_proposal');
  expect(details).toMatchObject({ currentOperationId: revised.operationId, state: 'Superseded' });
  expect(await lastRefusal(handle, 2)).toMatchObject({ message: 'approval', outcome: 'stale_proposal', by: 'rosa' });
  await approvesInTheEnd(at, handle, revised.operationId);
});

test('a malformed revision that only the ledger step can see is refused with its pointer, and a later one works', async () => {
  const at = await environment();
  await at.startWorker();
  const { handle, prepared } = await at.startReview(newCase());
  const revise = (part: object): Promise<unknown> =>
    updateWithPayloads(at, handle.workflowId, 'revise', [
      jsonPayload({ expectedOperationId: prepared.operationId, revisedBy: 'ed', ...part }),
    ]);
  const nested = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
  const deep = `{"expectedOperationId":"${prepared.operationId}","revisedBy":"ed","policy":{"a":${nested}}}`;

  expect(await refusalOf(revise({ body: 7 }))).toMatchObject({
    type: 'malformed_input',
    details: { pointer: '/body' },
  });
  expect(await refusalOf(revise({ evidence: [null] }))).toMatchObject({ details: { pointer: '/evidence/0' } });
  expect(await refusalOf(revise({ policy: { 'countersign.x': 1 } }))).toMatchObject({ type: 'malformed_input' });
  expect(
    await refusalOf(updateWithPayloads(at, handle.workflowId, 'revise', [payloadOf('json/plain', deep)])),
  ).toMatchObject({
    type: 'malformed_input',
  });

  const { operationId } = (await revise({ body: 'Shorter.' })) as { operationId: string };
  await approvesInTheEnd(at, handle, operationId);
});

test('the same request id sent twice is one signal', async () => {
  const at = await environment();
  await at.startWorker();
  const { handle, prepared } = await at.startReview(newCase());
  const requestId = randomUUID();

  for (let sent = 0; sent < 2; sent += 1) {
    await at.connection.workflowService.signalWorkflowExecution({
      namespace: at.settings.namespace,
      workflowExecution: { workflowId: handle.workflowId },
      signalName: 'aproval',
      requestId,
    });
  }

  expect(await lastRefusal(handle, 1)).toMatchObject({ message: 'aproval' });
  expect((await statusOf(handle)).refusals).toHaveLength(1);
  await approvesInTheEnd(at, handle, prepared.operationId);
});
