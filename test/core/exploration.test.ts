// The recovery rules under every interleaving, for every row of the receiver table, and the proof that a wrong rule
// would be noticed: each planted one is named with the violation it causes.
import { describe, expect, test } from 'vitest';
import { judgeClaim, type ClaimFacts } from '../../src/core/claim.ts';
import { judgeLook, judgeReceipt } from '../../src/core/evidence.ts';
import { nextStep } from '../../src/core/next-step.ts';
import { discountAbsence, type Lookup } from '../../src/core/recovery.ts';
import { judgeResolution } from '../../src/core/resolution.ts';
import { nextState } from '../../src/core/states.ts';
import { explore, type Core, type Row } from './explorer.ts';
import { walkForgetting, type ForgettingCore, type ForgettingRow } from './forgetting.ts';

const lookups: readonly Lookup[] = ['authoritative', 'eventual', 'none'];
const rows: Row[] = [true, false].flatMap((deduplicates) =>
  lookups.flatMap((lookup) => [false, true].map((resendWhenAbsent) => ({ deduplicates, lookup, resendWhenAbsent }))),
);
const titled = rows.map((row) => {
  const resend = row.resendWhenAbsent ? 'with' : 'without';
  return [`deduplicates ${row.deduplicates}, lookup ${row.lookup}, ${resend} resendWhenAbsent`, row] as const;
});

describe('two operations on one object', () => {
  test.each(titled)('%s: no interleaving breaks a rule', (title, row) => {
    const { states, violations } = explore(row);
    console.info(`${title}: ${states} states`);
    expect(violations).toEqual([]);
    // A world that never gets anywhere would satisfy every rule.
    expect(states).toBeGreaterThan(500);
  });
});

/** Another answer to the claim, judged on changed facts. */
const claimOn =
  (change: (facts: ClaimFacts) => Partial<ClaimFacts>): typeof judgeClaim =>
  (facts) =>
    judgeClaim({ ...facts, ...change(facts) });
const inView =
  (change: (view: ClaimFacts['view']) => Partial<ClaimFacts['view']>) =>
  (facts: ClaimFacts): Partial<ClaimFacts> => ({ view: { ...facts.view, ...change(facts.view) } });

interface Planted {
  readonly rule: string;
  readonly violation: string;
  readonly row: Row;
  readonly core: Partial<Core>;
}

const authoritative: Row = { deduplicates: true, lookup: 'authoritative', resendWhenAbsent: false };
const eventual: Row = { deduplicates: true, lookup: 'eventual', resendWhenAbsent: false };
const withoutLookup: Row = { deduplicates: true, lookup: 'none', resendWhenAbsent: false };
const plain: Row = { deduplicates: false, lookup: 'authoritative', resendWhenAbsent: false };

const planted: readonly Planted[] = [
  {
    rule: 'absence frees the operation: it is Approved again',
    violation: "claimed while another operation's effect may still arrive",
    row: authoritative,
    core: { nextState: (state, event) => (event === 'no_evidence' ? 'Approved' : nextState(state, event)) },
  },
  {
    rule: 'absence frees the operation, seen from the receiver',
    violation: 'an effect of an operation that is not claimed',
    row: authoritative,
    core: { nextState: (state, event) => (event === 'no_evidence' ? 'Approved' : nextState(state, event)) },
  },
  {
    rule: 'a receiver that does not deduplicate is sent to again',
    violation: 'two effects of one operation',
    row: plain,
    core: { judgeClaim: claimOn(({ declaration }) => ({ declaration: { ...declaration, deduplicates: true } })) },
  },
  {
    rule: 'a re-claim ignores the look-ups',
    violation: 'sent again with no absence shown',
    row: authoritative,
    core: { judgeClaim: claimOn(({ declaration }) => ({ declaration: { ...declaration, lookup: 'none' } })) },
  },
  {
    rule: 'an eventual absence is taken for proof',
    violation: 'sent again after a mere look',
    row: eventual,
    core: { judgeClaim: claimOn(({ declaration }) => ({ declaration: { ...declaration, lookup: 'authoritative' } })) },
  },
  {
    rule: 'a claim ignores overlap',
    violation: 'two operations hold one object',
    row: authoritative,
    core: { judgeClaim: claimOn(inView(() => ({ heldBy: null }))) },
  },
  {
    rule: 'no fence: a late absence of an old attempt moves a newer one',
    violation: 'abandoned while nobody had asked about the newest attempt',
    row: authoritative,
    core: {
      judgeLook: (operation, _attempt, finding, proves) => judgeLook(operation, operation.attempts, finding, proves),
    },
  },
  {
    rule: 'a claim does not check permission again',
    violation: 'claimed without permission',
    row: authoritative,
    core: {
      judgeClaim: claimOn(inView(({ object }) => ({ object: object && { ...object, permitted: true } }))),
    },
  },
  {
    rule: 'a claim does not check the version again',
    violation: 'claimed for a changed object',
    row: authoritative,
    core: {
      judgeClaim: claimOn(
        inView(({ object, operation }) => ({ object: object && { ...object, version: operation.object.version } })),
      ),
    },
  },
  {
    rule: 'a claim does not check the expiry again',
    violation: 'claimed after the expiry',
    row: authoritative,
    core: { judgeClaim: claimOn(inView(({ operation }) => ({ operation: { ...operation, expiresAtMs: null } }))) },
  },
  {
    rule: 'a claim does not wait for the lease',
    violation: 'claimed again while the lease was running',
    row: withoutLookup,
    core: {
      judgeClaim: claimOn(
        inView(({ attempts }) => ({ attempts: attempts.map((attempt) => ({ ...attempt, leaseUntilMs: 0 })) })),
      ),
    },
  },
  {
    rule: '"did not happen" at a receiver that does not deduplicate sends again',
    violation: 'two effects of one operation',
    row: plain,
    core: {
      judgeResolution: (facts) => judgeResolution({ ...facts, deduplicates: true }),
      judgeClaim: (facts) => {
        const said = facts.view.resolutions.at(-1)?.resolution === 'effect_did_not_happen';
        const held = said && facts.view.heldBy === null && facts.view.operation.state === 'Unknown';
        return held ? { outcome: 'claimed', event: 'reclaim' } : judgeClaim(facts);
      },
    },
  },
  {
    rule: 'an objection closes an operation that was claimed before',
    violation: 'a claim was taken back',
    row: authoritative,
    core: {
      judgeClaim: (facts) => {
        const verdict = judgeClaim(facts);
        return verdict.outcome === 'denied' ? { ...verdict, event: 'deny' } : verdict;
      },
      nextState: (state, event) => (event === 'deny' ? 'Denied' : nextState(state, event)),
    },
  },
  {
    rule: 'the fence stops evidence, too: a late receipt of an old attempt is dropped',
    violation: 'a stored receipt left the operation open',
    row: authoritative,
    core: {
      judgeReceipt: (operation, attempt, answer) =>
        attempt === operation.attempts
          ? judgeReceipt(operation, attempt, answer)
          : { event: null, contradiction: false },
    },
  },
  {
    rule: 'an unreachable receiver is taken for a receipt',
    violation: 'Completed without an effect',
    row: withoutLookup,
    core: {
      judgeLook: (operation, attempt, finding, proves) =>
        judgeLook(operation, attempt, finding === 'unavailable' ? 'matching' : finding, proves),
    },
  },
  {
    rule: 'a run is told to execute without regard to what a claim would say',
    violation: 'a run is told to execute what a claim refuses and does not move',
    row: authoritative,
    core: { nextStep: (facts) => (facts.view.operation.state === 'Unknown' ? { step: 'execute' } : nextStep(facts)) },
  },
];

