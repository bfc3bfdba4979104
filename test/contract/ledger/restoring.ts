// Ledger contract: a ledger that lacks what others have seen of it neither decides nor claims until a person looked.
import { expect, test } from 'vitest';
import type { MakeWorld } from '../../support/ledger-world.ts';
import { unchanged } from './unchanged.ts';

const lost = 'f'.repeat(64);

export function restoring(make: MakeWorld): void {
  test('a head that the ledger has changes nothing', async () => {
    const world = make();
    const operationId = await world.propose();
    const { headHash, generation } = await world.view(operationId);
    const witness = { subject: operationId, hash: headHash, generation, source: 'run 1' };
    await unchanged(world, () => world.ledger.witness(witness));
    await unchanged(world, () => world.ledger.refuseIfSuspect());
    expect(await unchanged(world, () => world.ledger.acceptRestore({ operator: 'olga', reason: 'x' }))).toEqual({
      accepted: false,
      generation: 0,
    });
  });

  test('a head that the ledger lacks stops every decision and claim, until a person accepts it', async () => {
    const world = make();
    const pending = await world.propose();
    const approved = await world.approved({ caseId: 'T-2' });
    const witness = { subject: pending, hash: lost, generation: 0, source: 'run 1' };
    const restored = { code: 'ledger_restored' };
    await expect(world.ledger.witness(witness)).rejects.toMatchObject(restored);
    await unchanged(world, () => expect(world.decide(pending)).rejects.toMatchObject(restored));
    await unchanged(world, () => expect(world.claim(approved)).rejects.toMatchObject(restored));
    await unchanged(world, () => expect(world.ledger.refuseIfSuspect()).rejects.toMatchObject(restored));
    // What was decided before is still told.
    expect((await world.decide(approved)).outcome).toBe('repeated');

    const accepted = await world.ledger.acceptRestore({ operator: 'olga', reason: 'restored on purpose' });
    expect(accepted).toEqual({ accepted: true, generation: 1 });
    expect(await world.told('ledger')).toEqual(['lacks a record', 'restoration accepted']);
    expect((await world.decide(pending)).outcome).toBe('recorded');
    expect((await world.claim(approved)).outcome).toBe('claimed');
    // The same loss is not missed again, by whoever else saw it before.
    await world.ledger.witness({ ...witness, generation: null });
    await world.ledger.witness({ ...witness, hash: 'e'.repeat(64) });
  });

  test('a copy from before an accepted restoration is an older copy, too', async () => {
    const world = make();
    const operationId = await world.propose();
    const { headHash } = await world.view(operationId);
    const later = { subject: operationId, hash: headHash, generation: 1, source: 'run 1' };
    await expect(world.ledger.witness(later)).rejects.toMatchObject({ code: 'ledger_restored' });
  });
}
