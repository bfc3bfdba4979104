/** What was expected against what was observed. Nothing else decides how the demonstration ends. */
import { ExitCodes } from '../../core/outcomes.ts';

export type Value = string | number | boolean;

export interface Expectation<Name extends string = string> {
  readonly name: Name;
  readonly says: string;
  readonly expected: Value;
}

export interface Check extends Expectation {
  /** `null`: the demonstration did not come that far. */
  readonly observed: Value | null;
  readonly agree: boolean;
}

/** Observations by the name of their expectation; one that is made twice or is not expected is a fault of the program. */
export class Observations<Name extends string> {
  private readonly made = new Map<string, Value>();
  private readonly expectations: readonly Expectation<Name>[];

  constructor(expectations: readonly Expectation<Name>[]) {
    this.expectations = expectations;
  }

  observe(name: Name, value: Value): void {
    if (this.made.has(name)) throw new Error(`${name} was observed twice.`);
    if (!this.expectations.some((expectation) => expectation.name === name))
      throw new Error(`${name} is not expected.`);
    this.made.set(name, value);
  }

  /** Every expectation has a row; one without an observation disagrees. */
  checks(): Check[] {
    return this.expectations.map((expectation) => {
      const observed = this.made.get(expectation.name) ?? null;
      return { ...expectation, observed, agree: observed === expectation.expected };
    });
  }
}

/** 0 only where there are checks and all of them agree. */
export function exitCodeOfChecks(checks: readonly Check[]): number {
  return checks.length > 0 && checks.every(({ agree }) => agree) ? ExitCodes.done : ExitCodes.internal;
}
