/** A pending operation of a workflow version that this program does not understand: exit 4, and the way out by name. */
import { expect, test } from 'vitest';
import { decideUpdate } from '../../workflows/messages.ts';
import { workflowIdOf } from '../../src/worker/runs.ts';
import { failureOf } from '../support/temporal.ts';
import { world } from './on-temporal.ts';
import { caseFile, sandbox, type Sandbox } from './sandbox.ts';

const approve = (id: string): string[] => ['approve', id, '--reviewer', 'rosa'];

function fromNewerProgram(at: Sandbox, operationId: string): void {
  at.rows(at.ledgerFile, 'DROP TRIGGER operations_keep_their_content');
  at.rows(at.ledgerFile, 'UPDATE operations SET workflow_version = 2 WHERE operation_id = ?', operationId);
}

const refused = {
  code: 4,
  answer: {
    error: {
      code: 'unsupported_workflow_version',
      hint: expect.stringMatching(/version of Countersign that proposed it; or withdraw it/) as string,
    },
  },
};

test('the application driver refuses to decide, execute or begin it, and withdrawing it is the way out', async () => {
  const at = sandbox();
  const input = caseFile();
  const file = at.file('case.json', input);
  const { operationId } = await at.proposed(input);
  fromNewerProgram(at, operationId);
  const before = at.operation(operationId);

  const decided = await at.ask(approve(operationId));
  const begun = await at.ask(['begin', file]);
  const people = await at.command(approve(operationId));

  expect(decided).toMatchObject(refused);
  expect(begun).toMatchObject({ code: 4, answer: { outcome: 'unsupported_workflow_version', operationId } });
  expect(people.stderr).toContain('withdraw it');
  expect(at.operation(operationId)).toStrictEqual(before);
  expect(at.decisions()).toStrictEqual([]);
  const withdrawn = await at.ask(['withdraw', operationId, '--by', 'olga', '--reason', 'made by a newer program']);
  expect(withdrawn).toMatchObject({ code: 0, answer: { state: 'Withdrawn' } });
});

test('the temporal driver refuses the same, at the command line and by update to a run that was there before', async () => {
  const at = await world();
  await at.startWorker();
  const { operationId, caseId } = await at.begun();
  fromNewerProgram(at, operationId);
  const handle = at.client.workflow.getHandle(workflowIdOf(caseId));

  const decided = await at.askOn(approve(operationId));
  const update = handle.executeUpdate(decideUpdate, { args: [{ operationId, approved: true, reviewer: 'rosa' }] });

  expect(decided).toMatchObject(refused);
  expect(await failureOf(update)).toMatchObject({ type: 'unsupported_workflow_version', nonRetryable: true });
  expect(at.operation(operationId)).toMatchObject({ state: 'Pending', attempts: 0 });
  expect(at.decisions()).toStrictEqual([]);
  expect(at.effects()).toStrictEqual([]);
});
