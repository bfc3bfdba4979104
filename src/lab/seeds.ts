/** Everything random in the lab comes from its seed. */

/** mulberry32: small, and the same everywhere. Answers numbers from 0 up to, not including, 1. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The same things in an order that the seed gives. */
export function shuffled<T>(things: readonly T[], random: () => number): T[] {
  const keyed = things.map((thing) => ({ thing, key: random() }));
  return keyed.toSorted((a, b) => a.key - b.key).map(({ thing }) => thing);
}
