/** What lists and the UI show of a run, and that nothing depends on it. */
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { beginRun } from '../../src/worker/runs.ts';
import { approvalSignal, decideUpdate } from '../../workflows/messages.ts';
import { databases, detailsOf, eventually, newCase, statusOf, type Environment } from '../support/temporal.ts';
import { environment } from './on-shared-server.ts';

async function listed({ client }: Environment, query: string) {
  const found = [];
  for await (const execution of client.workflow.list({ query })) found.push(execution);
  return found;
}

test('a waiting case is found by state, case, object and deadline, and by its final state afterwards', async () => {
  const at = await environment();
  const { searchAttributes } = await at.startWorker();
  const input = newCase({ object: { id: `ticket-${randomUUID()}` }, policy: { decisionTtlSeconds: 3600 } });
  const { handle, prepared } = await at.startReview(input);
  const { operationId } = prepared;
  const about = `CountersignCase = '${input.caseId}' AND CountersignOperation = '${operationId}'`;
  const on = `CountersignObject = '${input.object!.id}' AND CountersignDeadline > '${prepared.proposedAt}'`;

  // Visibility is eventually consistent.
  const [waiting] = await eventually('it is listed as pending', async () => {
    const found = await listed(at, `CountersignState = 'Pending' AND ${about} AND ${on}`);
    return found.length === 1 ? found : null;
  });
  expect(searchAttributes).toBe(true);
  expect(waiting!.workflowId).toBe(handle.workflowId);

  await handle.executeUpdate(decideUpdate, { args: [{ operationId, approved: true, reviewer: 'rosa' }] });
  await handle.result();
  await eventually('it is listed as completed', async () => {
    const found = await listed(at, `CountersignState = 'Completed' AND ${about}`);
    return found.length === 1;
  });
  expect(await listed(at, `CountersignState = 'Pending' AND ${about}`)).toStrictEqual([]);
});

test('summary and current details say what waits, without any draft text', async () => {
  const at = await environment();
  await at.startWorker();
  const draft = `draft-${randomUUID()}`;
  const quotation = `quotation-${randomUUID()}`;
  const input = newCase({
    body: draft,
    evidence: [{ sourceId: 'KB-311', version: 3, quotation }],
    policy: { decisionTtlSeconds: 3600, label: `label-${randomUUID()}` },
  });
  at.startOptions([], `review/${input.caseId}`);
  const { prepared } = await beginRun(at.client, input, at.taskQueue);
  const handle = at.handle(`review/${input.caseId}`);

  const details = await eventually('details', async () => (await detailsOf(handle)) || null);
  const summary = await (await handle.describe()).staticSummary();

  expect(details).toContain('**Pending** — waits for a decision');
  for (const told of [input.caseId, input.action, prepared.operationId, prepared.decideBy!]) {
    expect(details).toContain(told);
  }
  expect(summary).toBe(`Review of case ${input.caseId}: ${input.action}`);
  for (const secret of [draft, quotation, String(input.policy['label'])]) {
    expect(details).not.toContain(secret);
    expect(summary).not.toContain(secret);
  }
});

test('text of a case cannot pass for a state in the details', async () => {
  const at = await environment();
  await at.startWorker();
  const { handle } = await at.startReview(newCase({ action: 'x` — **Approved** by everybody `' }));

  const details = await eventually('details', async () => (await detailsOf(handle)) || null);

  // Whatever stands between two backticks is code to a Markdown reader; nothing gets out of it.
  const outside = details.replaceAll(/`[^`\n]*`/g, '');
  expect(outside).not.toContain('Approved');
  expect(outside).not.toContain('`');
});

test('in a namespace without the search attributes everything else works', async () => {
  const namespace = `bare-${randomUUID().slice(0, 8)}`;
  const at = await environment(namespace);
  await at.connection.workflowService.registerNamespace({
    namespace,
    workflowExecutionRetentionPeriod: { seconds: 86_400 as never },
  });
  const running = await eventually('a worker in the new namespace', () => at.startWorker().catch(() => null));
  const { handle, prepared } = await eventually('a run', () => at.startReview(newCase()).catch(() => null));

  expect(running.searchAttributes).toBe(false);
  expect(await statusOf(handle)).toMatchObject({ state: 'Pending' });
  expect(await detailsOf(handle)).toContain('**Pending**');
  await handle.signal(approvalSignal, { operationId: prepared.operationId, approved: true, reviewer: 'rosa' });
  expect(await handle.result()).toMatchObject({ status: 'Committed', effectCount: 1 });
  const set = (await handle.describe()).typedSearchAttributes.getAll().map(({ key }) => key.name);
  expect(set.filter((name) => name.startsWith('Countersign'))).toStrictEqual([]);
  expect(databases.effects(at.paths)).toBe(1);
});
