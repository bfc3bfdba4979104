/**
 * THE WRONG WAY, on purpose: what one writes first. The approval is real and Temporal keeps all it promises, but the
 * effect has no identity of its own (see worker.ts). For the demonstration only; nothing else imports it.
 */
import { condition, defineSignal, proxyActivities, setHandler } from '@temporalio/workflow';

export interface NaiveActivities {
  record(body: string): Promise<void>;
}

/** Temporal's ordinary retries: again and again until the activity answers. A dead worker is noticed as early as ours. */
const { record } = proxyActivities<NaiveActivities>({
  startToCloseTimeout: '60 seconds',
  heartbeatTimeout: '2 seconds',
  retry: { initialInterval: '100 milliseconds', backoffCoefficient: 2 },
});

const approval = defineSignal<[{ readonly approved: boolean }]>('approval');

/** Waits for an approval, then records the review. `effectCount` is what it believes. */
export async function recordWithRandomKey(review: { readonly body: string }): Promise<object> {
  let approved = false;
  setHandler(approval, (message) => {
    approved ||= message.approved;
  });
  await condition(() => approved);
  await record(review.body);
  return { status: 'Committed', effectCount: 1 };
}
