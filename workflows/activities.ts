/** The activities as a run calls them, with every timeout and retry policy written out. Types only cross from there. */
import { ActivityCancellationType, proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';

/**
 * Ledger steps: short, idempotent, answered within the workflow task, so an update needs no second server round trip.
 * They are retried without end: a signal that the server acknowledged must not be lost because the disk was full. Past
 * the threshold a retry waits for a timer: a workflow task kept open instead adds events every few seconds (a run would
 * reach its history limit within two days), answers queries late, and keeps the worker from shutting down.
 */
export const ledger = proxyLocalActivities<
  Pick<Activities, 'propose' | 'decide' | 'revise' | 'withdraw' | 'resolve' | 'readState'>
>({
  startToCloseTimeout: '20 seconds',
  retry: { initialInterval: '100 milliseconds', backoffCoefficient: 2, maximumInterval: '2 minutes' },
  localRetryThreshold: '1 second',
});

/**
 * One attempt: what follows a missing receipt is a question to the receiver, not another sending. The heartbeat shows a
 * dead worker within seconds; the long timeout only bounds an attempt whose worker lives.
 */
export const { execute } = proxyActivities<Pick<Activities, 'execute'>>({
  startToCloseTimeout: '60 seconds',
  heartbeatTimeout: '2 seconds',
  retry: { maximumAttempts: 1 },
});

/**
 * A model may take minutes; a dead worker shows within seconds. Retried without end, as a ledger step is: whoever does not
 * want to wait cancels the run, which does not wait for the answer.
 */
export const { draft } = proxyActivities<Pick<Activities, 'draft'>>({
  startToCloseTimeout: '30 minutes',
  heartbeatTimeout: '2 seconds',
  cancellationType: ActivityCancellationType.TRY_CANCEL,
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '2 minutes' },
});

/** Read-only at the receiver, so it may be retried freely. */
export const { reconcile } = proxyActivities<Pick<Activities, 'reconcile'>>({
  startToCloseTimeout: '60 seconds',
  heartbeatTimeout: '2 seconds',
  retry: { initialInterval: '500 milliseconds', backoffCoefficient: 2, maximumInterval: '30 seconds' },
});
