/** The temporal driver: commands, a worker and a server as processes; decisions are written to the ledger first. */
import { WorkflowNotFoundError } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { workflowIdOf } from '../../src/worker/runs.ts';
import { eventually } from '../support/temporal.ts';
import { caseFile } from './sandbox.ts';
import { nowhere, openWorld, world, type World } from './on-temporal.ts';

const approve = (id: string, ...more: string[]): string[] => ['approve', id, '--reviewer', 'rosa', ...more];
const decline = (id: string): string[] => ['decline', id, '--reviewer', 'rosa', '--reason', 'not now'];

const runIsClosed = (at: World, caseId: string, status: string): Promise<true> =>
  eventually(`the run of ${caseId} is ${status}`, async () => {
    const described = await at.client.workflow.getHandle(workflowIdOf(caseId)).describe();
    return described.status.name === status;
  });

describe('with a worker', () => {
  let at: World;
  beforeAll(async () => {
    at = await openWorld();
    await at.startWorker();
  });
  afterAll(() => at.close());

  test('begin starts a run and answers the recorded proposal', async () => {
    const input = caseFile({ proposedBy: 'drafter' });

    const { code, answer } = await at.askOn(['begin', at.file('case.json', input)]);

    expect(code).toBe(0);
    expect(answer).toMatchObject({
      outcome: 'admitted',
      caseId: input.caseId,
      state: 'Pending',
      workflowId: workflowIdOf(input.caseId),
      proposal: { body: input.body, proposedBy: 'drafter' },
    });
    const { runId } = await at.client.workflow.getHandle(workflowIdOf(input.caseId)).describe();
    expect(at.operation(String(answer['operationId']))).toMatchObject({
      state: 'Pending',
      workflow_id: workflowIdOf(input.caseId),
      run_id: runId,
    });
  });

  test('the same case begun again is a duplicate in the same run, and changes nothing', async () => {
    const file = at.file('case.json', caseFile());
    const first = await at.askOn(['begin', file]);
    const before = at.dump();

    const second = await at.askOn(['begin', file]);

    expect(second.code).toBe(0);
    expect(second.answer).toMatchObject({ outcome: 'duplicate', state: 'Pending', runId: first.answer['runId'] });
    expect(at.dump()).toStrictEqual(before);
  });

  test('a case begun again after its end is a duplicate with the stored outcome', async () => {
    const input = caseFile();
    const { operationId, caseId } = await at.begun(input);
    await at.on(approve(operationId));
    await runIsClosed(at, caseId, 'COMPLETED');

    const { code, answer } = await at.askOn(['begin', at.file('case.json', input)]);

    expect(code).toBe(0);
    expect(answer).toMatchObject({ outcome: 'duplicate', operationId, state: 'Completed' });
    expect(at.operation(operationId)).toMatchObject({ state: 'Completed', attempts: 1 });
    expect(at.effects().filter((id) => id === operationId)).toHaveLength(1);
  });

  test('other content on an open case is refused, and names what is under review', async () => {
    const { operationId, caseId } = await at.begun();

    const { code, answer } = await at.askOn(['begin', at.file('case.json', caseFile({ caseId, body: 'Other.' }))]);

    expect(code).toBe(4);
    expect(answer).toMatchObject({ outcome: 'case_open', state: null, currentOperationId: operationId });
    expect(at.operation(operationId)?.state).toBe('Pending');
  });

  test.each([
    ['unsupported_workflow_version', 4, { workflowVersion: 2 }],
    ['expired', 10, { expiresAt: '2020-01-01T00:00:00Z' }],
  ])('a case that is %s is refused with exit code %i', async (outcome, exit, content) => {
    const { code, answer } = await at.askOn(['begin', at.file('case.json', caseFile(content))]);

    expect({ code, outcome: answer['outcome'] }).toStrictEqual({ code: exit, outcome });
  });

  test('an approval waits for the outcome, and the answer says that the effect is this decision’s', async () => {
    const { operationId, caseId } = await at.begun();

    const { code, answer } = await at.askOn(approve(operationId, '--reason', 'checked'));

    expect(code).toBe(0);
    expect(answer).toMatchObject({
      outcome: 'recorded',
      state: 'Completed',
      attempts: 1,
      told: true,
      decision: { approved: true, reviewer: 'rosa', reason: 'checked', via: 'command' },
      result: { operationId, status: 'Committed', replayed: false, effectCount: 1, attempts: 1 },
    });
    await runIsClosed(at, caseId, 'COMPLETED');
    expect(at.effects().filter((id) => id === operationId)).toHaveLength(1);
  });

  test('an approval given again after the end is repeated, and both databases stay the same', async () => {
    const { operationId, caseId } = await at.begun();
    await at.on(approve(operationId));
    await runIsClosed(at, caseId, 'COMPLETED');
    const before = at.dump();

    const { code, answer } = await at.askOn(approve(operationId));

    expect(code).toBe(0);
    expect(answer).toMatchObject({ outcome: 'repeated', state: 'Completed', result: { replayed: true, attempts: 1 } });
    expect(at.dump()).toStrictEqual(before);
  });

  test('approve --no-wait answers as soon as the decision is recorded; the run goes on by itself', async () => {
    const { operationId } = await at.begun();

    const { code, answer } = await at.askOn(approve(operationId, '--no-wait'));

    expect(code).toBe(0);
    expect(answer).toMatchObject({ outcome: 'recorded', told: true, decision: { approved: true } });
    await at.reaches(operationId, 'Completed');
    expect(at.effects().filter((id) => id === operationId)).toHaveLength(1);
  });

  test('a declined proposal ends its run without an effect, and approving it then is a conflict', async () => {
    const { operationId, caseId } = await at.begun();

    const declined = await at.askOn(decline(operationId));
    await runIsClosed(at, caseId, 'COMPLETED');
    const approved = await at.askOn(approve(operationId));

    expect(declined).toMatchObject({ code: 0, answer: { outcome: 'recorded', state: 'Declined', told: true } });
    expect(approved).toMatchObject({ code: 5, answer: { outcome: 'conflicting_decision', state: 'Declined' } });
    expect(await at.client.workflow.getHandle(workflowIdOf(caseId)).result()).toMatchObject({ status: 'Declined' });
    expect(at.effects()).not.toContain(operationId);
  });

  test('a revision tells the run; the old identity is stale, the new one leads to the one effect', async () => {
    const { operationId, caseId } = await at.begun();
    const body = at.file('body.txt', 'Edited.');

    const revised = await at.askOn([
      ...['revise', caseId, '--expected', operationId, '--by', 'edith', '--body-file', body],
    ]);
    const current = String(revised.answer['operationId']);
    const stale = await at.askOn(approve(operationId));
    const approved = await at.askOn(approve(current));

    expect(revised).toMatchObject({ code: 0, answer: { outcome: 'revised', told: true } });
    expect(stale).toMatchObject({ code: 3, answer: { outcome: 'stale_proposal', currentOperationId: current } });
    expect(approved).toMatchObject({ code: 0, answer: { state: 'Completed' } });
    await runIsClosed(at, caseId, 'COMPLETED');
    expect(at.effects()).toContain(current);
    expect(at.effects()).not.toContain(operationId);
  });

  test('a withdrawal tells the run, and the run ends as withdrawn', async () => {
    const { operationId, caseId } = await at.begun();

    const { code, answer } = await at.askOn(['withdraw', operationId, '--by', 'drafter', '--reason', 'not needed']);

    expect({ code, answer }).toMatchObject({ code: 0, answer: { outcome: 'withdrawn', told: true } });
    await runIsClosed(at, caseId, 'COMPLETED');
    expect(await at.client.workflow.getHandle(workflowIdOf(caseId)).result()).toMatchObject({ status: 'Withdrawn' });
    expect(at.operation(operationId)?.state).toBe('Withdrawn');
  });

  test('show and list name the run, and need no server', async () => {
    const { operationId, caseId } = await at.begun();

    const shown = await at.askOn(['show', caseId], nowhere);
    const listed = await at.askOn<{ operations: object[] }>(['list', '--case', caseId], nowhere);

    const run = { workflowId: workflowIdOf(caseId), runId: at.operation(operationId)?.run_id };
    expect(shown).toMatchObject({ code: 0, answer: { operationId, state: 'Pending', ...run } });
    expect(listed).toMatchObject({ code: 0, answer: { operations: [{ operationId, state: 'Pending', ...run }] } });
  });

  test('whoever proposed may not approve, and an unknown identity is unknown, with and without a server', async () => {
    const { operationId } = await at.begun({ proposedBy: 'rosa' });
    const nobody = `op-v1-${'0'.repeat(64)}`;

    const self = await at.askOn(approve(operationId));
    const none = await at.askOn(approve(nobody), nowhere);

    expect(self).toMatchObject({ code: 8, answer: { outcome: 'not_authorized', state: 'Pending' } });
    expect(none).toMatchObject({ code: 9, answer: { outcome: 'unknown_operation' } });
    expect(at.operation(operationId)?.state).toBe('Pending');
  });

  test('an object that changed stands against an approval, and the run ends so', async () => {
    const { operationId, caseId } = await at.begun({ object: { id: 'ticket-7', version: 1, scope: 'blue' } });
    await at.on(['object', 'set', 'ticket-7', '--version', '2']);

    const { code, answer } = await at.askOn(approve(operationId));

    expect(code).toBe(10);
    expect(answer).toMatchObject({ outcome: 'recorded', state: 'Superseded', attempts: 0 });
    await runIsClosed(at, caseId, 'COMPLETED');
    expect(at.effects()).not.toContain(operationId);
  });

  test('an open operation whose run was terminated gets another by sweep, and is approved there', async () => {
    const { operationId, caseId } = await at.begun();
    const handle = at.client.workflow.getHandle(workflowIdOf(caseId));
    const lost = await handle.describe();
    await handle.terminate('by a test');

    const { code, answer } = await at.askOn<{ swept: { operationId: string }[] }>(['sweep']);
    const approved = await at.askOn(approve(operationId));

    expect(code).toBe(0);
    expect(answer.swept.filter((one) => one.operationId === operationId)).toStrictEqual([
      { operationId, caseId, state: 'Pending', reason: 'no run', result: 'started' },
    ]);
    expect(approved).toMatchObject({ code: 0, answer: { state: 'Completed', result: { status: 'Committed' } } });
    expect(at.operation(operationId)?.run_id).not.toBe(lost.runId);
    expect(at.effects().filter((id) => id === operationId)).toHaveLength(1);
  });

  test('an approval starts another run where the old one was deleted, and the effect happens once', async () => {
    const { operationId, caseId } = await at.begun();
    const handle = at.client.workflow.getHandle(workflowIdOf(caseId));
    const { runId } = await handle.describe();
    const workflowExecution = { workflowId: handle.workflowId, runId };
    await at.client.workflowService.deleteWorkflowExecution({ namespace: at.namespace, workflowExecution });
    await eventually('the run is gone', async () => {
      try {
        await handle.describe();
        return false;
      } catch (thrown) {
        return thrown instanceof WorkflowNotFoundError;
      }
    });

    const { code, answer } = await at.askOn(approve(operationId));

    expect(code).toBe(0);
    expect(answer).toMatchObject({ outcome: 'recorded', state: 'Completed', told: true });
    expect(await handle.result()).toMatchObject({ operationId, status: 'Committed', effectCount: 1 });
    expect(at.effects().filter((id) => id === operationId)).toHaveLength(1);
  });

  test('begun without Temporal and approved through it, a run is started for the stored case', async () => {
    const { operationId, caseId } = await at.proposed();

    const { code, answer } = await at.askOn(approve(operationId));

    expect(code).toBe(0);
    expect(answer).toMatchObject({ outcome: 'recorded', state: 'Completed', told: true });
    expect(at.operation(operationId)).toMatchObject({ workflow_id: workflowIdOf(caseId), attempts: 1 });
    await runIsClosed(at, caseId, 'COMPLETED');
    expect(at.effects().filter((id) => id === operationId)).toHaveLength(1);
  });

  test('approved without Temporal, the effect is the command’s; a sweep tells the run, which ends so', async () => {
    const { operationId, caseId } = await at.begun();

    const approved = await at.ask(approve(operationId));
    const untold = at.operation(operationId)?.untold;
    const swept = await at.askOn<{ swept: object[] }>(['sweep']);

    expect(approved).toMatchObject({ code: 0, answer: { state: 'Completed', told: null } });
    expect(untold).toBe(1);
    expect(swept.answer.swept).toContainEqual({
      ...{ operationId, caseId, state: 'Completed', reason: 'not told', result: 'told' },
    });
    await runIsClosed(at, caseId, 'COMPLETED');
    expect(at.operation(operationId)).toMatchObject({ untold: 0, attempts: 1 });
    expect(at.effects().filter((id) => id === operationId)).toHaveLength(1);
  });

  test('a sweep with nothing to do changes nothing', async () => {
    await at.begun();
    await at.on(['sweep']);
    const before = at.dump();

    const { code, answer } = await at.askOn(['sweep']);

    expect({ code, swept: answer['swept'], more: answer['more'] }).toStrictEqual({ code: 0, swept: [], more: false });
    expect(at.dump()).toStrictEqual(before);
  });
});

