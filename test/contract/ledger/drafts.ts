// Ledger contract: what a drafter answered is stored once per request, and journalled in the same transaction.
import { expect, test } from 'vitest';
import { draftDigest } from '../../../src/identity/index.ts';
import type { MakeWorld, World } from '../../support/ledger-world.ts';
import { unchanged } from './unchanged.ts';

const requestId = `draft-v1-${'a'.repeat(64)}`;

function keep(world: World, over: { requestId?: string; body?: string; askedAtMs?: number } = {}) {
  const asked = { requestId, caseId: 'T-1042', drafter: 'model-1', body: 'the draft', askedAtMs: world.clock.now() };
  return world.ledger.keepDraft({ ...asked, ...over });
}

export function drafts(make: MakeWorld): void {
  test('a request that nobody drafted has none, and looking changes nothing', async () => {
    const world = make();
    const answer = await unchanged(world, () => world.ledger.draftOf(requestId));
    expect(answer).toEqual({ draft: null, ledgerTimeMs: world.clock.now() });
    expect(await world.ledger.draftRequests()).toEqual([]);
  });

  test('a draft is stored with who was asked and when, and told in the journal by its digest', async () => {
    const world = make();
    const askedAtMs = world.clock.now();
    world.clock.advance(90_000);
    const body = '\ufeffProszę \u{1f512}\n';
    const kept = await keep(world, { body, askedAtMs });
    const draftedAtMs = askedAtMs + 90_000;
    expect(kept).toEqual({ requestId, caseId: 'T-1042', drafter: 'model-1', body, askedAtMs, draftedAtMs });
    expect((await world.ledger.draftOf(requestId)).draft).toEqual(kept);
    expect(await world.ledger.draftRequests()).toEqual([requestId]);
    const [record, ...others] = await world.ledger.journal('ledger');
    expect(others).toEqual([]);
    expect(record).toMatchObject({ what: 'drafted', actor: 'model-1', atMs: draftedAtMs });
    expect(JSON.parse(record?.detail ?? '')).toEqual({
      caseId: 'T-1042',
      requestId,
      drafter: 'model-1',
      sha256: draftDigest(body),
    });
  });

  test('the first answer to a request stays: a later one is given that, and nothing is written', async () => {
    const world = make();
    const first = await keep(world);
    world.clock.advance(1_000);
    expect(await unchanged(world, () => keep(world, { body: 'another draft' }))).toEqual(first);
    const beside = world.harness.reopen({});
    expect((await beside.draftOf(requestId)).draft).toEqual(first);
    expect(await beside.keepDraft({ ...first, body: 'a third draft' })).toEqual(first);
    beside.close();
  });

  test('another request is another draft', async () => {
    const world = make();
    await keep(world);
    const other = `draft-v1-${'b'.repeat(64)}`;
    expect((await keep(world, { requestId: other, body: 'another draft' })).body).toBe('another draft');
    expect(await world.ledger.draftRequests()).toEqual([requestId, other]);
    expect(await world.told('ledger')).toEqual(['drafted', 'drafted']);
  });

  test('a clock that went back while the drafter was at work does not lose the draft', async () => {
    const world = make();
    const askedAtMs = world.clock.now();
    world.clock.advance(-60_000);
    expect(await keep(world, { askedAtMs })).toMatchObject({
      askedAtMs: askedAtMs - 60_000,
      draftedAtMs: askedAtMs - 60_000,
    });
  });
}
