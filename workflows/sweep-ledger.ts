/**
 * The sweep as a workflow, so that a Temporal Schedule can run it: one activity over a bounded batch, and a run of its own
 * for each batch, until everything was looked at.
 */
import { continueAsNew, proxyActivities } from '@temporalio/workflow';
import type { Activities, SweepCounts } from '../activities/index.ts';

const { sweep } = proxyActivities<Pick<Activities, 'sweep'>>({
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: '10 seconds',
  // The next scheduled sweep finds what this one left.
  retry: { maximumAttempts: 3, initialInterval: '5 seconds', backoffCoefficient: 2 },
});

const defaultLimit = 1_000;

const wholeNumber = (value: unknown, least: number): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= least;

/**
 * Workflow type `sweepLedger`; `limit`: the most operations of one batch (1 to 100,000; default 1,000); `from`: where a
 * run before this one stopped. A sweep that always began anew would never come to what is behind the first batch.
 */
export async function sweepLedger(limit?: unknown, from?: unknown): Promise<SweepCounts> {
  const bounded = wholeNumber(limit, 1) ? Math.min(limit, 100_000) : defaultLimit;
  const counts = await sweep({ limit: bounded, from: wholeNumber(from, 0) ? from : null });
  if (counts.next === null) return counts;
  return continueAsNew<typeof sweepLedger>(bounded, counts.next);
}
