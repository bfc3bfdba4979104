import { expect } from 'vitest';
import { verify } from '../../src/operations/verify.ts';
import { databases, type Environment } from '../support/temporal.ts';

/** One decision, one effect, so many attempts, and nothing that `verify` finds. */
export async function expectOneEffect(at: Environment, operationId: string, attempts = 1): Promise<void> {
  expect(databases.operation(at.paths, operationId)).toMatchObject({ state: 'Completed', attempts });
  expect(databases.effectsOf(at.paths, operationId)).toBe(1);
  expect(databases.effects(at.paths)).toBe(1);
  expect(databases.decisions(at.paths)).toHaveLength(1);
  expect((await verify(at.ports)).faults).toStrictEqual([]);
}
