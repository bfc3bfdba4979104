/** What is compared with: an approval signal, then one activity. No identity, no ledger, no look at a receiver. */
import { condition, defineSignal, proxyActivities, setHandler } from '@temporalio/workflow';
import type { BareActivities } from './activities.ts';

export const goSignal = defineSignal('go');

const { insertOnce } = proxyActivities<BareActivities>({ startToCloseTimeout: '60 seconds' });

export async function bare(key: string): Promise<number> {
  let approved = false;
  setHandler(goSignal, () => {
    approved = true;
  });
  await condition(() => approved);
  return insertOnce(key);
}
