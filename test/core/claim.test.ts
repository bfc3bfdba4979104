// The claim: outcomes, their precedence, and what a refusal moves.
import { describe, expect, test } from 'vitest';
import { judgeClaim, type ClaimFacts } from '../../src/core/claim.ts';
import { claimOutcomes } from '../../src/core/outcomes.ts';
import { stateNames } from '../../src/core/states.ts';
import { testPrecedence } from './precedence.ts';
import {
  attempt,
  decision,
  declaration,
  nowMs,
  object,
  observation,
  otherId,
  rules,
  settings,
  unknownView,
  view,
} from './samples.ts';

const facts = (over: Partial<ClaimFacts> = {}): ClaimFacts => ({
  view: view(),
  declaration: declaration(),
  receiverSequence: 7,
  rules: rules(),
  signatureValid: false,
  settings,
  ...over,
});
type Change = Partial<ClaimFacts['view']>;
const changed = (from: ClaimFacts, over: Change): ClaimFacts => ({ ...from, view: { ...from.view, ...over } });
const againstObject = (from: ClaimFacts, over: Parameters<typeof object>[0]): ClaimFacts =>
  changed(from, { object: { ...(from.view.object ?? object()), ...over } });

const common = {
  denied: (from: ClaimFacts) => againstObject(from, { permitted: false }),
  superseded: (from: ClaimFacts) => againstObject(from, { version: 4 }),
  expired: (from: ClaimFacts) =>
    changed(from, { operation: { ...from.view.operation, expiresAtMs: from.view.ledgerTimeMs } }),
  overlap: (from: ClaimFacts) => changed(from, { heldBy: otherId }),
};
const completed = (from: ClaimFacts): ClaimFacts =>
  changed(from, { operation: { ...from.view.operation, state: 'Completed', attempts: 1 } });
const lease = (from: ClaimFacts): ClaimFacts =>
  changed(from, {
    operation: { ...from.view.operation, state: 'Unknown', attempts: 1 },
    attempts: [attempt({ leaseUntilMs: nowMs + 1 })],
  });

describe('the first claim', () => {
  testPrecedence<ClaimFacts, (typeof claimOutcomes)[number]>({
    name: 'claim',
    outcomes: claimOutcomes,
    none: facts(),
    judge: (given) => judgeClaim(given).outcome,
    reasons: {
      not_approved: (from) => changed(from, { decision: decision({ approved: false }) }),
      completed,
      in_progress: lease,
      // The lease of nobody runs, but a re-claim is not allowed: no look has shown anything.
      unknown: (from) =>
        changed(from, {
          operation: { ...from.view.operation, state: 'Unknown', attempts: 1 },
          attempts: [attempt(from.view.attempts[0] ?? {})],
        }),
      ...common,
    },
    // A Completed operation was approved, and has no attempt that is still waited for.
    exclusive: ['not_approved completed', 'completed in_progress', 'completed unknown'],
  });

  test('an approved operation is claimed', () => {
    expect(judgeClaim(facts())).toEqual({ outcome: 'claimed', event: 'claim' });
  });

  test.each(stateNames.filter((state) => !['Approved', 'Executing', 'Unknown', 'Completed'].includes(state)))(
    'an operation in state %s is not approved, whatever decision is on record',
    (state) => {
      expect(judgeClaim(facts({ view: view({ operation: { state } }) }))).toMatchObject({
        outcome: 'not_approved',
        event: null,
      });
    },
  );

  test('a state Approved without an approval on record is not enough', () => {
    expect(judgeClaim(facts({ view: view({ decision: null }) })).outcome).toBe('not_approved');
    const declined = view({ decision: decision({ approved: false }) });
    expect(judgeClaim(facts({ view: declined })).outcome).toBe('not_approved');
  });

  test('an approval without its signature does not count where one is demanded', () => {
    const demanded = facts({ rules: rules({ requireSignature: true }) });
    expect(judgeClaim(demanded)).toMatchObject({ outcome: 'not_approved', event: null });
    expect(judgeClaim({ ...demanded, signatureValid: true }).outcome).toBe('claimed');
  });

  test('an objection closes an operation that was never claimed; an overlap leaves it Approved', () => {
    expect(judgeClaim(common.denied(facts()))).toEqual({ outcome: 'denied', event: 'deny' });
    expect(judgeClaim(common.superseded(facts()))).toEqual({ outcome: 'superseded', event: 'object_changed' });
    expect(judgeClaim(common.expired(facts()))).toEqual({ outcome: 'expired', event: 'expire' });
    expect(judgeClaim(common.overlap(facts()))).toMatchObject({ outcome: 'overlap', event: null });
  });

  test('an object nobody knows any more is no objection', () => {
    expect(judgeClaim(facts({ view: view({ object: null }) })).outcome).toBe('claimed');
  });
});

