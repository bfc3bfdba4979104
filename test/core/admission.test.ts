// Admission, revision, withdrawal: outcomes and their precedence.
import { describe, expect, test } from 'vitest';
import {
  judgeAdmission,
  judgeRevision,
  judgeWithdrawal,
  objection,
  supportedWorkflowVersions,
  type AdmitFacts,
  type ReviseFacts,
  type WithdrawFacts,
} from '../../src/core/admission.ts';
import { admitOutcomes, reviseOutcomes, withdrawOutcomes } from '../../src/core/outcomes.ts';
import { stateNames } from '../../src/core/states.ts';
import { testPrecedence } from './precedence.ts';
import { nowMs, object, operation, operationId, otherId } from './samples.ts';

const unhindered: AdmitFacts = {
  operationId,
  workflowVersion: 1,
  object: { id: 'ticket-1042', version: 3, scope: 'blue' },
  expiresAtMs: null,
  eventOwner: null,
  known: null,
  open: null,
  stored: null,
  nowMs,
};

describe('admit', () => {
  testPrecedence<AdmitFacts, (typeof admitOutcomes)[number]>({
    name: 'admit',
    outcomes: admitOutcomes,
    none: unhindered,
    judge: (facts) => judgeAdmission(facts).outcome,
    reasons: {
      unsupported_workflow_version: (facts) => ({ ...facts, workflowVersion: 2 }),
      event_conflict: (facts) => ({ ...facts, eventOwner: otherId }),
      duplicate: (facts) => ({ ...facts, known: operation() }),
      case_open: (facts) => ({ ...facts, open: operation({ operationId: otherId }) }),
      content_already_proposed: (facts) => ({ ...facts, known: operation({ state: 'Superseded' }) }),
      denied: (facts) => ({ ...facts, stored: { ...(facts.stored ?? object()), permitted: false } }),
      superseded: (facts) => ({ ...facts, stored: { ...(facts.stored ?? object()), version: 4 } }),
      expired: (facts) => ({ ...facts, expiresAtMs: nowMs }),
    },
    // One identity is recorded once: open, or superseded.
    exclusive: ['duplicate content_already_proposed'],
  });

  test('only version 1 of the workflow is supported', () => {
    expect(supportedWorkflowVersions).toEqual([1]);
  });

  test('the same event again is a duplicate, even of a proposal that was superseded meanwhile', () => {
    const facts = { ...unhindered, eventOwner: operationId, known: operation({ state: 'Superseded' }) };
    expect(judgeAdmission(facts)).toEqual({ outcome: 'duplicate', event: null });
  });

  const others = stateNames.filter((state) => state !== 'Superseded');
  test.each(others)('known content in state %s is a duplicate under a new event', (state) => {
    const facts = { ...unhindered, known: operation({ state }) };
    expect(judgeAdmission(facts)).toEqual({ outcome: 'duplicate', event: null });
  });

  test('a proposal that is denied, superseded or expired at once is stored closed', () => {
    const reasons = [
      [{ stored: object({ permitted: false }) }, { outcome: 'denied', event: 'deny' }],
      [{ stored: object({ scope: 'red' }) }, { outcome: 'denied', event: 'deny' }],
      [{ stored: object({ version: 2 }) }, { outcome: 'superseded', event: 'object_changed' }],
      [{ expiresAtMs: nowMs }, { outcome: 'expired', event: 'expire' }],
    ] as const;
    for (const [over, verdict] of reasons) expect(judgeAdmission({ ...unhindered, ...over })).toEqual(verdict);
  });

  test('admitted content causes no further event', () => {
    expect(judgeAdmission({ ...unhindered, stored: object() })).toEqual({ outcome: 'admitted', event: null });
  });
});

