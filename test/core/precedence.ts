// "The first that applies is the answer" (contract section 5), shown for pairs of reasons that apply at once.
import { expect, test } from 'vitest';

/** Makes one reason apply, whatever other reasons were made to apply before. */
export type Reason<Facts> = (facts: Facts) => Facts;

export interface Precedence<Facts, Outcome extends string> {
  readonly name: string;
  /** All outcomes, in the order of the contract; the last one needs no reason. */
  readonly outcomes: readonly Outcome[];
  readonly none: Facts;
  readonly reasons: Readonly<Partial<Record<Outcome, Reason<Facts>>>>;
  /** Pairs `a b` that no stored state can have at once. */
  readonly exclusive: readonly string[];
  judge(facts: Facts): Outcome;
}

export function testPrecedence<Facts, Outcome extends string>(table: Precedence<Facts, Outcome>): void {
  const { name, outcomes, none, reasons, exclusive, judge } = table;
  const last = outcomes.at(-1);
  const named = outcomes.filter((outcome) => outcome !== last);

  test(`${name}: every refusal has a reason in this table`, () => {
    expect(Object.keys(reasons).sort()).toEqual([...named].sort());
  });

  test(`${name}: nothing in the way is ${String(last)}`, () => {
    expect(judge(none)).toBe(last);
  });

  test.each(named)(`${name}: its reason alone is %s`, (outcome) => {
    expect(judge(reasons[outcome]!(none))).toBe(outcome);
  });

  const pairs = named.flatMap((first, index) =>
    named
      .slice(index + 1)
      .filter((second) => !exclusive.includes(`${first} ${second}`))
      .map((second) => [first, second] as const),
  );
  test.each(pairs)(`${name}: %s wins over %s`, (first, second) => {
    expect(judge(reasons[first]!(reasons[second]!(none)))).toBe(first);
  });
}
