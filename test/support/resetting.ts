/** Resets of a run, through the service and the CLI, and what a run did again after one, as its history tells. */
import { randomUUID } from 'node:crypto';
import { historyOf, type Environment, type HistoryEvent, type ReviewHandle } from './temporal.ts';

/** `RESET_REAPPLY_EXCLUDE_TYPE_*`: what a reset does not send again. */
export const excluded = { nothing: [], signals: [1], updates: [2], both: [1, 2] } as const;

/** Resets a run to just before the workflow task that ends with this event; answers the run that follows it. */
export async function reset(
  at: Environment,
  handle: ReviewHandle,
  eventId: number,
  exclude: readonly number[],
): Promise<ReviewHandle> {
  const { runId } = await handle.describe();
  const { runId: next } = await at.connection.workflowService.resetWorkflowExecution({
    namespace: at.settings.namespace,
    workflowExecution: { workflowId: handle.workflowId, runId },
    reason: 'by a test',
    requestId: randomUUID(),
    workflowTaskFinishEventId: eventId as unknown as Long,
    resetReapplyExcludeTypes: [...exclude] as never[],
  });
  return at.handle(handle.workflowId, next);
}

const isTaskEnd = (event: HistoryEvent): boolean => Boolean(event.workflowTaskCompletedEventAttributes);
const schedulesExecute = (event: HistoryEvent): boolean =>
  event.activityTaskScheduledEventAttributes?.activityType?.name === 'execute';

function lastTaskBefore(events: readonly HistoryEvent[], index: number): number {
  const task = events.slice(0, index).findLast(isTaskEnd);
  if (index < 0 || !task) throw new Error('The history has no such point.');
  return Number(task.eventId);
}

/** The task that recorded the proposal. */
export const firstTask = (events: readonly HistoryEvent[]): number => Number(events.find(isTaskEnd)?.eventId);

/** Points of a finished review's history, as the event id of the workflow task that a reset does again. */
export const points = {
  /** The task before the approval arrived; for an update: the one that accepted it. */
  'before the approval': (events) =>
    lastTaskBefore(
      events,
      events.findIndex(
        (event) =>
          event.workflowExecutionSignaledEventAttributes?.signalName === 'approval' ||
          event.workflowExecutionUpdateAcceptedEventAttributes?.acceptedRequest?.input?.name === 'decide',
      ),
    ),
  /** The task that decided and scheduled `execute`. */
  'before the claim': (events) => lastTaskBefore(events, events.findIndex(schedulesExecute)),
  /** The task that learned how `execute` ended. */
  'after the effect': (events) => {
    const scheduled = events.find(schedulesExecute)?.eventId;
    const ended = events.findIndex(
      (event) => String(event.activityTaskCompletedEventAttributes?.scheduledEventId) === String(scheduled),
    );
    const task = events.slice(ended).find(isTaskEnd);
    if (ended < 0 || !task) throw new Error('The history has no such point.');
    return Number(task.eventId);
  },
} as const satisfies Record<string, (events: readonly HistoryEvent[]) => number>;

export type Point = keyof typeof points;

/** Every activity a run's history holds, local ones as well, oldest first. */
function activitiesIn(events: readonly HistoryEvent[]): string[] {
  return events.flatMap((event) => {
    const scheduled = event.activityTaskScheduledEventAttributes?.activityType?.name;
    if (scheduled) return [scheduled];
    const marker = event.markerRecordedEventAttributes?.details?.['data']?.payloads?.[0]?.data;
    if (!marker) return [];
    const { activity_type: local } = JSON.parse(Buffer.from(marker).toString('utf8')) as { activity_type?: string };
    return local === undefined ? [] : [local];
  });
}

export const activitiesOf = async (handle: ReviewHandle): Promise<string[]> => activitiesIn(await historyOf(handle));

/** The activities a reset run did after the point it was reset to. */
export async function doneAgain(handle: ReviewHandle): Promise<string[]> {
  const events = await historyOf(handle);
  const at = events.findLastIndex(
    ({ workflowTaskFailedEventAttributes: failed }) => failed?.newRunId !== undefined && failed.newRunId !== '',
  );
  if (at < 0) throw new Error('This run was not reset.');
  return activitiesIn(events.slice(at));
}
