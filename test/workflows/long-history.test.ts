/** A run whose history grows long goes on in a new one. This needs a server that suggests so early. */
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import { approvalSignal, decideUpdate, preparedUpdate } from '../../workflows/messages.ts';
import { longHistorySoon, startOwnServer, type OwnServer } from '../support/own-server.ts';
import {
  databases,
  eventually,
  historyOf,
  newCase,
  openEnvironment,
  proposalOf,
  refusalOf,
  settingsFor,
  statusOf,
  troubledTasks,
  valueOf,
  type Environment,
  type HistoryEvent,
  type ReviewHandle,
} from '../support/temporal.ts';

const nobodysId = `op-v1-${'0'.repeat(64)}`;
let server: OwnServer;

beforeAll(async () => {
  server = await startOwnServer(inject('temporalCli'), longHistorySoon);
});

afterAll(() => server.stop());

async function environment(): Promise<Environment> {
  const opened = await openEnvironment(settingsFor(server.address, server.namespace));
  onTestFinished(() => opened.close());
  return opened;
}

/** Which run stands under the workflow id now. */
const runIdOf = async (handle: ReviewHandle): Promise<string> => (await handle.describe()).runId;

/** Updates answered in the task that ended the run. */
function answeredInLastTask(events: readonly HistoryEvent[]): number {
  const taskId = events.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.workflowTaskCompletedEventId;
  expect(taskId, 'the run continued as new').toBeTruthy();
  return events.filter(
    ({ eventId, workflowExecutionUpdateCompletedEventAttributes: completed }) =>
      completed && Number(eventId) > Number(taskId),
  ).length;
}

test('nothing but malformed signals makes a run continue as new; its proposal and last refusals go along', async () => {
  const at = await environment();
  await at.startWorker();
  const input = newCase();
  const { handle, prepared } = await at.startReview(input);
  const { operationId } = prepared;
  const firstRunId = await runIdOf(handle);

  let sent = 0;
  const runId = await eventually('another run', async () => {
    sent += 1;
    await handle.signal('approval', ...([{ operationId, reviewer: `number-${sent}` }] as never));
    const now = await runIdOf(handle);
    return now === firstRunId ? null : now;
  });

  const shown = await eventually('every refusal', async () => {
    const { refusals } = await statusOf(handle);
    return refusals.at(-1)?.by === `number-${sent}` ? refusals : null;
  });
  expect(shown.map(({ by }) => by)).toStrictEqual(
    Array.from({ length: Math.min(20, sent) }, (_, index) => `number-${sent - Math.min(20, sent) + index + 1}`),
  );
  const { admission, state, ...proposal } = prepared;
  expect({ admission, state }).toStrictEqual({ admission: 'admitted', state: 'Pending' });
  expect(await proposalOf(handle)).toStrictEqual(proposal);
  expect(await handle.executeUpdate(preparedUpdate)).toMatchObject({ operationId, admission: 'duplicate' });
  await eventually('the ledger knows the new run', () => databases.operation(at.paths, operationId)?.run_id === runId);

  await handle.signal(approvalSignal, { operationId, approved: true, reviewer: 'rosa' });
  expect(await handle.result()).toMatchObject({ operationId, status: 'Committed', replayed: false, effectCount: 1 });
  expect(troubledTasks(await historyOf(at.handle(handle.workflowId, firstRunId)))).toStrictEqual([]);
  expect(databases.operations(at.paths, input.caseId)).toHaveLength(1);
});

test('a run never continues as new in the task that answers an update, so every update is answered', async () => {
  const at = await environment();
  await at.startWorker();
  const { handle, prepared } = await at.startReview(newCase());
  const runs = new Set([await runIdOf(handle)]);

  for (let sent = 0; runs.size < 4; sent += 1) {
    const message = { operationId: nobodysId, approved: true, reviewer: `number-${sent}` };
    const { type } = await refusalOf(handle.executeUpdate(decideUpdate, { args: [message] }));
    expect(type).toBe('unknown_operation');
    runs.add(await runIdOf(handle));
    expect(sent).toBeLessThan(200);
  }

  for (const runId of [...runs].slice(0, 3)) {
    expect(answeredInLastTask(await historyOf(at.handle(handle.workflowId, runId)))).toBe(0);
  }
  const { operationId } = prepared;
  // A successor holds the ledger against what its predecessor was shown.
  const [started] = await historyOf(at.handle(handle.workflowId, [...runs].at(-1)));
  const carried = started?.workflowExecutionStartedEventAttributes?.input?.payloads?.[1];
  expect(carried && valueOf(carried)).toMatchObject({ operationId, head: { operationId, generation: 0 } });
  await handle.executeUpdate(decideUpdate, { args: [{ operationId, approved: true, reviewer: 'rosa' }] });
  expect(await handle.result()).toMatchObject({ operationId, status: 'Committed', effectCount: 1, attempts: 1 });
});
