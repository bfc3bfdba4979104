/** A clock that moves only when a test moves it. */
import type { Clock } from '../../src/ports/clock.ts';

export const noonMs = Date.UTC(2026, 10, 30, 12);

export class ManualClock implements Clock {
  private ms: number;

  constructor(ms: number = noonMs) {
    this.ms = ms;
  }

  now(): number {
    return this.ms;
  }

  /** A negative number moves it back. */
  advance(ms: number): void {
    this.ms += ms;
  }
}
