// What is approved is what is sent: tampered content is refused at the gate, and an edit is another proposal.
import { describe, expect, test } from 'vitest';
import { caseOf, recomputeIdentity } from '../../src/operations/content.ts';
import { identify } from '../../src/identity/index.ts';
import { sampleCase } from '../support/ledger-world.ts';
import { PortsWorld } from '../support/ports-world.ts';
import { withHandle } from '../support/sqlite-file.ts';
import { temporaryDirectory } from '../support/temporary.ts';

const root = temporaryDirectory();
const make = () => new PortsWorld(root, { fake: {} });
const checks = [{ name: 'licensed-clauses', result: 'passed' }];

describe('stored content that was tampered with', () => {
  test.each([
    [`body = CAST('another draft' AS BLOB)`],
    [`action = 'refund'`],
    [`evidence = '[{"sourceId":"KB-311","version":4,"quotation":"quoted"}]'`],
    [`policy = '{"label":"support-review/1","allowSelfApproval":true}'`],
    [`object_version = 4`],
    [`object_scope = 'red'`],
    [`object_explicit = 0`],
    [`expires_at_ms = expires_at_ms + 1`],
    [`expires_at_ms = NULL`],
    [`evidence_id = 'evidence-v1-${'0'.repeat(64)}'`],
    [`policy_id = 'policy-v1-${'0'.repeat(64)}'`],
  ])('(%s) is not executed: no claim, no effect', async (set) => {
    const world = make();
    const operationId = await world.approved({
      object: { id: 'ticket-1042', version: 3, scope: 'blue' },
      expiresAt: '2026-12-24T12:00:00.000Z',
    });
    withHandle(world.ledgerPath, (db) => {
      db.exec('DROP TRIGGER operations_keep_their_content');
      expect(db.prepare(`UPDATE operations SET ${set}`).run().changes).toBe(1);
    });
    const before = world.both();
    await expect(world.execute(operationId)).rejects.toMatchObject({ code: 'identity_mismatch' });
    expect(world.both()).toEqual(before);
    expect(world.fake.effectsOf(operationId)).toBe(0);
    expect((await world.view(operationId)).operation).toMatchObject({ state: 'Approved', attempts: 0 });
  });

  test('does not matter where it is not part of the identity', async () => {
    const world = make();
    const operationId = await world.approved({ checks });
    withHandle(world.ledgerPath, (db) => {
      db.exec('DROP TRIGGER operations_keep_their_content');
      db.exec(`UPDATE operations SET checks = '[]'`);
    });
    expect((await world.execute(operationId)).receipt).toBe('created');
  });
});

describe('a stored case', () => {
  test('is given back as it came, so that it has the same identity again', async () => {
    const world = make();
    const whole = sampleCase({
      object: { id: 'ticket-1042', version: 3, scope: 'blue' },
      expiresAt: '2026-12-24T12:00:00.000Z',
      eventId: 'evt-1',
      checks,
      workflowVersion: 1,
    });
    const { operationId } = await world.propose(whole);
    const { operation } = await world.view(operationId);
    expect(caseOf(operation)).toEqual(whole);
    expect(identify(caseOf(operation)).operationId).toBe(operationId);
    expect(recomputeIdentity(operation).operationId).toBe(operationId);
  });

  test('with nothing but what is required is given back without what nobody said', async () => {
    const world = make();
    const { proposedBy: _nobody, ...plain } = sampleCase();
    const { operationId } = await world.propose({ ...plain, proposedBy: 'drafter' });
    const { operation } = await world.view(operationId);
    expect(caseOf(operation)).toEqual({ ...plain, proposedBy: 'drafter', workflowVersion: 1 });
    expect(caseOf({ ...operation, proposedBy: null })).toEqual({ ...plain, workflowVersion: 1 });
  });
});

