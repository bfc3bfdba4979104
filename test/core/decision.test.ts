// The decision: outcomes, their precedence, and the deadline.
import { expect, test } from 'vitest';
import { decisionDeadlineMs, judgeDecision, type DecideFacts } from '../../src/core/decision.ts';
import { decideOutcomes } from '../../src/core/outcomes.ts';
import { stateNames, type State } from '../../src/core/states.ts';
import { testPrecedence } from './precedence.ts';
import { decision, nowMs, operation, operationId, otherId, rules } from './samples.ts';

const open: DecideFacts = {
  operation: operation(),
  decision: null,
  currentOperationId: operationId,
  approved: true,
  reviewer: 'rita',
  requestId: 'update-1',
  signatureValid: false,
  rules: rules(),
  nowMs,
};
const changed = (facts: DecideFacts, over: Parameters<typeof operation>[0]): DecideFacts => ({
  ...facts,
  operation: facts.operation && { ...facts.operation, ...over },
});

testPrecedence<DecideFacts, (typeof decideOutcomes)[number]>({
  name: 'decide',
  outcomes: decideOutcomes,
  none: open,
  judge: (facts) => judgeDecision(facts).outcome,
  reasons: {
    unknown_operation: (facts) => ({ ...facts, operation: null }),
    not_authorized: (facts) => ({ ...facts, rules: rules({ requireSignature: true }) }),
    repeated: (facts) => ({ ...facts, decision: decision({ requestId: 'another' }) }),
    conflicting_decision: (facts) => ({ ...facts, decision: decision({ approved: false }) }),
    stale_proposal: (facts) => ({ ...facts, currentOperationId: otherId }),
    expired: (facts) => changed(facts, { expiresAtMs: nowMs }),
    closed: (facts) => changed(facts, { state: 'Withdrawn' }),
  },
  // One decision agrees or it does not; what was withdrawn in time has not expired.
  exclusive: ['repeated conflicting_decision', 'expired closed'],
});

test('an approval and a decline of a pending proposal are recorded with their own event', () => {
  expect(judgeDecision(open)).toEqual({ outcome: 'recorded', event: 'approve' });
  expect(judgeDecision({ ...open, approved: false })).toEqual({ outcome: 'recorded', event: 'decline' });
});

test.each(stateNames)('without a decision on record, state %s is told apart', (state) => {
  const expected: Partial<Record<State, string>> = {
    Pending: 'recorded',
    Superseded: 'stale_proposal',
    Expired: 'expired',
  };
  const verdict = judgeDecision(changed(open, { state }));
  expect(verdict.outcome).toBe(expected[state] ?? 'closed');
  expect(verdict.event).toBe(state === 'Pending' ? 'approve' : null);
});

test.each(stateNames)('the same decision again is repeated in state %s and changes nothing', (state) => {
  const facts = { ...changed(open, { state }), decision: decision({ requestId: 'another' }) };
  expect(judgeDecision(facts)).toEqual({ outcome: 'repeated', event: null });
});

test.each(stateNames)('the opposite decision conflicts in state %s and changes nothing', (state) => {
  const facts = { ...changed(open, { state }), decision: decision({ approved: false }) };
  expect(judgeDecision(facts)).toEqual({ outcome: 'conflicting_decision', event: null });
});

test("a request's own retry is told that its decision is recorded", () => {
  const facts = { ...changed(open, { state: 'Completed' }), decision: decision({ requestId: 'update-1' }) };
  expect(judgeDecision(facts)).toEqual({ outcome: 'recorded', event: null });
});

test('a request that changes its mind conflicts with itself', () => {
  const facts = { ...open, approved: false, decision: decision({ requestId: 'update-1' }) };
  expect(judgeDecision(facts).outcome).toBe('conflicting_decision');
});

test('two requests without an id are never taken for one another', () => {
  const facts = { ...open, requestId: null, decision: decision({ requestId: null }) };
  expect(judgeDecision(facts).outcome).toBe('repeated');
});

test('whoever proposed the content may decline it, and may approve it only where the rules allow', () => {
  const own = { ...open, reviewer: 'drafter' };
  expect(judgeDecision(own)).toMatchObject({
    outcome: 'not_authorized',
    event: null,
    why: expect.any(String) as string,
  });
  expect(judgeDecision({ ...own, approved: false }).outcome).toBe('recorded');
  expect(judgeDecision({ ...own, rules: rules({ allowSelfApproval: true }) }).outcome).toBe('recorded');
});

test('a valid signature is enough where one is needed, and needed for a decline as well', () => {
  const signed = { ...open, rules: rules({ requireSignature: true }), signatureValid: true };
  expect(judgeDecision(signed).outcome).toBe('recorded');
  expect(judgeDecision({ ...signed, signatureValid: false, approved: false }).outcome).toBe('not_authorized');
});

test('a deadline passes at its own millisecond, and the answer expires the proposal', () => {
  expect(judgeDecision(changed(open, { decideByMs: nowMs + 1 })).outcome).toBe('recorded');
  expect(judgeDecision(changed(open, { decideByMs: nowMs }))).toEqual({ outcome: 'expired', event: 'expire' });
  expect(judgeDecision(changed(open, { expiresAtMs: nowMs }))).toEqual({ outcome: 'expired', event: 'expire' });
});

test('the decision deadline is the earlier of expiry and time to decide', () => {
  expect(decisionDeadlineMs(operation())).toBeNull();
  expect(decisionDeadlineMs(operation({ expiresAtMs: 7 }))).toBe(7);
  expect(decisionDeadlineMs(operation({ decideByMs: 8 }))).toBe(8);
  expect(decisionDeadlineMs(operation({ expiresAtMs: 7, decideByMs: 8 }))).toBe(7);
  expect(decisionDeadlineMs(operation({ expiresAtMs: 9, decideByMs: 8 }))).toBe(8);
});
