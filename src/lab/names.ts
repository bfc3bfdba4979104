/** The lab's vocabulary: arms, lanes, promises, verdicts. Data only. */

export const armNames = ['platform-naive', 'platform-run-key', 'platform-operation-key', 'ledger', 'both'] as const;
export type ArmName = (typeof armNames)[number];

/** What each arm is, as the report says it. */
export const arms: Readonly<Record<ArmName, string>> = {
  'platform-naive':
    'Temporal alone in the way of common samples: an approval signal without identity, an effect activity with retries, a random key per attempt.',
  'platform-run-key': 'The same workflow; the receiver’s key is run id and activity id, as commonly advised.',
  'platform-operation-key':
    'The same workflow; the receiver’s key is the operation identity. Engine retries, no ledger.',
  ledger: 'The application driver: the ledger alone, no engine; somebody has to run the next command.',
  both: 'The product: Temporal schedules, the ledger decides, the receiver testifies.',
};

export const armHasEngine = (arm: ArmName): boolean => arm !== 'ledger';
export const armHasLedger = (arm: ArmName): boolean => arm === 'ledger' || arm === 'both';

/** One lane per authority and actor in a timeline. */
export const lanes = ['approver', 'person', 'engine', 'worker', 'ledger', 'receiver', 'model', 'fault'] as const;
export type Lane = (typeof lanes)[number];

export const promiseNames = [
  'at-most-one-effect',
  'only-what-was-approved',
  'decision-is-kept',
  'no-invented-outcome',
  'no-work-lost',
] as const;
export type PromiseName = (typeof promiseNames)[number];

export const promises: Readonly<Record<PromiseName, string>> = {
  'at-most-one-effect': 'At most one effect for one reviewed content.',
  'only-what-was-approved':
    'No effect without an approval of exactly that content that still held when the effect was sent: not expired, not revoked, the object unchanged and not in the hands of another operation.',
  'decision-is-kept': 'A decision that was acknowledged is on record at the end, and no second one contradicts it.',
  'no-invented-outcome': 'Nobody reports an effect that did not happen, or reports as failed one that did.',
  'no-work-lost': 'An acknowledged approval ends in its effect, in a reason why not, or is shown as open or unknown.',
};

/** From best to worst; a cell’s verdict is its worst promise. */
export const verdicts = ['held', 'unknown', 'violated'] as const;
export type Verdict = (typeof verdicts)[number];

export const worst = (given: readonly Verdict[]): Verdict =>
  verdicts.findLast((verdict) => given.includes(verdict)) ?? 'unknown';