describe('the claim of an operation that was claimed before', () => {
  testPrecedence<ClaimFacts, (typeof claimOutcomes)[number]>({
    name: 're-claim',
    outcomes: claimOutcomes,
    none: facts({ view: unknownView() }),
    judge: (given) => judgeClaim(given).outcome,
    reasons: {
      not_approved: (from) => changed(from, { decision: null }),
      completed,
      in_progress: (from) => changed(from, { attempts: [attempt({ leaseUntilMs: nowMs + 1 })] }),
      unknown: (from) => changed(from, { observations: [] }),
      ...common,
    },
    exclusive: ['not_approved completed', 'completed in_progress'],
  });

  test('an Unknown operation that the table allows is claimed again', () => {
    expect(judgeClaim(facts({ view: unknownView() }))).toEqual({ outcome: 'claimed', event: 'reclaim' });
  });

  test.each(Object.entries(common).filter(([name]) => name !== 'overlap'))(
    '%s refuses the re-claim and leaves the operation Unknown, holding its object',
    (outcome, reason) => {
      expect(judgeClaim(reason(facts({ view: unknownView() })))).toEqual({ outcome, event: null });
    },
  );

  test('a running lease says from when another answer is possible', () => {
    const running = facts({ view: unknownView({ attempts: [attempt({ leaseUntilMs: nowMs + 400 })] }) });
    expect(judgeClaim(running)).toMatchObject({ outcome: 'in_progress', event: null, fromMs: nowMs + 400 });
  });

  test('the lease ends at its own millisecond', () => {
    const over = facts({ view: unknownView({ attempts: [attempt({ leaseUntilMs: nowMs })] }) });
    expect(judgeClaim(over).outcome).toBe('claimed');
  });

  test('an Executing operation is in progress during its lease and unknown after it', () => {
    const executing = (leaseUntilMs: number) =>
      facts({
        view: view({ operation: { state: 'Executing', attempts: 1 }, attempts: [attempt({ leaseUntilMs })] }),
      });
    expect(judgeClaim(executing(nowMs + 1)).outcome).toBe('in_progress');
    expect(judgeClaim(executing(nowMs)).outcome).toBe('unknown');
  });

  test('the newest lease counts, not an older one', () => {
    const attempts = [attempt({ leaseUntilMs: nowMs + 9 }), attempt({ attempt: 2, leaseUntilMs: nowMs })];
    const again = unknownView({
      attempts,
      observations: [observation({ attempt: 2 })],
      operation: { attempts: 2 },
    });
    expect(judgeClaim(facts({ view: again })).outcome).toBe('claimed');
  });

  test('an operation that says it was claimed but has no attempt is not claimed again', () => {
    expect(judgeClaim(facts({ view: unknownView({ attempts: [] }) })).outcome).toBe('unknown');
  });

  test('the refusal says why', () => {
    const plain = facts({ view: unknownView(), declaration: declaration({ deduplicates: false }) });
    expect(judgeClaim(plain)).toMatchObject({
      outcome: 'unknown',
      why: expect.stringContaining('deduplicate') as string,
    });
  });
});
