// Evidence: a receipt or a look in every state, for the newest attempt and for an older one.
import { describe, expect, test } from 'vitest';
import { judgeLook, judgeReceipt } from '../../src/core/evidence.ts';
import { stateNames, type State } from '../../src/core/states.ts';
import { operation } from './samples.ts';

const holding = (state: State): boolean => state === 'Executing' || state === 'Unknown';
const made = (state: State) => operation({ state, attempts: 2 });

/** In which states evidence of an effect is against the record: all that say there is none. */
const against = (state: State): boolean => !holding(state) && state !== 'Completed';

describe.each(stateNames)('in state %s', (state) => {
  test.each([1, 2])(
    'a receipt of attempt %i completes what is still open, and contradicts what says "no effect"',
    (n) => {
      const verdict = { event: holding(state) ? 'matching_evidence' : null, contradiction: against(state) };
      expect(judgeReceipt(made(state), n, 'created')).toEqual(verdict);
      expect(judgeReceipt(made(state), n, 'exists')).toEqual(verdict);
      expect(judgeLook(made(state), n, 'matching', true)).toEqual(verdict);
      expect(judgeLook(made(state), n, 'matching', false)).toEqual(verdict);
    },
  );

  test.each([1, 2])('a conflict about attempt %i moves only the newest attempt and contradicts only Completed', (n) => {
    const verdict = {
      event: holding(state) && n === 2 ? 'no_evidence' : null,
      contradiction: state === 'Completed',
    };
    expect(judgeReceipt(made(state), n, 'conflict')).toEqual(verdict);
    expect(judgeLook(made(state), n, 'conflict', true)).toEqual(verdict);
  });

  test.each([1, 2])(
    'an absence about attempt %i moves only the newest attempt; as proof it contradicts Completed',
    (n) => {
      const event = holding(state) && n === 2 ? 'no_evidence' : null;
      expect(judgeLook(made(state), n, 'absent', true)).toEqual({ event, contradiction: state === 'Completed' });
      expect(judgeLook(made(state), n, 'absent', false)).toEqual({ event, contradiction: false });
    },
  );

  test.each([1, 2])('a receiver that cannot be asked about attempt %i contradicts nothing', (n) => {
    const event = holding(state) && n === 2 ? 'no_evidence' : null;
    expect(judgeLook(made(state), n, 'unavailable', true)).toEqual({ event, contradiction: false });
  });
});