describe('objection', () => {
  const wanted = { id: 'ticket-1042', version: 3, scope: 'blue' };

  test('an object nobody knows is no objection', () => {
    expect(objection(wanted, null, null, nowMs)).toBeNull();
  });

  test.each([
    ['an older version', object({ version: 2 }), 'superseded'],
    ['a newer version', object({ version: 4 }), 'superseded'],
    ['another scope', object({ scope: 'red' }), 'denied'],
    ['no permission', object({ permitted: false }), 'denied'],
    ['another scope and version', object({ scope: 'red', version: 4 }), 'denied'],
  ])('%s of the stored object is an objection', (_what, stored, outcome) => {
    expect(objection(wanted, stored, null, nowMs)?.outcome).toBe(outcome);
  });

  test('a deadline passes at its own millisecond, not before', () => {
    expect(objection(wanted, null, nowMs + 1, nowMs)).toBeNull();
    expect(objection(wanted, null, nowMs, nowMs)?.outcome).toBe('expired');
  });

  test('denied comes before superseded and superseded before expired', () => {
    expect(objection(wanted, object({ permitted: false, version: 4 }), nowMs, nowMs)?.outcome).toBe('denied');
    expect(objection(wanted, object({ version: 4 }), nowMs, nowMs)?.outcome).toBe('superseded');
  });
});

describe('revise', () => {
  const open: ReviseFacts = { named: operation(), current: operation(), authorized: true, contentKnown: false };
  testPrecedence<ReviseFacts, (typeof reviseOutcomes)[number]>({
    name: 'revise',
    outcomes: reviseOutcomes,
    none: open,
    judge: judgeRevision,
    reasons: {
      unknown_operation: (facts) => ({ ...facts, named: null }),
      not_authorized: (facts) => ({ ...facts, authorized: false }),
      stale_proposal: (facts) => ({ ...facts, current: operation({ operationId: otherId }) }),
      already_decided: (facts) => ({ ...facts, named: operation({ state: 'Approved' }) }),
      content_already_proposed: (facts) => ({ ...facts, contentKnown: true }),
    },
    exclusive: [],
  });

  test.each(stateNames)('a proposal in state %s is revised only while it is Pending', (state) => {
    const expected = { Pending: 'revised', Superseded: 'stale_proposal' }[state as string] ?? 'already_decided';
    expect(judgeRevision({ ...open, named: operation({ state }), current: operation({ state }) })).toBe(expected);
  });

  test('a proposal of a case without a current one is stale', () => {
    expect(judgeRevision({ ...open, current: null })).toBe('stale_proposal');
  });
});

describe('withdraw', () => {
  const open: WithdrawFacts = { named: operation(), current: operation(), authorized: true };
  testPrecedence<WithdrawFacts, (typeof withdrawOutcomes)[number]>({
    name: 'withdraw',
    outcomes: withdrawOutcomes,
    none: open,
    judge: judgeWithdrawal,
    reasons: {
      unknown_operation: (facts) => ({ ...facts, named: null }),
      not_authorized: (facts) => ({ ...facts, authorized: false }),
      stale_proposal: (facts) => ({ ...facts, current: operation({ operationId: otherId }) }),
      already_decided: (facts) => ({ ...facts, named: operation({ state: 'Executing' }) }),
    },
    exclusive: [],
  });

  test.each(stateNames)('an operation in state %s is withdrawn only before its claim', (state) => {
    const before: Partial<Record<string, string>> = {
      Pending: 'withdrawn',
      Approved: 'withdrawn',
      Withdrawn: 'withdrawn',
      Superseded: 'stale_proposal',
    };
    const facts = { ...open, named: operation({ state }), current: operation({ state }) };
    expect(judgeWithdrawal(facts)).toBe(before[state] ?? 'already_decided');
  });

  test('withdrawing again is the same again, even when the case has gone on', () => {
    const facts = { ...open, named: operation({ state: 'Withdrawn' }), current: operation({ operationId: otherId }) };
    expect(judgeWithdrawal(facts)).toBe('withdrawn');
  });

  test('a proposal of a case without a current one is stale', () => {
    expect(judgeWithdrawal({ ...open, current: null })).toBe('stale_proposal');
  });
});
