/** What a run has seen of the ledger shows an older copy, even where the receiver was restored together with it. */
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { decideUpdate } from '../../workflows/messages.ts';
import { openPorts } from '../../src/worker/open-ports.ts';
import { noCrashPoints } from '../../src/ports/crash-points.ts';
import { databases, eventually, newCase, refusalOf, statusOf, type Environment } from '../support/temporal.ts';
import { environment } from './on-shared-server.ts';

/** Both files as they are now, and how to bring them back; nobody has them open meanwhile. */
function backUp({ paths }: Environment): () => void {
  const files = [paths.ledger, paths.receiver];
  const copy = (file: string): string =>
    join(paths.directory, `older-${file === paths.ledger ? 'ledger' : 'receiver'}`);
  for (const file of files) cpSync(file, copy(file));
  return () => {
    for (const file of files) {
      for (const suffix of ['-wal', '-shm']) rmSync(file + suffix, { force: true });
      cpSync(copy(file), file);
    }
  };
}

test('a run whose ledger and receiver were restored together decides nothing until a person accepts it, then goes on', async () => {
  const at = await environment();
  await at.startWorker();
  const { handle, prepared } = await at.startReview(newCase({ proposedBy: 'drafter' }));
  const { operationId } = prepared;
  await at.stopWorker();
  const putBack = backUp(at);
  await at.startWorker();
  // A refused decision is told in the journal: the run has seen a head that the copy does not have.
  const self = { operationId, approved: true, reviewer: 'drafter' };
  expect(await refusalOf(handle.executeUpdate(decideUpdate, { args: [self] }))).toMatchObject({
    type: 'not_authorized',
  });
  const seen = databases.headHash(at.paths, operationId);
  await eventually('the run has seen the head', async () => (await statusOf(handle)).headHash === seen);
  await at.stopWorker();
  putBack();
  await at.startWorker();

  const approval = { operationId, approved: true, reviewer: 'rosa' };
  const deciding = handle.executeUpdate(decideUpdate, { args: [approval], updateId: 'rosa-1' });
  deciding.catch(() => undefined);
  const told = () => databases.journal(at.paths).map(({ what }) => what);
  await eventually('the ledger knows that it lacks a record', () => told().includes('lacks a record'));

  expect(databases.decisions(at.paths)).toStrictEqual([]);
  expect(databases.operation(at.paths, operationId)).toMatchObject({ state: 'Pending', attempts: 0 });
  const ports = openPorts(at.paths, { crash: noCrashPoints });
  await ports.ledger.acceptRestore({ operator: 'olga', reason: 'the backup of Monday' });
  ports.close();
  expect(await deciding).toMatchObject({ outcome: 'recorded' });
  expect(await handle.result()).toMatchObject({ status: 'Committed', effectCount: 1, attempts: 1 });
  expect(databases.decisions(at.paths)).toMatchObject([{ operation_id: operationId, approved: 1, reviewer: 'rosa' }]);
  expect(databases.effectsOf(at.paths, operationId)).toBe(1);
});
