// What a run does next: one step for every state, and never one that a claim would refuse for good.
import { describe, expect, test } from 'vitest';
import { finalStatus, nextStep, type NextStep, type StepFacts } from '../../src/core/next-step.ts';
import { stateNames, type State } from '../../src/core/states.ts';
import {
  attempt,
  declaration,
  nowMs,
  object,
  observation,
  otherId,
  resolution,
  rules,
  settings,
  unknownView,
  view,
} from './samples.ts';

const step = (given: StepFacts['view'], over: Partial<Omit<StepFacts, 'view'>> = {}): NextStep =>
  nextStep({
    view: given,
    declaration: declaration(),
    receiverSequence: 7,
    rules: rules(),
    settings,
    attemptEnded: false,
    ...over,
  });

/** Contract section 3: the status of the result. */
const statuses: Partial<Record<State, string>> = {
  Completed: 'Committed',
  Declined: 'Declined',
  Expired: 'Expired',
  Superseded: 'Superseded',
  Denied: 'Denied',
  Withdrawn: 'Withdrawn',
  Abandoned: 'Abandoned',
};

test.each(stateNames)('state %s has the status of the contract, or none while it is open', (state) => {
  const status = statuses[state] ?? null;
  expect(finalStatus(state)).toBe(status);
  if (status !== null) expect(step(view({ operation: { state } }))).toEqual({ step: 'finished', status });
});

describe('Pending', () => {
  const pending = (over: Parameters<typeof view>[0]) => step(view({ decision: null, ...over }));

  test('waits for a decision, without end where nothing limits it', () => {
    expect(pending({ operation: { state: 'Pending' } })).toEqual({ step: 'await_decision', delayMs: null });
  });

  test('waits until the deadline, and not below zero', () => {
    const until = (decideByMs: number) => pending({ operation: { state: 'Pending', decideByMs } });
    expect(until(nowMs + 90)).toEqual({ step: 'await_decision', delayMs: 90 });
    expect(until(nowMs - 90)).toEqual({ step: 'await_decision', delayMs: 0 });
  });
});

describe('Approved', () => {
  test('is executed', () => {
    expect(step(view())).toEqual({ step: 'execute' });
  });

  test('waits while another operation holds the object', () => {
    expect(step(view({ heldBy: otherId }))).toEqual({ step: 'await_object', heldBy: otherId });
  });
});

describe('Executing', () => {
  const executing = (leaseUntilMs: number) =>
    view({ operation: { state: 'Executing', attempts: 1 }, attempts: [attempt({ leaseUntilMs })] });

  test('is left alone during the lease of somebody else', () => {
    expect(step(executing(nowMs + 70))).toEqual({ step: 'await_evidence', delayMs: 70, then: 'reconcile' });
  });

  test('is asked about when the lease is over', () => {
    expect(step(executing(nowMs))).toEqual({ step: 'reconcile' });
  });

  test('is asked about at once by whoever knows that its own attempt ended', () => {
    expect(step(executing(nowMs + 70), { attemptEnded: true })).toEqual({ step: 'reconcile' });
  });

  test('is asked about when no attempt is on record', () => {
    expect(step(view({ operation: { state: 'Executing', attempts: 1 } }))).toEqual({ step: 'reconcile' });
  });
});

describe('Unknown', () => {
  const looked = [observation({ observedAtMs: nowMs - 100 })];

  test('is claimed again where the table allows it', () => {
    expect(step(unknownView())).toEqual({ step: 'execute' });
  });

  test('waits for the end of the lease where only that is missing', () => {
    const running = unknownView({ attempts: [attempt({ leaseUntilMs: nowMs + 50 })], observations: looked });
    expect(step(running)).toEqual({ step: 'await_evidence', delayMs: 50, then: 'execute' });
  });

  test('waits while another operation holds the object', () => {
    expect(step(unknownView({ heldBy: otherId }))).toEqual({ step: 'await_object', heldBy: otherId });
  });

  test('is asked about when the next look is due', () => {
    expect(step(unknownView({ observations: [] }))).toEqual({ step: 'reconcile' });
  });

  test('waits for the next look where only evidence can move it', () => {
    const plain = declaration({ deduplicates: false });
    expect(step(unknownView({ observations: looked }), { declaration: plain })).toEqual({
      step: 'await_evidence',
      delayMs: 900,
      then: 'reconcile',
    });
  });

  test('is asked about on schedule while the receiver cannot say what it is', () => {
    expect(step(unknownView({ observations: looked }), { declaration: null })).toMatchObject({ delayMs: 900 });
    expect(step(unknownView(), { declaration: null })).toEqual({ step: 'reconcile' });
  });

  test('is asked about, not claimed, when the receiver has come less far than was seen', () => {
    const restored = unknownView({ lastReceiverSequence: 8, observations: looked });
    expect(step(restored)).toMatchObject({ step: 'await_evidence', then: 'reconcile' });
    expect(step(restored, { receiverSequence: 8 })).toEqual({ step: 'execute' });
  });

  test.each([
    ['its time is over', { operation: { expiresAtMs: nowMs } }],
    ['the object has another version', { object: object({ version: 4 }) }],
    ['permission was revoked', { object: object({ permitted: false }) }],
  ])('goes on being asked about when %s: a claim would be refused every time', (_why, over) => {
    expect(step(unknownView({ ...over, observations: looked }))).toEqual({
      step: 'await_evidence',
      delayMs: 900,
      then: 'reconcile',
    });
  });

  test('is asked about at once when an operator says "ask again"', () => {
    const asked = unknownView({
      observations: looked,
      resolutions: [resolution({ resolution: 'ask_again', resolvedAtMs: nowMs - 50 })],
    });
    expect(step(asked, { declaration: declaration({ deduplicates: false }) })).toEqual({ step: 'reconcile' });
  });

  test('is sent again on an eventual receiver only where the rules say so', () => {
    const eventual = declaration({ lookup: 'eventual' });
    const view = unknownView({ observations: looked });
    expect(step(view, { declaration: eventual })).toMatchObject({ step: 'await_evidence', then: 'reconcile' });
    expect(step(view, { declaration: eventual, rules: rules({ resendWhenAbsent: true }) })).toEqual({
      step: 'execute',
    });
  });
});
