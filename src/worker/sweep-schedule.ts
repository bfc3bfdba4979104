/** The Temporal Schedule that sweeps: one per namespace, made, changed or removed by hand. */
import { ScheduleNotFoundError, ScheduleOverlapPolicy, type Client, type ScheduleOptions } from '@temporalio/client';
import { taskQueue } from './runs.ts';

const sweepScheduleId = 'countersign-sweep';

function scheduleOf(everyMinutes: number, limit: number, queue: string): Omit<ScheduleOptions, 'scheduleId'> {
  return {
    spec: { intervals: [{ every: `${everyMinutes} minutes` }] },
    action: {
      type: 'startWorkflow',
      workflowType: 'sweepLedger',
      args: [limit],
      taskQueue: queue,
      workflowId: sweepScheduleId,
    },
    // A sweep that is still at work is not joined by another, and missed ones are not made up for.
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 minute' },
  };
}

/** Makes the schedule, or gives the existing one this interval and bound. */
export async function scheduleSweep(
  client: Client,
  everyMinutes: number,
  limit: number,
  queue = taskQueue,
): Promise<'created' | 'updated'> {
  const handle = client.schedule.getHandle(sweepScheduleId);
  const wanted = scheduleOf(everyMinutes, limit, queue);
  try {
    await handle.update((previous) => ({ ...previous, ...wanted }));
    return 'updated';
  } catch (thrown) {
    if (!(thrown instanceof ScheduleNotFoundError)) throw thrown;
  }
  await client.schedule.create({ ...wanted, scheduleId: sweepScheduleId });
  return 'created';
}

/** Removes the schedule; `false`: there was none. */
export async function unscheduleSweep(client: Client): Promise<boolean> {
  try {
    await client.schedule.getHandle(sweepScheduleId).delete();
    return true;
  } catch (thrown) {
    if (thrown instanceof ScheduleNotFoundError) return false;
    throw thrown;
  }
}
