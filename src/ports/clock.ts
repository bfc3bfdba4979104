/** The wall clock, as a port so that tests can move it. The ledger turns it into ledger time, which never goes back. */
export interface Clock {
  /** Milliseconds since the epoch, UTC. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };
