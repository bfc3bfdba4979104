import { expect } from 'vitest';
import type { World } from '../../support/ledger-world.ts';

/** Runs `act` and fails if it wrote anything at all. */
export async function unchanged<T>(world: World, act: () => Promise<T>): Promise<T> {
  const before = world.harness.dump();
  const answer = await act();
  expect(world.harness.dump()).toEqual(before);
  return answer;
}

/** Runs `act` and fails unless it wrote exactly one journal record, `what` about `subject`, and nothing else. */
export async function journaled<T>(world: World, subject: string, what: string, act: () => Promise<T>): Promise<T> {
  const before = world.harness.dump() as Record<string, unknown[]>;
  const told = await world.told(subject);
  const answer = await act();
  expect(await world.told(subject)).toEqual([...told, what]);
  const after = world.harness.dump() as Record<string, unknown[]>;
  for (const table of Object.keys(before)) {
    // The journal, and a store's own count of it, are all that a refusal may touch.
    if (table === 'journal' || table === 'sqlite_sequence') continue;
    expect({ [table]: after[table] }).toEqual({ [table]: before[table] });
  }
  expect(after['journal']).toHaveLength((before['journal'] ?? []).length + 1);
  return answer;
}
