/** The sweep as a workflow, so that a Temporal Schedule can run it: one activity over a bounded batch. */
import { proxyActivities } from '@temporalio/workflow';
import type { Activities, SweepCounts } from '../activities/index.ts';

const { sweep } = proxyActivities<Pick<Activities, 'sweep'>>({
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: '10 seconds',
  // The next scheduled sweep finds what this one left.
  retry: { maximumAttempts: 3, initialInterval: '5 seconds', backoffCoefficient: 2 },
});

const defaultLimit = 1_000;

/** Workflow type `sweepLedger`; `limit`: the most operations one sweep looks at (1 to 100,000; default 1,000). */
export async function sweepLedger(limit?: unknown): Promise<SweepCounts> {
  const bounded =
    typeof limit === 'number' && Number.isSafeInteger(limit) && limit >= 1 ? Math.min(limit, 100_000) : defaultLimit;
  return sweep({ limit: bounded });
}