describe('without a worker', () => {
  test('begin says that none answered; the run waits, and the case is proposed when one comes', async () => {
    const at = await world();
    const input = caseFile();

    const { code, answer } = await at.askOn(['begin', '--wait', '1', at.file('case.json', input)]);
    await at.startWorker();

    expect(code).toBe(69);
    expect(answer.error).toMatchObject({
      code: 'server_unavailable',
      hint: expect.stringContaining('worker') as string,
    });
    const [proposed] = await eventually('the proposal', () => {
      const rows = at.rows<{ state: string }>(
        at.ledgerFile,
        'SELECT state FROM operations WHERE case_id = ?',
        input.caseId,
      );
      return rows.length > 0 && rows;
    });
    expect(proposed).toStrictEqual({ state: 'Pending' });
  });

  test('an approval is recorded and the run told; the effect happens when a worker comes', async () => {
    const at = await world();
    await at.startWorker();
    const { operationId } = await at.begun();
    const stopped = await at.stopWorker();

    const { code, answer } = await at.askOn(approve(operationId, '--wait', '1'));
    const before = { stored: at.operation(operationId), effects: at.effects() };
    await at.startWorker();
    await at.reaches(operationId, 'Completed');

    expect(stopped).toMatchObject({ code: 0, signal: null });
    expect(code).toBe(0);
    expect(answer).toMatchObject({ outcome: 'recorded', state: 'Approved', told: true, result: null });
    expect(before).toMatchObject({ stored: { state: 'Approved', attempts: 0 }, effects: [] });
    expect(at.operation(operationId)).toMatchObject({ state: 'Completed', attempts: 1 });
    expect(at.effects()).toStrictEqual([operationId]);
  });

  test('an approval without the server is recorded all the same; a later sweep tells the run', async () => {
    const at = await world();
    await at.startWorker();
    const { operationId, caseId } = await at.begun();
    await at.stopWorker();

    const approved = await at.askOn(approve(operationId), nowhere);
    const untold = at.operation(operationId);
    const swept = await at.askOn(['sweep']);
    const told = at.operation(operationId);
    await at.startWorker();
    await at.reaches(operationId, 'Completed');

    expect(approved).toMatchObject({ code: 0, answer: { outcome: 'recorded', state: 'Approved', told: false } });
    expect(untold).toMatchObject({ state: 'Approved', untold: 1 });
    expect(swept).toMatchObject({
      code: 0,
      answer: { swept: [{ operationId, caseId, state: 'Approved', reason: 'not told', result: 'told' }] },
    });
    expect(told).toMatchObject({ state: 'Approved', untold: 0 });
    await runIsClosed(at, caseId, 'COMPLETED');
    expect(at.effects()).toStrictEqual([operationId]);
  });

  test('a worker sweeps when it starts: what was decided without the server goes on', async () => {
    const at = await world();
    await at.startWorker();
    const { operationId } = await at.begun();
    await at.stopWorker();
    await at.on(approve(operationId), nowhere);

    await at.startWorker();

    await at.reaches(operationId, 'Completed');
    expect(at.operation(operationId)).toMatchObject({ untold: 0, attempts: 1 });
    expect(at.effects()).toStrictEqual([operationId]);
  });
});

