/** The state directory goes away under a worker that has its files open, and comes back. */
import { renameSync } from 'node:fs';
import { expect, test } from 'vitest';
import { approvalSignal } from '../../workflows/messages.ts';
import { databases, eventually, heldReceiver, historyOf, newCase } from '../support/temporal.ts';
import { environment } from './on-shared-server.ts';

test('a worker whose ledger is taken away reports nothing, and finishes by asking when it is back', async () => {
  const at = await environment();
  const receiver = heldReceiver();
  await at.startWorker({ receiver: receiver.wrap });
  const { handle, prepared } = await at.startReview(newCase());
  const { operationId } = prepared;
  await handle.signal(approvalSignal, { operationId, approved: true, reviewer: 'rosa' });
  await eventually('the effect is on its way', () => receiver.arrived() === 1);

  const away = `${at.paths.directory}-away`;
  renameSync(at.paths.directory, away);
  receiver.release();
  await eventually('the attempt says why it failed', async () =>
    (await historyOf(handle)).some(({ activityTaskFailedEventAttributes: failed }) =>
      failed?.failure?.message?.includes('removed or replaced'),
    ),
  );
  expect((await handle.describe()).status.name).toBe('RUNNING');
  renameSync(away, at.paths.directory);

  expect(await handle.result()).toMatchObject({ status: 'Committed', effectCount: 1 });
  expect(databases.operation(at.paths, operationId)).toMatchObject({ state: 'Completed' });
  expect(databases.effectsOf(at.paths, operationId)).toBe(1);
});
