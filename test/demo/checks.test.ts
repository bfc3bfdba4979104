/** Nothing but the comparison decides how the demonstration ends. */
import { describe, expect, it } from 'vitest';
import { exitCodeOfChecks, Observations, type Expectation } from '../../src/cli/demo/checks.ts';
import { expectations } from '../../src/cli/demo/expectations.ts';
import { checksTable } from '../../src/cli/demo/report.ts';

const two: readonly Expectation<'effects' | 'state'>[] = [
  { name: 'effects', says: 'effects at the receiver', expected: 1 },
  { name: 'state', says: 'the ledger says', expected: 'Completed' },
];

describe('the checks of the demonstration', () => {
  it('ends with 0 when every observation agrees', () => {
    const observations = new Observations(two);
    observations.observe('effects', 1);
    observations.observe('state', 'Completed');
    expect(exitCodeOfChecks(observations.checks())).toBe(0);
  });

  it('ends with 1 at a planted disagreement, and shows it', () => {
    const observations = new Observations(expectations);
    for (const { name, expected } of expectations)
      observations.observe(name, name === 'between.effects' ? 2 : expected);
    const checks = observations.checks();
    expect(checks.filter(({ agree }) => !agree)).toMatchObject([{ name: 'between.effects', expected: 1, observed: 2 }]);
    expect(exitCodeOfChecks(checks)).toBe(1);
    expect(checksTable(checks)).toMatch(/effects at the receiver +│ 1 +│ 2 +│ .*NO/);
  });

  it('does not take one type for another', () => {
    const observations = new Observations(two);
    observations.observe('effects', '1');
    expect(observations.checks()[0]).toMatchObject({ agree: false });
  });

  it('ends with 1 when something was not reached', () => {
    const observations = new Observations(two);
    observations.observe('effects', 1);
    expect(observations.checks()[1]).toMatchObject({ observed: null, agree: false });
    expect(exitCodeOfChecks(observations.checks())).toBe(1);
  });

  it('ends with 1 when nothing is expected at all', () => {
    expect(exitCodeOfChecks([])).toBe(1);
  });

  it('observes each expectation once', () => {
    const observations = new Observations(two);
    observations.observe('effects', 1);
    expect(() => observations.observe('effects', 2)).toThrow('twice');
  });

  it('names every expectation differently', () => {
    expect(new Set(expectations.map(({ name }) => name)).size).toBe(expectations.length);
  });
});
