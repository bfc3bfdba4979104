// Cases without a body: the drafter is asked once, its answer is what is proposed, and nothing else asks it.
import { describe, expect, test } from 'vitest';
import type { UndraftedCase } from '../../src/core/case.ts';
import { scriptedDrafter } from '../../src/drafter/scripted.ts';
import { draftRequestId } from '../../src/identity/index.ts';
import { explain } from '../../src/operations/explain.ts';
import { drive } from '../../src/operations/drive.ts';
import { sweep } from '../../src/operations/sweep.ts';
import type { Drafter } from '../../src/ports/drafter.ts';
import { PortsWorld, undrafted } from '../support/ports-world.ts';
import { temporaryDirectory } from '../support/temporary.ts';

const root = temporaryDirectory();

/** A drafter whose every text is another one, and what it was asked. */
function counted(answer = (call: number): string => `draft ${call}`) {
  const asked: UndraftedCase[] = [];
  const drafter = scriptedDrafter((request, call) => {
    asked.push(request);
    return answer(call);
  });
  return { drafter, asked };
}

function made(answer?: (call: number) => string) {
  const { drafter, asked } = counted(answer);
  return { world: new PortsWorld(root, { drafter }), asked };
}

const failing = (message: string): Drafter => ({ name: 'failing', draft: () => Promise.reject(new Error(message)) });

describe('a case without a body', () => {
  test('is proposed with what the drafter wrote, and the call is on record before the proposal', async () => {
    const { world, asked } = made(() => 'one\r\ntwo');
    const given = undrafted({ eventId: 'evt-1' });

    const { outcome, operationId, proposal } = await world.proposeGiven(given);

    expect(outcome).toBe('admitted');
    expect(asked).toEqual([given]);
    expect(proposal).toMatchObject({ operationId, body: 'one\ntwo', eventId: 'evt-1', checks: [], humanEdited: false });
    const { draft } = await world.ports.ledger.draftOf(draftRequestId(given));
    expect(draft).toMatchObject({ caseId: 'T-1042', drafter: 'scripted', body: 'one\ntwo' });
    const [drafted] = await world.ports.ledger.journal('ledger');
    const [proposed] = await world.ports.ledger.journal(operationId);
    expect([drafted?.what, proposed?.what]).toEqual(['drafted', 'proposed']);
    expect(drafted!.sequence).toBeLessThan(proposed!.sequence);
  });

  test('delivered again is the same proposal, whether or not anybody could draft it now', async () => {
    const { world, asked } = made();
    const { operationId } = await world.proposeGiven(undrafted());
    const before = world.both();
    for (const drafter of [world.ports.drafter, null, failing('not now')]) {
      expect(await world.proposeGiven(undrafted(), drafter)).toMatchObject({ outcome: 'duplicate', operationId });
    }
    expect(asked).toHaveLength(1);
    expect(world.both()).toEqual(before);
  });

  test('is malformed where no drafter is configured and none ever drafted it', async () => {
    const world = new PortsWorld(root);
    const before = world.both();
    const fault = { code: 'malformed_input', pointer: '/body', message: '/body is missing' };
    await expect(world.proposeGiven(undrafted())).rejects.toMatchObject(fault);
    await expect(world.proposeGiven(undrafted())).rejects.toMatchObject({
      hint: expect.stringContaining('where a drafter is configured') as string,
    });
    expect(world.both()).toEqual(before);
  });

  test('that is malformed in another way never reaches the drafter', async () => {
    const { world, asked } = made();
    const before = world.both();
    const refused = (input: unknown, pointer: string) =>
      expect(world.proposeGiven(input)).rejects.toMatchObject({ code: 'malformed_input', pointer });
    await refused({ ...undrafted(), checks: [] }, '/checks');
    await refused({ ...undrafted(), body: undefined }, '/body');
    await refused({ ...undrafted(), evidence: {} }, '/evidence');
    await refused({ ...undrafted(), approved: true }, '/approved');
    await refused(7, '');
    expect(asked).toEqual([]);
    expect(world.both()).toEqual(before);
  });

  test('with a body needs no drafter, and asks none', async () => {
    const { world, asked } = made();
    expect((await world.propose()).proposal).toMatchObject({ body: 'the draft' });
    expect(asked).toEqual([]);
    expect(await world.ports.ledger.draftRequests()).toEqual([]);
  });

  test('under another event is another request: another draft, which the open case refuses', async () => {
    const { world, asked } = made();
    const { operationId } = await world.proposeGiven(undrafted({ eventId: 'evt-1' }));
    const second = await world.proposeGiven(undrafted({ eventId: 'evt-2' }));
    expect(second).toMatchObject({ outcome: 'case_open', proposal: { operationId, body: 'draft 1' } });
    expect(asked).toHaveLength(2);
  });

  test('asked for twice at the same time has one text: the first answer stands for both', async () => {
    const world = new PortsWorld(root);
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const slow = scriptedDrafter(async () => {
      await released;
      return 'the slow one';
    });
    const late = world.proposeGiven(undrafted(), slow);
    const first = await world.proposeGiven(
      undrafted(),
      scriptedDrafter(() => 'the fast one'),
    );
    release();
    expect(await late).toMatchObject({ outcome: 'duplicate', operationId: first.operationId });
    expect((await world.view(first.operationId)).operation.body).toBe('the fast one');
    expect(await world.ports.ledger.draftRequests()).toHaveLength(1);
  });
});

