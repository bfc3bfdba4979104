// Health check of the worker's container: exits 0 when the server has lately seen polls for workflow tasks and for
// activity tasks on Countersign's task queue. It does not say whose polls: with several workers on one queue, a healthy
// one hides a dead one.
import { Connection } from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';

const TASK_QUEUE = 'countersign';
const KINDS = { workflow: 1, activity: 2 };
// A poll without work ends after about one minute and is then made again.
const POLL_AGE_LIMIT_MS = 90_000;
const DEADLINE_MS = 10_000;

const { connectionOptions, namespace = 'default' } = loadClientConnectConfig();
const deadline = Date.now() + DEADLINE_MS;
const lateness = setTimeout(() => finish('no answer from the server in time'), DEADLINE_MS);

function finish(fault) {
  clearTimeout(lateness);
  if (fault) console.error(`unhealthy: ${fault}`);
  process.exit(fault ? 1 : 0);
}

function newestPollMs(pollers) {
  return Math.max(0, ...pollers.map(({ lastAccessTime }) => Number(lastAccessTime?.seconds ?? 0) * 1000));
}

try {
  const connection = await Connection.connect(connectionOptions);
  for (const [kind, taskQueueType] of Object.entries(KINDS)) {
    const request = { namespace, taskQueue: { name: TASK_QUEUE }, taskQueueType };
    const { pollers } = await connection.withDeadline(deadline, () =>
      connection.workflowService.describeTaskQueue(request),
    );
    if (Date.now() - newestPollMs(pollers ?? []) > POLL_AGE_LIMIT_MS) finish(`no ${kind} poll on ${TASK_QUEUE}`);
  }
  finish();
} catch (error) {
  finish(error instanceof Error ? error.message : String(error));
}