describe('with a worker that dies', () => {
  test('a receipt lost at exit 42 is found by the next worker: Committed, one effect, one attempt', async () => {
    const at = await world();
    const dying = await at.startWorker('--crash-at', 'receiver.committed');
    const { operationId, caseId } = await at.begun();

    const approved = await at.askOn(approve(operationId, '--wait', '1'));
    const { code } = await dying.finished();
    const between = { stored: at.operation(operationId), effects: at.effects() };
    await at.startWorker();
    await at.reaches(operationId, 'Completed');
    const again = await at.askOn(approve(operationId));
    const declined = await at.askOn(decline(operationId));

    expect(approved).toMatchObject({ code: 0, answer: { outcome: 'recorded' } });
    expect(code).toBe(42);
    expect(between).toMatchObject({ stored: { state: 'Executing', attempts: 1 }, effects: [operationId] });
    await runIsClosed(at, caseId, 'COMPLETED');
    expect(await at.client.workflow.getHandle(workflowIdOf(caseId)).result()).toMatchObject({
      status: 'Committed',
      replayed: true,
      effectCount: 1,
      attempts: 1,
    });
    expect(again).toMatchObject({ code: 0, answer: { outcome: 'repeated', state: 'Completed' } });
    expect(declined).toMatchObject({ code: 5, answer: { outcome: 'conflicting_decision' } });
    expect(at.effects()).toStrictEqual([operationId]);
  });
});
