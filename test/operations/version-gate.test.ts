// An operation of a workflow version that this program does not understand: it is left alone, and the way out is named.
import { describe, expect, test } from 'vitest';
import { PortsWorld } from '../support/ports-world.ts';
import { withHandle } from '../support/sqlite-file.ts';
import { temporaryDirectory } from '../support/temporary.ts';

const root = temporaryDirectory();
const refused = {
  code: 'unsupported_workflow_version',
  message: expect.stringContaining('workflow version 2') as string,
  hint: expect.stringContaining('withdraw it') as string,
};

/** What is on record becomes the work of a newer program. */
function fromNewerProgram(world: PortsWorld): void {
  withHandle(world.ledgerPath, (db) => {
    db.exec('DROP TRIGGER operations_keep_their_content');
    db.exec('UPDATE operations SET workflow_version = 2');
  });
}

describe('an operation of a newer program', () => {
  test.each([true, false])('is not decided here (approved %j), and nothing is written', async (approved) => {
    const world = new PortsWorld(root);
    const { operationId } = await world.propose();
    fromNewerProgram(world);
    const before = world.both();
    await expect(world.decide(operationId, { approved })).rejects.toMatchObject(refused);
    await expect(world.revise(operationId, { body: 'better' })).rejects.toMatchObject(refused);
    expect(world.both()).toEqual(before);
  });

  test('that is approved is not claimed, and one whose outcome is unknown is not claimed again', async () => {
    const world = new PortsWorld(root);
    const approved = await world.approved({ caseId: 'T-1' });
    const unknown = await world.approved({ caseId: 'T-2' });
    world.failAt('receiver.request-sent');
    await world.execute(unknown).catch(() => 'lost');
    await world.reconcile(unknown);
    world.clock.advance(60_000);
    fromNewerProgram(world);
    const before = world.both();
    for (const operationId of [approved, unknown]) {
      await expect(world.execute(operationId)).rejects.toMatchObject(refused);
    }
    expect(world.both()).toEqual(before);
  });

  test('is not begun again here, though its content is the same', async () => {
    const world = new PortsWorld(root);
    const { operationId } = await world.propose();
    fromNewerProgram(world);
    expect(await world.propose()).toMatchObject({
      outcome: 'unsupported_workflow_version',
      operationId,
      recorded: false,
    });
    expect((await world.view(operationId)).operation).toMatchObject({ state: 'Pending', attempts: 0 });
  });

  test('can be withdrawn here before its claim: that is the way out', async () => {
    const world = new PortsWorld(root);
    const { operationId } = await world.propose({ caseId: 'T-1' });
    const approved = await world.approved({ caseId: 'T-2' });
    fromNewerProgram(world);
    for (const id of [operationId, approved]) expect(await world.withdraw(id)).toMatchObject({ outcome: 'withdrawn' });
    expect((await world.propose({ caseId: 'T-1', body: 'anew' })).outcome).toBe('admitted');
  });

  test('is told about here: evidence counts, a settled one is shown, a decision on record is repeated', async () => {
    const world = new PortsWorld(root);
    const completed = await world.approved({ caseId: 'T-1' });
    await world.execute(completed);
    const lost = await world.approved({ caseId: 'T-2' });
    world.failAt('receiver.half-reply');
    await world.execute(lost).catch(() => 'lost');
    fromNewerProgram(world);
    expect((await world.decide(completed)).outcome).toBe('repeated');
    expect((await world.execute(completed)).outcome).toBe('completed');
    expect(await world.reconcile(lost)).toMatchObject({ outcome: 'Committed', finding: 'matching' });
  });
});
