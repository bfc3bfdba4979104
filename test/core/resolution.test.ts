// An operator's word: outcomes, their precedence, and what each word does at each kind of receiver.
import { describe, expect, test } from 'vitest';
import { resolveOutcomes } from '../../src/core/outcomes.ts';
import { judgeResolution, settledBy, type ResolveFacts } from '../../src/core/resolution.ts';
import { stateNames } from '../../src/core/states.ts';
import { testPrecedence } from './precedence.ts';
import { operation } from './samples.ts';

const unknown: ResolveFacts = {
  operation: operation({ state: 'Unknown', attempts: 1 }),
  authorized: true,
  resolution: 'ask_again',
  deduplicates: true,
};

testPrecedence<ResolveFacts, (typeof resolveOutcomes)[number]>({
  name: 'resolve',
  outcomes: resolveOutcomes,
  none: unknown,
  judge: (facts) => judgeResolution(facts).outcome,
  reasons: {
    unknown_operation: (facts) => ({ ...facts, operation: null }),
    not_authorized: (facts) => ({ ...facts, authorized: false }),
    not_unknown: (facts) => ({ ...facts, operation: operation({ state: 'Executing' }) }),
  },
  exclusive: [],
});

test.each(stateNames.filter((state) => state !== 'Unknown'))('an operation in state %s is not resolved', (state) => {
  const verdict = judgeResolution({ ...unknown, resolution: 'abandon', operation: operation({ state }) });
  expect(verdict).toEqual({ outcome: 'not_unknown', event: null });
});

describe.each([true, false])('at a receiver that deduplicates: %j', (deduplicates) => {
  test.each([
    ['effect_happened', 'effect_happened'],
    ['abandon', 'abandon'],
    ['ask_again', null],
    // "Did not happen" may be sent again where that cannot be a second effect; elsewhere the operation is given up.
    ['effect_did_not_happen', deduplicates ? null : 'abandon'],
  ] as const)('"%s" has the event %j', (resolution, event) => {
    expect(judgeResolution({ ...unknown, deduplicates, resolution })).toEqual({ outcome: 'resolved', event });
  });
});

describe('the same again', () => {
  const said = { resolution: 'abandon', operator: 'olga', reason: 'not there', reference: null } as const;
  const last = { ...said, sequence: 1, operationId: 'op', attempt: 1, resolvedAtMs: 0 };

  test('is the word on record that brought the operation where it is', () => {
    expect(settledBy('Abandoned', last, said)).toBe(true);
    const happened = { resolution: 'effect_happened', reference: 'row 7' } as const;
    expect(settledBy('Completed', { ...last, ...happened }, { ...said, ...happened })).toBe(true);
    const not = { resolution: 'effect_did_not_happen' } as const;
    expect(settledBy('Abandoned', { ...last, ...not }, { ...said, ...not })).toBe(true);
  });

  test('is no word that differs in what was said, by whom, or why', () => {
    for (const other of [
      { resolution: 'effect_did_not_happen' },
      { operator: 'oscar' },
      { reason: 'tired of it' },
      { reference: 'row 7' },
    ] as const) {
      expect(settledBy('Abandoned', last, { ...said, ...other })).toBe(false);
    }
  });

  test('is no word that settled nothing, and none where nothing was said', () => {
    const again = { ...said, resolution: 'ask_again' } as const;
    for (const state of stateNames) {
      expect(settledBy(state, undefined, said)).toBe(false);
      expect(settledBy(state, { ...last, ...again }, again)).toBe(false);
    }
    expect(settledBy('Unknown', last, said)).toBe(false);
  });
});
