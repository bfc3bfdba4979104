// Ledger contract: admission.
import { expect, test } from 'vitest';
import type { CaseInput } from '../../../src/core/case.ts';
import { identify } from '../../../src/identity/index.ts';
import { noonMs } from '../../support/clock.ts';
import { sampleCase, type MakeWorld } from '../../support/ledger-world.ts';
import { journaled, unchanged } from './unchanged.ts';

const ticket = { id: 'ticket-1042', version: 3, scope: 'blue' };

export function admission(make: MakeWorld): void {
  test('a new case becomes a pending proposal with everything it said', async () => {
    const world = make();
    const content = sampleCase({
      object: ticket,
      checks: [{ name: 'clauses', result: 'passed' }],
      eventId: 'evt-1',
      expiresAt: '2026-12-24T12:00:00.000Z',
    });
    const run = { workflowId: 'review/T-1042', runId: 'run-1' };
    const { outcome, view } = await world.admit(content, run);
    expect(outcome).toBe('admitted');
    expect(view?.operation).toEqual({
      ...identify(content),
      payload: undefined,
      sequence: 1,
      caseId: 'T-1042',
      action: 'record_support_review',
      body: 'the draft',
      evidence: content.evidence,
      policy: content.policy,
      checks: content.checks,
      object: ticket,
      objectExplicit: true,
      eventId: 'evt-1',
      proposedBy: 'drafter',
      proposedAtMs: noonMs,
      humanEdited: false,
      expiresAtMs: Date.UTC(2026, 11, 24, 12),
      decideByMs: null,
      workflowVersion: 1,
      state: 'Pending',
      attempts: 0,
      revisionOf: null,
      revisedTo: null,
      ...run,
    });
    expect(view).toMatchObject({
      decision: null,
      attempts: [],
      observations: [],
      resolutions: [],
      object: { objectId: 'ticket-1042', version: 3, scope: 'blue', permitted: true },
      heldBy: null,
    });
    expect(await world.told(view!.operation.operationId)).toEqual(['proposed']);
  });

  test('without an object, an event or a proposer the case stands for itself', async () => {
    const world = make();
    const { proposedBy: _nobody, ...content } = sampleCase();
    const { view } = await world.ledger.admit({ case: content, identity: identify(content), run: null });
    expect(view?.operation).toMatchObject({
      object: { id: 'T-1042', version: 1, scope: 'default' },
      objectExplicit: false,
      eventId: view?.operation.operationId,
      proposedBy: null,
      workflowId: null,
      runId: null,
    });
  });

  test('text is stored as the characters that were hashed', async () => {
    const world = make();
    const body = '\ufeffé e\u0301 \u{1f512}\u202e\n  trailing  ';
    const { view } = await world.admit({ body });
    expect(view?.operation.body).toBe(body);
  });

  test('time to decide counts from admission; the deployment can only shorten it', async () => {
    const minimums = { '*': { decisionTtlSecondsAtMost: 60 } };
    const long = await make({ minimums }).admit({ policy: { decisionTtlSeconds: 3600 } });
    expect(long.view?.operation.decideByMs).toBe(noonMs + 60_000);
    const short = await make({ minimums }).admit({ policy: { decisionTtlSeconds: 5 } });
    expect(short.view?.operation.decideByMs).toBe(noonMs + 5_000);
    expect((await make().admit({ policy: { decisionTtlSeconds: 5 } })).view?.operation.decideByMs).toBe(noonMs + 5_000);
  });

  test('the same case again is a duplicate and writes nothing new', async () => {
    const world = make();
    const operationId = await world.propose();
    const { outcome, view } = await unchanged(world, () => world.admit({}, { workflowId: 'w', runId: 'r' }));
    expect(outcome).toBe('duplicate');
    expect(view?.operation).toMatchObject({ operationId, state: 'Pending', workflowId: null });
  });

  test('a case that was settled is a duplicate with its stored outcome', async () => {
    const world = make();
    const operationId = await world.executing();
    await world.complete(operationId, 1);
    const { outcome, view } = await unchanged(world, () => world.admit());
    expect(outcome).toBe('duplicate');
    expect(view?.operation.state).toBe('Completed');
  });

  test('known content under a new event is a duplicate, and the event is taken from then on', async () => {
    const world = make();
    const operationId = await world.propose({ eventId: 'evt-1' });
    expect((await world.admit({ eventId: 'evt-2' })).outcome).toBe('duplicate');
    expect(await world.told(operationId)).toEqual(['proposed', 'delivered again']);
    expect((await unchanged(world, () => world.admit({ eventId: 'evt-2' }))).outcome).toBe('duplicate');
    expect((await world.admit({ caseId: 'T-2', eventId: 'evt-2' })).outcome).toBe('event_conflict');
  });

  test('an event that brought another operation is a conflict, told on the chain of its owner', async () => {
    const world = make();
    const owner = await world.propose({ eventId: 'evt-1' });
    const act = () => world.admit({ caseId: 'T-2', eventId: 'evt-1' });
    const { outcome, view } = await journaled(world, owner, 'admission refused: event_conflict', act);
    expect(outcome).toBe('event_conflict');
    expect(view?.operation.operationId).toBe(owner);
  });

  test('a refusal that is repeated without pause is told once', async () => {
    const world = make();
    const owner = await world.propose({ eventId: 'evt-1' });
    const act = () => world.admit({ caseId: 'T-2', eventId: 'evt-1' });
    await act();
    await unchanged(world, act);
    expect(await world.told(owner)).toEqual(['proposed', 'admission refused: event_conflict']);
  });

  test('a workflow version that is not supported is refused before anything else, and told in the chain "ledger"', async () => {
    const world = make();
    const what = 'admission refused: unsupported_workflow_version';
    const { outcome, view } = await journaled(world, 'ledger', what, () => world.admit({ workflowVersion: 2 }));
    expect(outcome).toBe('unsupported_workflow_version');
    expect(view).toBeNull();
  });

  test('other content on an open case is refused, in every open state', async () => {
    for (const open of ['propose', 'approved', 'executing', 'unknown'] as const) {
      const world = make();
      const operationId = await world[open]();
      const act = () => world.admit({ body: 'another draft' });
      const { outcome, view } = await journaled(world, operationId, 'admission refused: case_open', act);
      expect(outcome).toBe('case_open');
      expect(view?.operation.operationId).toBe(operationId);
    }
  });

  test('other content on a settled case is admitted', async () => {
    const world = make();
    const operationId = await world.propose();
    await world.withdraw(operationId);
    const next = await world.propose({ body: 'another draft' });
    expect(await world.state(operationId)).toBe('Withdrawn');
    expect((await world.ledger.current('T-1042'))?.operation.operationId).toBe(next);
  });

  test('content that a revision superseded is not proposed again', async () => {
    const world = make();
    const first = await world.propose();
    const { currentOperationId: second } = await world.revise(first, 'better');
    await world.withdraw(second!);
    const act = () => world.admit({ eventId: 'evt-2' });
    const { outcome } = await journaled(world, first, 'admission refused: content_already_proposed', act);
    expect(outcome).toBe('content_already_proposed');
    // The very delivery that brought it is still a duplicate: it is answered with what is recorded.
    expect((await unchanged(world, () => world.admit())).outcome).toBe('duplicate');
  });

  test.each([
    ['denied', 'another scope', { ...ticket, scope: 'red' }, {}, 'Denied'],
    ['denied', 'no permission', ticket, { permitted: false }, 'Denied'],
    ['superseded', 'another version', { ...ticket, version: 4 }, {}, 'Superseded'],
  ] as const)(
    'a proposal is %s at once for %s of its object, and stays on record',
    async (outcome, _why, object, set, state) => {
      const world = make();
      await world.ledger.setObject({ objectId: ticket.id, version: 3, scope: 'blue', actor: 'olga', ...set });
      const answer = await world.admit({ object });
      expect(answer.outcome).toBe(outcome);
      expect(answer.view?.operation.state).toBe(state);
      expect(await world.told(answer.view!.operation.operationId)).toEqual(['proposed', outcome]);
      // It does not keep the case.
      expect((await world.admit({ body: 'another draft', object: ticket })).outcome).not.toBe('case_open');
    },
  );

  test('a proposal whose time is over is expired at once', async () => {
    const { outcome, view } = await make().admit({ expiresAt: '2026-11-30T12:00:00.000Z' });
    expect(outcome).toBe('expired');
    expect(view?.operation.state).toBe('Expired');
  });

  test('the first of several reasons is the answer', async () => {
    const world = make();
    await world.ledger.setObject({ objectId: ticket.id, version: 4, scope: 'red', actor: 'olga' });
    await world.propose({ caseId: 'T-2', eventId: 'evt-1' });
    const first = await world.propose();
    const { currentOperationId: open } = await world.revise(first, 'better');
    const everything: Partial<CaseInput> = {
      body: 'another draft',
      workflowVersion: 2,
      eventId: 'evt-1',
      object: ticket,
      expiresAt: '2026-11-30T11:00:00.000Z',
    };
    const outcome = async (over: Partial<CaseInput>) => (await world.admit({ ...everything, ...over })).outcome;
    const supported = { workflowVersion: 1 };
    expect(await outcome({})).toBe('unsupported_workflow_version');
    expect(await outcome(supported)).toBe('event_conflict');
    const event = { ...supported, eventId: 'evt-2' };
    expect(await outcome(event)).toBe('case_open');
    await world.withdraw(open!);
    expect((await world.admit({ eventId: 'evt-3' })).outcome).toBe('content_already_proposed');
    expect(await outcome(event)).toBe('denied');
    const scope = { object: { ...ticket, scope: 'red' } };
    expect(await outcome({ ...event, ...scope, eventId: 'evt-4' })).toBe('superseded');
    const version = { object: { ...ticket, scope: 'red', version: 4 } };
    expect(await outcome({ ...event, ...version, eventId: 'evt-5' })).toBe('expired');
  });

  test('a case that was refused leaves no object, event or operation behind', async () => {
    const world = make();
    await world.propose();
    await world.admit({ body: 'another draft', object: ticket, eventId: 'evt-9' });
    const operationId = await world.propose({ caseId: 'T-2', object: { ...ticket, version: 9 }, eventId: 'evt-9' });
    expect((await world.view(operationId)).object?.version).toBe(9);
  });

  test('admission creates an object nobody knows and never changes a known one', async () => {
    const world = make();
    await world.propose({ object: ticket });
    await world.admit({ caseId: 'T-2', object: { ...ticket, version: 9, scope: 'red' } });
    const { object } = await world.view(await world.propose({ caseId: 'T-3', object: ticket }));
    expect(object).toEqual({ objectId: ticket.id, version: 3, scope: 'blue', permitted: true });
  });
}
