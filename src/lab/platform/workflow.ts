/**
 * Temporal in the way of common samples, for comparison: an approval is a signal with a boolean, the effect is an
 * activity with retries, and what Temporal promises is all there is. The three platform arms differ in the key alone.
 */
import { condition, defineQuery, defineSignal, proxyActivities, setHandler } from '@temporalio/workflow';
import type { CaseInput } from '../../core/case.ts';
import type { PlatformActivities } from './activities.ts';

/** Retried as samples do; bounded, so that a run ends. A dead worker is noticed as early as the product notices it. */
const { draft, record } = proxyActivities<PlatformActivities>({
  startToCloseTimeout: '60 seconds',
  heartbeatTimeout: '2 seconds',
  retry: { initialInterval: '200 milliseconds', backoffCoefficient: 2, maximumAttempts: 5 },
});

/** A case whose body may still have to be drafted. */
export type PlatformCase = Omit<CaseInput, 'body'> & { readonly body?: string };

export const approvalSignal = defineSignal<[{ readonly approved: boolean; readonly reviewer: string }]>('approval');
export const editSignal = defineSignal<[Partial<CaseInput>]>('edit');
export const shownQuery = defineQuery<{ readonly phase: Phase; readonly content: CaseInput | null }>('shown');

type Phase = 'drafting' | 'waiting' | 'executing' | 'ended';

export interface PlatformResult {
  readonly status: 'Committed' | 'Declined' | 'Expired';
}

/** Milliseconds until the deadline of a case; `undefined`: it has none. */
function remaining({ expiresAt }: PlatformCase): number | undefined {
  return expiresAt === undefined ? undefined : Math.max(1, Date.parse(expiresAt) - Date.now());
}

export async function platformReview(given: PlatformCase): Promise<PlatformResult> {
  let phase: Phase = 'drafting';
  let content: CaseInput | null = null;
  let approved: boolean | null = null;
  setHandler(approvalSignal, (message) => {
    approved = message.approved;
  });
  setHandler(editSignal, (change) => {
    if (content) content = { ...content, ...change };
  });
  setHandler(shownQuery, () => ({ phase, content }));

  content = { ...given, body: given.body ?? (await draft(given)) };
  phase = 'waiting';
  const wait = remaining(given);
  const decided = (): boolean => approved !== null;
  const inTime = wait === undefined ? await condition(decided).then(() => true) : await condition(decided, wait);
  if (!inTime) return { status: 'Expired' };
  if (!approved) return { status: 'Declined' };
  phase = 'executing';
  await record(content);
  phase = 'ended';
  return { status: 'Committed' };
}
