// The transition table against the text of contract section 4, for every state and every event.
import { expect, test } from 'vitest';
import {
  Events,
  States,
  holdingStates,
  holdsObject,
  isFinal,
  isOpen,
  nextState,
  openStates,
  stateNames,
  transitions,
  type State,
} from '../../src/core/states.ts';

/** Section 4, sentence by sentence: from, event, to. Everything that is not here must change nothing. */
const contract: readonly (readonly [from: string, event: string, to: string])[] = [
  // `Pending` → `Approved` | `Declined` | `Superseded` (revised, object version) | `Expired` | `Withdrawn` | `Denied`.
  ['Pending', 'approve', 'Approved'],
  ['Pending', 'decline', 'Declined'],
  ['Pending', 'revise', 'Superseded'],
  ['Pending', 'object_changed', 'Superseded'],
  ['Pending', 'expire', 'Expired'],
  ['Pending', 'withdraw', 'Withdrawn'],
  ['Pending', 'deny', 'Denied'],
  // `Approved` → `Executing` (claim) | `Denied` | `Superseded` | `Expired` | `Withdrawn`.
  ['Approved', 'claim', 'Executing'],
  ['Approved', 'deny', 'Denied'],
  ['Approved', 'object_changed', 'Superseded'],
  ['Approved', 'expire', 'Expired'],
  ['Approved', 'withdraw', 'Withdrawn'],
  // `Executing` → `Completed` (receipt or matching evidence) | `Unknown` (no matching evidence, whatever the reason).
  ['Executing', 'matching_evidence', 'Completed'],
  ['Executing', 'no_evidence', 'Unknown'],
  // `Unknown` → `Completed` (matching evidence, `effect_happened`) | `Executing` (re-claim) | `Abandoned`.
  ['Unknown', 'matching_evidence', 'Completed'],
  ['Unknown', 'effect_happened', 'Completed'],
  ['Unknown', 'reclaim', 'Executing'],
  ['Unknown', 'abandon', 'Abandoned'],
  // A look that shows nothing again is stored and changes nothing.
  ['Unknown', 'no_evidence', 'Unknown'],
];

const allStates = [
  'Pending',
  'Approved',
  'Executing',
  'Unknown',
  'Completed',
  'Declined',
  'Superseded',
  'Expired',
  'Denied',
  'Withdrawn',
  'Abandoned',
];
const allEvents = Object.values(Events);

test('the table has exactly the states of the contract', () => {
  expect([...stateNames].sort()).toEqual([...allStates].sort());
  expect(Object.values(States).sort()).toEqual([...allStates].sort());
});

test('every event of the contract is known, and no other', () => {
  expect([...new Set(contract.map(([, event]) => event))].sort()).toEqual([...allEvents].sort());
});

const pairs = stateNames.flatMap((state) => allEvents.map((event) => [state, event] as const));

test.each(pairs)('%s on %s leads where the contract says', (state, event) => {
  const expected = contract.find(([from, what]) => from === state && what === event)?.[2] ?? null;
  expect(nextState(state, event)).toBe(expected);
});

test('the table itself lists no transition that the contract does not', () => {
  const listed = stateNames.flatMap((from) =>
    Object.entries(transitions[from]).map(([event, to]) => [from, event, to]),
  );
  expect(listed.map(String).sort()).toEqual(contract.map(String).sort());
});

const final = ['Completed', 'Declined', 'Superseded', 'Expired', 'Denied', 'Withdrawn', 'Abandoned'];

test.each(stateNames)('%s is final, open and holding as the contract says', (state) => {
  expect(isFinal(state)).toBe(final.includes(state));
  expect(isOpen(state)).toBe(!final.includes(state));
  expect(holdsObject(state)).toBe(state === 'Executing' || state === 'Unknown');
});

test('the lists of open and holding states agree with the predicates', () => {
  expect(openStates).toEqual(['Pending', 'Approved', 'Executing', 'Unknown']);
  expect(holdingStates).toEqual(['Executing', 'Unknown']);
});

test('after a first claim no sequence of events leads back before it', () => {
  const reached = new Set<State>(['Executing']);
  for (const state of reached) {
    for (const event of allEvents) {
      const next = nextState(state, event);
      if (next) reached.add(next);
    }
  }
  expect([...reached].sort()).toEqual(['Abandoned', 'Completed', 'Executing', 'Unknown']);
});

test('every state can be reached from Pending', () => {
  const reached = new Set<State>(['Pending']);
  for (const state of reached) {
    for (const event of allEvents) {
      const next = nextState(state, event);
      if (next) reached.add(next);
    }
  }
  expect([...reached].sort()).toEqual([...allStates].sort());
});
