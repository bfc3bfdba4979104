// What outsiders are shown: complete, in UTC with milliseconds, and no more than is established.
import { describe, expect, test } from 'vitest';
import {
  isoTime,
  presentDecision,
  presentProposal,
  presentResult,
  presentStatus,
} from '../../src/core/presentation.ts';
import { stateNames } from '../../src/core/states.ts';
import { attempt, decision, nowMs, operation, operationId, view } from './samples.ts';

const iso = '2026-11-30T12:00:00.000Z';

test('times are ISO 8601 in UTC with milliseconds', () => {
  expect(isoTime(nowMs)).toBe(iso);
  expect(isoTime(0)).toBe('1970-01-01T00:00:00.000Z');
});

test('a proposal is shown whole, under its identity', () => {
  const stored = operation({
    humanEdited: true,
    revisionOf: 'op-v1-old',
    checks: [{ name: 'clauses', result: 'passed' }],
  });
  expect(presentProposal(stored)).toEqual({
    operationId,
    evidenceId: 'evidence-v1-',
    policyId: 'policy-v1-',
    caseId: 'T-1042',
    action: 'record_support_review',
    body: 'the draft',
    evidence: [{ sourceId: 'KB-311', version: 3, quotation: 'quoted' }],
    policy: {},
    object: { id: 'ticket-1042', version: 3, scope: 'blue' },
    checks: [{ name: 'clauses', result: 'passed' }],
    eventId: operationId,
    proposedBy: 'drafter',
    proposedAt: '2026-11-30T11:59:59.000Z',
    expiresAt: null,
    decideBy: null,
    humanEdited: true,
    revisionOf: 'op-v1-old',
    workflowVersion: 1,
  });
});

test('the instant by which a decision counts is the earlier of expiry and time to decide', () => {
  expect(presentProposal(operation({ expiresAtMs: nowMs }))).toMatchObject({ expiresAt: iso, decideBy: iso });
  expect(presentProposal(operation({ expiresAtMs: nowMs + 1, decideByMs: nowMs }))).toMatchObject({
    expiresAt: '2026-11-30T12:00:00.001Z',
    decideBy: iso,
  });
});

test('a decision is shown with who, why, when and which way it came', () => {
  expect(presentDecision(decision({ reason: 'checked', decidedAtMs: nowMs }))).toEqual({
    approved: true,
    reviewer: 'rita',
    reason: 'checked',
    decidedAt: iso,
    via: 'command',
  });
});

const settled = { Completed: 1, Declined: 0, Expired: 0, Superseded: 0, Denied: 0, Withdrawn: 0, Abandoned: 0 };

test.each(stateNames)('an operation in state %s has a result only when it is settled', (state) => {
  const result = presentResult(view({ operation: { state } }), 'run:1');
  const effectCount = (settled as Partial<Record<string, number>>)[state];
  if (effectCount === undefined) expect(result).toBeNull();
  else expect(result).toMatchObject({ operationId, effectCount, attempts: 0, headHash: '0'.repeat(64) });
});

describe('replayed', () => {
  const result = (attempts: ReturnType<typeof attempt>[], state: 'Completed' | 'Abandoned' = 'Completed') =>
    presentResult(view({ operation: { state, attempts: attempts.length }, attempts }), 'run:1');
  const created = attempt({ answer: 'created', answeredAtMs: nowMs });

  test('is false for whoever was told that it created the effect', () => {
    expect(result([created])).toMatchObject({ status: 'Committed', replayed: false, attempts: 1 });
  });

  test('is true where somebody else created it, where it existed, and where no receipt tells', () => {
    expect(result([{ ...created, executor: 'run:2' }])?.replayed).toBe(true);
    expect(result([attempt({ answer: 'exists', answeredAtMs: nowMs })])?.replayed).toBe(true);
    expect(result([attempt()])?.replayed).toBe(true);
  });

  test('is false where there is no effect to speak of', () => {
    expect(result([attempt()], 'Abandoned')).toMatchObject({ status: 'Abandoned', replayed: false, effectCount: 0 });
  });
});

test('a status shows state, decision and result as far as they exist', () => {
  expect(presentStatus(view({ decision: null, operation: { state: 'Pending' } }), 'run:1')).toEqual({
    state: 'Pending',
    operationId,
    caseId: 'T-1042',
    decision: null,
    attempts: 0,
    headHash: '0'.repeat(64),
    result: null,
  });
  expect(presentStatus(view({ operation: { state: 'Completed', attempts: 1 } }), 'run:1')).toMatchObject({
    decision: { approved: true, reviewer: 'rita' },
    attempts: 1,
    result: { status: 'Committed', effectCount: 1 },
  });
});