describe('a planted wrong rule is caught', () => {
  test.each(planted.map((wrong) => [wrong.rule, wrong.violation, wrong] as const))(
    '%s → %s',
    (rule, violation, wrong) => {
      const { states, violations } = explore(wrong.row, wrong.core, violation);
      const caught = violations.find(({ name }) => name === violation);
      console.info(`${rule}: "${violation}" after ${states} states, by ${caught?.trace.join(' · ') ?? 'nothing'}`);
      expect(violations.map(({ name }) => name)).toContain(violation);
    },
  );
});

const forgetting: readonly (readonly [string, ForgettingRow])[] = [
  ...lookups.map((lookup) => [`forgets, lookup ${lookup}`, { lookup, retention: 3, restorable: false }] as const),
  ...lookups.map((lookup) => [`is restored, lookup ${lookup}`, { lookup, retention: null, restorable: true }] as const),
];

describe('one operation at a deduplicating receiver', () => {
  test.each(forgetting)('that %s: no interleaving has a second effect', (title, row) => {
    const { states, secondEffect } = walkForgetting(row);
    console.info(`a receiver that ${title}: ${states} states`);
    expect(secondEffect).toBeNull();
    expect(states).toBeGreaterThan(100);
  });

  const wrong: readonly (readonly [string, ForgettingRow, Partial<ForgettingCore>])[] = [
    [
      'retention is counted from the newest attempt',
      { lookup: 'authoritative', retention: 3, restorable: false },
      {
        judgeClaim: claimOn(inView(({ attempts }) => ({ attempts: attempts.slice(-1) }))),
        discountAbsence: (attempts, ...rest) => discountAbsence(attempts.slice(-1), ...rest),
      },
    ],
    [
      'a claim does not compare the sequence',
      { lookup: 'authoritative', retention: null, restorable: true },
      { judgeClaim: claimOn(() => ({ receiverSequence: 99 })) },
    ],
    [
      'a claim does not compare retention',
      { lookup: 'none', retention: 3, restorable: false },
      { judgeClaim: claimOn(({ declaration }) => ({ declaration: { ...declaration, retentionMs: null } })) },
    ],
    [
      'a claim leaves no time for its attempt before the receiver forgets',
      { lookup: 'eventual', retention: 3, restorable: false },
      { judgeClaim: claimOn(({ settings }) => ({ settings: { ...settings, leaseMs: 0 } })) },
    ],
    [
      'neither look nor claim compares the sequence',
      { lookup: 'eventual', retention: null, restorable: true },
      { discountAbsence: () => null, judgeClaim: claimOn(() => ({ receiverSequence: 99 })) },
    ],
  ];
  test.each(wrong)('a planted wrong rule has a second effect: %s', (rule, row, core) => {
    const { states, secondEffect } = walkForgetting(row, core);
    console.info(`${rule}: after ${states} states, by ${secondEffect?.join(' · ') ?? 'nothing'}`);
    expect(secondEffect).not.toBeNull();
  });
});
