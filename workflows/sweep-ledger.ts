/** The sweep as a workflow, so that a Temporal Schedule can run it: one activity over a bounded batch. */
import { proxyActivities } from '@temporalio/workflow';
import type { Activities, SweepCounts } from '../activities/index.ts';

const { sweep } = proxyActivities<Pick<Activities, 'sweep'>>({
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: '10 seconds',
  // The next scheduled sweep finds what this one left.
  retry: { maximumAttempts: 3, initialInterval: '5 seconds', backoffCoefficient: 2 },
});

/** Workflow type `sweepLedger`; `limit`: the most operations one sweep looks at. */
export async function sweepLedger(limit: number): Promise<SweepCounts> {
  return sweep({ limit });
}
