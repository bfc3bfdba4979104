/**
 * The life of an operation as one table (contract, section 4). Stores, use cases and the docs' diagram all read it;
 * nothing else in the project says which state may follow which.
 */

export const States = {
  Pending: 'Pending',
  Approved: 'Approved',
  Executing: 'Executing',
  Unknown: 'Unknown',
  Completed: 'Completed',
  Declined: 'Declined',
  Superseded: 'Superseded',
  Expired: 'Expired',
  Denied: 'Denied',
  Withdrawn: 'Withdrawn',
  Abandoned: 'Abandoned',
} as const;
export type State = (typeof States)[keyof typeof States];

export const Events = {
  approve: 'approve',
  decline: 'decline',
  revise: 'revise',
  objectChanged: 'object_changed',
  expire: 'expire',
  deny: 'deny',
  withdraw: 'withdraw',
  claim: 'claim',
  reclaim: 'reclaim',
  matchingEvidence: 'matching_evidence',
  noEvidence: 'no_evidence',
  effectHappened: 'effect_happened',
  abandon: 'abandon',
} as const;
export type Event = (typeof Events)[keyof typeof Events];

type Row = Readonly<Partial<Record<Event, State>>>;

/**
 * state → event → next state. A missing entry means the event changes nothing in that state.
 *
 * Before the first claim an operation may still be refused for what it is; after it, only evidence, a re-claim of the
 * same payload or an operator can move it, because an attempt may still reach the receiver.
 */
export const transitions: Readonly<Record<State, Row>> = {
  Pending: {
    approve: 'Approved',
    decline: 'Declined',
    revise: 'Superseded',
    object_changed: 'Superseded',
    expire: 'Expired',
    deny: 'Denied',
    withdraw: 'Withdrawn',
  },
  Approved: {
    claim: 'Executing',
    object_changed: 'Superseded',
    expire: 'Expired',
    deny: 'Denied',
    withdraw: 'Withdrawn',
  },
  Executing: { matching_evidence: 'Completed', no_evidence: 'Unknown' },
  Unknown: {
    matching_evidence: 'Completed',
    effect_happened: 'Completed',
    no_evidence: 'Unknown',
    reclaim: 'Executing',
    abandon: 'Abandoned',
  },
  Completed: {},
  Declined: {},
  Superseded: {},
  Expired: {},
  Denied: {},
  Withdrawn: {},
  Abandoned: {},
};

/** The state after `event`, or `null` where the table has no such transition. */
export function nextState(state: State, event: Event): State | null {
  return transitions[state][event] ?? null;
}

/** No event leads out of a final state; later evidence is stored beside it as a contradiction. */
export function isFinal(state: State): boolean {
  return Object.keys(transitions[state]).length === 0;
}

/** An open operation keeps its case: a second content is refused until it is settled. */
export function isOpen(state: State): boolean {
  return !isFinal(state);
}

/** Executing and Unknown hold the object: an attempt may still land, so nobody else may claim it. */
export function holdsObject(state: State): boolean {
  return state === States.Executing || state === States.Unknown;
}

export const stateNames = Object.keys(transitions) as State[];
export const openStates = stateNames.filter(isOpen);
export const holdingStates = stateNames.filter(holdsObject);
