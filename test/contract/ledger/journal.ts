// Ledger contract: one hash chain per subject, that anybody can recompute.
import { expect, test } from 'vitest';
import { chainStart, journalHash } from '../../../src/identity/journal.ts';
import type { Ledger } from '../../../src/ports/ledger.ts';
import type { MakeWorld } from '../../support/ledger-world.ts';

/** Recomputes every chain of a ledger; returns the number of records. */
export async function verifiedRecords(ledger: Ledger): Promise<number> {
  const sequences: number[] = [];
  for (const subject of await ledger.subjects()) {
    let previousHash = chainStart;
    for (const [index, record] of (await ledger.journal(subject)).entries()) {
      expect(record).toMatchObject({ subject, subjectSequence: index + 1, previousHash });
      expect(record.hash).toBe(journalHash(ledger.ledgerId, record));
      expect(() => JSON.parse(record.detail) as unknown).not.toThrow();
      sequences.push(record.sequence);
      previousHash = record.hash;
    }
  }
  expect(sequences.sort((a, b) => a - b)).toEqual(sequences.map((_, index) => index + 1));
  return sequences.length;
}

export function journal(make: MakeWorld): void {
  test('a whole life is one chain: every change and every refusal, in order, with who did it', async () => {
    const world = make();
    const operationId = await world.propose();
    await world.decide(operationId, { reviewer: 'drafter' });
    await world.decide(operationId);
    await world.decide(operationId, { approved: false, reviewer: 'rolf' });
    await world.claim(operationId);
    await world.observe(operationId, 1, 'unavailable');
    await world.resolve(operationId, 'ask_again');
    await world.observe(operationId, 1, 'matching');
    const chain = await world.ledger.journal(operationId);
    expect(chain.map(({ actor, what }) => `${actor}: ${what}`)).toEqual([
      'drafter: proposed',
      'drafter: decision refused: not_authorized',
      'rita: approved',
      'rolf: decision refused: conflicting_decision',
      'worker-1: claimed',
      'worker-1: look: unavailable',
      'olga: resolved: ask_again',
      'worker-1: look: matching',
    ]);
    expect((await world.view(operationId)).headHash).toBe(chain.at(-1)?.hash);
  });

  test('every chain can be recomputed, whoever it is about', async () => {
    const world = make();
    const first = await world.propose();
    await world.revise(first, 'better');
    await world.decide(`op-v1-${'0'.repeat(64)}`);
    await world.ledger.setObject({ objectId: 'ticket', version: 2, actor: 'olga' });
    await world.unknown({ caseId: 'T-2' });
    expect(await world.ledger.subjects()).toEqual(expect.arrayContaining(['ledger', 'object/ticket', first]));
    expect(await verifiedRecords(world.ledger)).toBe(9);
  });

  test('the time of a record never goes back within the ledger', async () => {
    const world = make();
    await world.propose();
    world.clock.advance(-1_000);
    await world.propose({ caseId: 'T-2' });
    world.clock.advance(3_000);
    await world.propose({ caseId: 'T-3' });
    const records = await Promise.all((await world.ledger.subjects()).map((subject) => world.ledger.journal(subject)));
    const times = records.flat().sort((a, b) => a.sequence - b.sequence);
    expect(times.map(({ atMs }) => atMs)).toEqual(times.map(({ atMs }) => atMs).sort((a, b) => a - b));
  });

  test('the same story in another ledger has other hashes: a chain cannot be taken over', async () => {
    const [left, right] = [make(), make()];
    const operationId = await left.propose();
    expect(await right.propose()).toBe(operationId);
    const heads = await Promise.all([left.view(operationId), right.view(operationId)]);
    expect(heads[0].headHash).not.toBe(heads[1].headHash);
  });
}
