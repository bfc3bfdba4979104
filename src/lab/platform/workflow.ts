/**
 * Temporal in the way of common samples, for comparison: an approval is a signal with a boolean, the effect is an
 * activity with retries, and what Temporal promises is all there is. The three platform arms differ in the key alone.
 */
import { condition, defineQuery, defineSignal, proxyActivities, setHandler } from '@temporalio/workflow';
import type { CaseInput } from '../../core/case.ts';
import type { PlatformActivities } from './activities.ts';
import type { PlatformCase } from './case.ts';

/** Retried as samples do; bounded, so that a run ends. A dead worker is noticed as early as the product notices it. */
const { draft, record } = proxyActivities<PlatformActivities>({
  startToCloseTimeout: '60 seconds',
  heartbeatTimeout: '2 seconds',
  retry: { initialInterval: '200 milliseconds', backoffCoefficient: 2, maximumAttempts: 5 },
});

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

interface State {
  phase: Phase;
  content: CaseInput | null;
  approved: boolean | null;
}

/** Waits for a decision until the deadline, if there is one; `null`: nobody decided in time. */
async function decision(state: State, given: PlatformCase): Promise<boolean | null> {
  const wait = remaining(given);
  const decided = (): boolean => state.approved !== null;
  if (wait === undefined) await condition(decided);
  else if (!(await condition(decided, wait))) return null;
  return state.approved;
}

export async function platformReview(given: PlatformCase): Promise<PlatformResult> {
  const state: State = { phase: 'drafting', content: null, approved: null };
  setHandler(approvalSignal, ({ approved }) => {
    state.approved = approved;
  });
  setHandler(editSignal, (change) => {
    if (state.content) state.content = { ...state.content, ...change };
  });
  setHandler(shownQuery, () => ({ phase: state.phase, content: state.content }));

  const first: CaseInput = { ...given, body: given.body ?? (await draft(given)) };
  state.content = first;
  state.phase = 'waiting';
  const approved = await decision(state, given);
  if (approved === null) return { status: 'Expired' };
  if (!approved) return { status: 'Declined' };
  state.phase = 'executing';
  // An edit may have come since.
  const latest = (): CaseInput => state.content ?? first;
  await record(latest());
  state.phase = 'ended';
  return { status: 'Committed' };
}