test('explain tells first who wrote the text, of the drafted proposal and of no revision of it', async () => {
  const { world } = made();
  const given = undrafted({ eventId: 'evt-1' });
  const { operationId } = await world.proposeGiven(given);
  const { draft } = await world.ports.ledger.draftOf(draftRequestId(given));
  const { proposal } = await world.revise(operationId, { body: 'a better text' });

  const [line, proposed] = (await explain(world.ports, operationId)).happened;
  const revised = await explain(world.ports, proposal!.operationId);

  expect(line).toEqual({
    text: 'Its text is what the drafter scripted wrote.',
    record: { table: 'drafts', key: draft!.requestId, at: new Date(draft!.draftedAtMs).toISOString() },
    contradicts: false,
  });
  expect(proposed?.text).toBe('The proposal was recorded, proposed by drafter.');
  expect(revised.happened.map(({ record }) => record.table)).not.toContain('drafts');
});

describe('a drafter', () => {
  test.each<[string, Drafter, RegExp]>([
    ['that fails', failing('overloaded'), /^The drafter failing failed: overloaded$/],
    ['that answers a lone surrogate', scriptedDrafter(() => 'x\ud800'), /\/body is not well-formed Unicode/],
    ['that answers U+0000', scriptedDrafter(() => 'x\0'), /\/body contains U\+0000/],
    ['that answers more than 128 KiB', scriptedDrafter(() => 'x'.repeat(128 * 1024 + 1)), /is larger than 128 KiB/],
    ['that answers no text', scriptedDrafter(() => 7 as never), /\/body must be a string, not 7/],
    ['that answers nothing', scriptedDrafter(() => undefined as never), /\/body is missing/],
  ])('%s is an error of its own, nothing is recorded, and it may be asked again', async (_what, drafter, message) => {
    const world = new PortsWorld(root);
    const before = world.both();
    await expect(world.proposeGiven(undrafted(), drafter)).rejects.toMatchObject({
      code: 'drafter_failed',
      message: expect.stringMatching(message) as string,
    });
    expect(world.both()).toEqual(before);

    const again = await world.proposeGiven(
      undrafted(),
      scriptedDrafter(() => 'better'),
    );
    expect(again).toMatchObject({ outcome: 'admitted', proposal: { body: 'better' } });
  });

  test('that changes its request changes nothing that is proposed', async () => {
    const world = new PortsWorld(root);
    const meddling = scriptedDrafter((request) => {
      (request.policy as Record<string, unknown>)['allowSelfApproval'] = true;
      return 'the draft';
    });
    const { proposal } = await world.proposeGiven(undrafted(), meddling);
    expect(proposal?.policy).toEqual(undrafted().policy);
  });

  test('is never asked by what follows the proposal: decision, effect, lost receipt, revision, sweep', async () => {
    const { world, asked } = made();
    const { operationId } = await world.proposeGiven(undrafted());
    const { proposal } = await world.revise(operationId, { body: 'a better text' });
    const revised = proposal!.operationId;
    await world.decide(revised, { reviewer: 'rosa' });
    world.failAt('complete.before-commit');
    await world.execute(revised).catch(() => 'the receipt is lost');
    expect((await world.reconcile(revised)).status.state).toBe('Completed');
    const passing = {
      alive: () => Promise.resolve(true),
      pass: async () => {
        await drive(world.ports, revised, 'command-3');
        return 'driven' as const;
      },
    };
    await sweep(world.ports, passing, { limit: 100 });
    // The very case again, after all of that: it is what it became.
    expect(await world.proposeGiven(undrafted())).toMatchObject({ outcome: 'duplicate', operationId });
    expect(asked).toHaveLength(1);
    expect(await world.ports.ledger.draftRequests()).toHaveLength(1);
  });
});