describe('a revision', () => {
  test('of the body is a new proposal by whoever edited it: edited, unchecked, and without the old event', async () => {
    const world = make();
    const { operationId } = await world.propose({ checks, eventId: 'evt-1' });
    const { outcome, proposal, status } = await world.revise(operationId, { body: 'better\r\n' });
    expect(outcome).toBe('revised');
    expect(proposal).toMatchObject({
      body: 'better\n',
      humanEdited: true,
      checks: [],
      proposedBy: 'rita',
      revisionOf: operationId,
      evidence: sampleCase().evidence,
      policy: sampleCase().policy,
    });
    expect(proposal?.operationId).not.toBe(operationId);
    expect(proposal?.eventId).toBe(proposal?.operationId);
    expect(status).toMatchObject({ state: 'Pending', decision: null });
    // The event still stands for what it brought.
    expect((await world.propose({ checks, eventId: 'evt-1' })).outcome).toBe('duplicate');
  });

  test('may not be approved by whoever made it, though they were the reviewer before', async () => {
    const world = make();
    const { operationId } = await world.propose();
    const { currentOperationId } = await world.revise(operationId, { body: 'better' }, { revisedBy: 'rita' });
    expect((await world.decide(currentOperationId!, { reviewer: 'rita' })).outcome).toBe('not_authorized');
    expect((await world.decide(currentOperationId!, { reviewer: 'rolf' })).outcome).toBe('recorded');
  });

  test('of evidence or policy alone keeps the checks of the body and is not called edited', async () => {
    const world = make();
    const { operationId } = await world.propose({ checks });
    const evidence = [{ sourceId: 'HOLD-7', version: 2, quotation: 'no rollback' }];
    const second = await world.revise(operationId, { evidence });
    expect(second.proposal).toMatchObject({ evidence, checks, humanEdited: false, body: 'the draft' });
    const third = await world.revise(second.currentOperationId!, { policy: { label: 'support-review/2' } });
    expect(third.proposal).toMatchObject({ policy: { label: 'support-review/2' }, evidence, checks });
  });

  test('to the same body in other line ends keeps the checks: it is the same text', async () => {
    const world = make();
    const { operationId } = await world.propose({ body: 'one\ntwo', checks });
    const evidence = [{ sourceId: 'HOLD-7', version: 2, quotation: 'no rollback' }];
    const { proposal } = await world.revise(operationId, { body: 'one\r\ntwo', evidence });
    expect(proposal).toMatchObject({ body: 'one\ntwo', checks, humanEdited: false });
  });

  test('makes the approval of the old content stale', async () => {
    const world = make();
    const { operationId } = await world.propose();
    const { currentOperationId } = await world.revise(operationId, { body: 'better' });
    const late = await world.decide(operationId, { reviewer: 'rolf' });
    expect(late).toMatchObject({ outcome: 'stale_proposal', currentOperationId, decision: null });
    expect((await world.execute(operationId)).outcome).toBe('not_approved');
    expect(world.fake.happened).toEqual([]);
  });

  test('keeps object and expiry: an approval for one object is not one for another', async () => {
    const world = make();
    const object = { id: 'ticket-1042', version: 3, scope: 'blue' };
    const { operationId } = await world.propose({ object, expiresAt: '2026-12-24T12:00:00.000Z' });
    const { proposal } = await world.revise(operationId, { body: 'better' });
    expect(proposal).toMatchObject({ object, expiresAt: '2026-12-24T12:00:00.000Z' });
  });

  test.each([
    [{}, ''],
    [{ body: 7 }, '/body'],
    [{ evidence: 'none' }, '/evidence'],
    [{ policy: { 'countersign.object.id': 'x' } }, '/policy/countersign.object.id'],
    [{ action: 'refund' }, '/action'],
  ])('%j is malformed, at %j, and changes nothing', async (changes, pointer) => {
    const world = make();
    const { operationId } = await world.propose();
    const before = world.both();
    const malformed = { code: 'malformed_input', pointer };
    await expect(world.revise(operationId, changes)).rejects.toMatchObject(malformed);
    expect(world.both()).toEqual(before);
  });

  test('of an approved proposal is refused, and names what stands', async () => {
    const world = make();
    const operationId = await world.approved();
    const answer = await world.revise(operationId, { body: 'better' });
    expect(answer).toMatchObject({ outcome: 'already_decided', currentOperationId: operationId });
    expect(answer.proposal?.operationId).toBe(operationId);
  });
});
