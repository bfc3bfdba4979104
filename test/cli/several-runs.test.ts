/** Several runs of one case, and runs that wait for an object: commands tell every one of them. */
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { CaseInput } from '../../src/core/case.ts';
import { taskQueue, workflowIdOf, workflowType } from '../../src/worker/runs.ts';
import { preparedUpdate, type RunStatus } from '../../workflows/messages.ts';
import { eventually } from '../support/temporal.ts';
import { caseFile } from './sandbox.ts';
import { world, type World } from './on-temporal.ts';

const approve = (id: string, ...more: string[]): string[] => ['approve', id, '--reviewer', 'rosa', ...more];

/** Begun by the command, and reviewed by a second run under an id of its own. */
async function reviewedByTwo(at: World, content: Partial<CaseInput> = {}) {
  const input = caseFile(content);
  const { answer } = await at.askOn(['begin', at.file(`${randomUUID()}.json`, input)]);
  const again = `${workflowIdOf(input.caseId)}/again`;
  const second = await at.client.workflow.start(workflowType, { workflowId: again, taskQueue, args: [input] });
  await second.executeUpdate(preparedUpdate);
  const runs = [at.client.workflow.getHandle(workflowIdOf(input.caseId)), second];
  return { operationId: String(answer['operationId']), caseId: input.caseId, runs };
}

test('an approval by command has one effect and ends both runs of the case', async () => {
  const at = await world();
  await at.startWorker();
  const { operationId, runs } = await reviewedByTwo(at);

  const { code, answer } = await at.askOn(approve(operationId));

  expect(code).toBe(0);
  // Whichever of the two wrote it, it is this decision's effect.
  expect(answer).toMatchObject({ outcome: 'recorded', told: true, result: { status: 'Committed', replayed: false } });
  const results = await Promise.all(runs.map((run) => run.result() as Promise<{ replayed: boolean }>));
  expect(results.map(({ replayed }) => replayed).sort()).toStrictEqual([false, true]);
  expect(at.effects()).toStrictEqual([operationId]);
  expect(at.operation(operationId)).toMatchObject({ state: 'Completed', attempts: 1, untold: 0 });
});

test('a revision by command is what both runs show, and a withdrawal of it ends both', async () => {
  const at = await world();
  await at.startWorker();
  const { operationId, caseId, runs } = await reviewedByTwo(at);

  const body = at.file('body.txt', 'Edited.');
  const revised = await at.askOn(['revise', caseId, '--expected', operationId, '--by', 'ed', '--body-file', body]);
  const current = String(revised.answer['operationId']);
  for (const run of runs) {
    await eventually('the revision', async () => (await run.query<RunStatus>('status')).operationId === current);
  }
  await at.askOn(['withdraw', current, '--by', 'ed', '--reason', 'not needed']);

  for (const run of runs) expect(await run.result()).toMatchObject({ operationId: current, status: 'Withdrawn' });
  expect(at.operation(current)).toMatchObject({ state: 'Withdrawn', untold: 0 });
});

test('settling an unknown outcome by command wakes the runs that wait for its object', async () => {
  const at = await world();
  const object = { id: 'ticket-7', version: 1, scope: 'blue' };
  await at.startWorker();
  // Without a run: nobody but the operator is at work on it.
  const holder = await at.unknown({ object });
  const { operationId, runs } = await reviewedByTwo(at, { object });
  await at.askOn(approve(operationId, '--no-wait'));
  await eventually('it waits', async () => (await runs[0]!.query<RunStatus>('status')).state === 'Approved');

  const word = ['--as', 'abandon', '--operator', 'olga', '--reason', 'the destination is gone'];
  const resolved = await at.askOn(['resolve', holder.operationId, ...word]);

  expect(resolved).toMatchObject({ code: 0, answer: { outcome: 'resolved', state: 'Abandoned', told: true } });
  for (const run of runs) expect(await run.result()).toMatchObject({ operationId, status: 'Committed', attempts: 1 });
  expect(at.effects()).toStrictEqual([operationId]);
});
