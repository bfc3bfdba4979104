// The recovery table of the design: when an Unknown operation may be claimed again, and what makes an absence worthless.
import { describe, expect, test } from 'vitest';
import type { OperationView } from '../../src/core/records.ts';
import {
  defaultRecovery,
  discountAbsence,
  judgeReclaim,
  leaseLengthMs,
  nextLookAtMs,
  type Lookup,
  type ReceiverDeclaration,
} from '../../src/core/recovery.ts';
import { stateNames } from '../../src/core/states.ts';
import { attempt, declaration, nowMs, observation, resolution, settings, unknownView, view } from './samples.ts';

const judge = (given: OperationView, receiver: Partial<ReceiverDeclaration> = {}, resend = false, sequence = 7) =>
  judgeReclaim(given, declaration(receiver), sequence, resend, settings);
const allowed = (...args: Parameters<typeof judge>): boolean => judge(...args).allowed;

const seen = {
  nothing: unknownView({ observations: [] }),
  absent: unknownView(),
  unavailable: unknownView({ observations: [observation({ finding: 'unavailable' })] }),
  matching: unknownView({ observations: [observation({ finding: 'matching' })] }),
  conflict: unknownView({ observations: [observation({ finding: 'conflict' })] }),
  'absent, discounted': unknownView({ observations: [observation({ discounted: 'swapped' })] }),
  'absent, then unavailable': unknownView({
    observations: [observation(), observation({ sequence: 2, finding: 'unavailable' })],
  }),
  'absent, then conflict': unknownView({
    observations: [observation(), observation({ sequence: 2, finding: 'conflict' })],
  }),
  'absent, of an older attempt': unknownView({
    operation: { attempts: 2 },
    attempts: [attempt(), attempt({ attempt: 2 })],
  }),
  'absent, and "did not happen"': unknownView({ resolutions: [resolution()] }),
  'nothing, and "did not happen"': unknownView({ observations: [], resolutions: [resolution()] }),
  'absent, and "did not happen" taken back': unknownView({
    resolutions: [resolution(), resolution({ sequence: 2, resolution: 'ask_again' })],
  }),
  'absent, and "did not happen" of an older attempt': unknownView({
    operation: { attempts: 2 },
    attempts: [attempt(), attempt({ attempt: 2 })],
    observations: [observation({ attempt: 2 })],
    resolutions: [resolution()],
  }),
} as const;
type Seen = keyof typeof seen;

/** The rows of the design's table: after what a second sending is allowed once the lease is over. */
const table: readonly (readonly [deduplicates: boolean, lookup: Lookup, resend: boolean, after: readonly Seen[]])[] = [
  [
    true,
    'authoritative',
    false,
    [
      'absent',
      'absent, then unavailable',
      'absent, and "did not happen"',
      'absent, and "did not happen" taken back',
      'absent, and "did not happen" of an older attempt',
    ],
  ],
  [true, 'eventual', false, ['absent, and "did not happen"']],
  [
    true,
    'eventual',
    true,
    [
      'absent',
      'absent, then unavailable',
      'absent, and "did not happen"',
      'absent, and "did not happen" taken back',
      'absent, and "did not happen" of an older attempt',
    ],
  ],
  [true, 'none', false, (Object.keys(seen) as Seen[]).filter((name) => !name.includes('conflict'))],
  [false, 'authoritative', true, []],
  [false, 'eventual', true, []],
  [false, 'none', true, []],
];

describe.each(table)('deduplicates %j, lookup %s, resendWhenAbsent %j', (deduplicates, lookup, resend, after) => {
  // Where nothing can be looked up, nothing was found.
  const possible = (Object.keys(seen) as Seen[]).filter((name) => lookup !== 'none' || name !== 'matching');
  test.each(possible)('after "%s" a second sending is allowed only as the table says', (name) => {
    expect(allowed(seen[name], { deduplicates, lookup }, resend)).toBe(after.includes(name));
  });
});

describe('whatever the row, a re-claim', () => {
  test.each(stateNames.filter((state) => state !== 'Unknown'))('is not for an operation in state %s', (state) => {
    expect(allowed(unknownView({ operation: { state } }))).toBe(false);
  });

  test('is not before the lease is over, and says from when', () => {
    const running = unknownView({ attempts: [attempt({ leaseUntilMs: nowMs + 1 })] });
    expect(judge(running)).toEqual({ allowed: false, why: expect.any(String) as string, fromMs: nowMs + 1 });
    expect(allowed(unknownView({ attempts: [attempt({ leaseUntilMs: nowMs })] }))).toBe(true);
  });

  test('says no instant where only evidence or a person can change the answer', () => {
    expect(judge(seen.nothing)).toMatchObject({ allowed: false, fromMs: null });
  });

  test('is not at another receiver, even one that was used before', () => {
    expect(allowed(seen.absent, { receiverId: 'receiver-2' })).toBe(false);
    const wandered = unknownView({
      operation: { attempts: 2 },
      attempts: [attempt({ receiverId: 'receiver-2' }), attempt({ attempt: 2 })],
      observations: [observation({ attempt: 2 })],
    });
    expect(allowed(wandered)).toBe(false);
  });

  test('is not beyond the limit of attempts', () => {
    const third = unknownView({
      operation: { attempts: 3 },
      attempts: [1, 2, 3].map((n) => attempt({ attempt: n })),
      observations: [observation({ attempt: 3 })],
    });
    expect(allowed(third)).toBe(false);
  });

  test('is not while the receiver says that it has come less far than was seen', () => {
    const restored = unknownView({ lastReceiverSequence: 8 });
    expect(allowed(restored, {}, false, 7)).toBe(false);
    expect(allowed(restored, {}, false, 8)).toBe(true);
    expect(allowed(restored, { lookup: 'none' }, false, 7)).toBe(false);
  });

  test('is not once the receiver answered an attempt with a conflict, whatever a look shows', () => {
    const conflict = unknownView({ attempts: [attempt({ answer: 'conflict', answeredAtMs: nowMs })] });
    for (const lookup of ['authoritative', 'eventual', 'none'] as const) {
      expect(allowed(conflict, { lookup }, true)).toBe(false);
    }
  });
});

describe('retention', () => {
  const retentionMs = 60_000;
  const old = attempt({ claimedAtMs: nowMs - retentionMs, leaseUntilMs: nowMs - 50_000 });
  const young = attempt({ attempt: 2, claimedAtMs: nowMs - 10, leaseUntilMs: nowMs - 1 });
  const twice = unknownView({
    operation: { attempts: 2 },
    attempts: [old, young],
    observations: [observation({ attempt: 2 })],
  });

  test('counts from the first attempt: that one may have landed, and be forgotten now', () => {
    expect(judge(twice, { retentionMs })).toMatchObject({
      why: expect.stringMatching(/no longer remembers/) as string,
    });
    expect(allowed(twice, { retentionMs: retentionMs + 20_000 })).toBe(true);
  });

  test('leaves a new attempt its whole lease, to the millisecond', () => {
    const nextLeaseMs = leaseLengthMs(settings, 3);
    expect(allowed(twice, { retentionMs: retentionMs + nextLeaseMs })).toBe(true);
    expect(judge(twice, { retentionMs: retentionMs + nextLeaseMs - 1 })).toMatchObject({
      allowed: false,
      why: expect.stringMatching(/could forget/) as string,
    });
  });

  test('bounds a re-claim where the receiver has no look-up, too', () => {
    expect(allowed(twice, { retentionMs, lookup: 'none' })).toBe(false);
  });
});

describe('an absence', () => {
  const at = (over: Partial<ReceiverDeclaration>, sequence: number | null, last: number | null, ms = nowMs) =>
    discountAbsence([attempt({ claimedAtMs: nowMs })], declaration(over), sequence, last, ms);

  test.each([
    [7, 7],
    [8, 7],
    [null, null],
    [7, null],
  ])('counts at the same receiver with sequence %j after %j', (sequence, last) => {
    expect(at({}, sequence, last)).toBeNull();
  });

  test.each([
    [6, 7],
    [null, 7],
    [0, 1],
  ])('does not count with sequence %j after %j', (sequence, last) => {
    expect(at({}, sequence, last)).toMatch(/lost records/);
  });

  test('does not count at another receiver', () => {
    expect(at({ receiverId: 'receiver-2' }, 7, 7)).toMatch(/another receiver/);
  });

  test('does not count once the receiver may have forgotten', () => {
    expect(at({ retentionMs: 10 }, 7, 7, nowMs + 9)).toBeNull();
    expect(at({ retentionMs: 10 }, 7, 7, nowMs + 10)).toMatch(/no longer remembers/);
  });

  test('of an operation that was never sent is not discounted', () => {
    expect(discountAbsence([], declaration({ retentionMs: 10 }), 7, 7, nowMs)).toBeNull();
  });
});

test('a lease doubles with every attempt and is bounded', () => {
  const lengths = [1, 2, 3, 4, 5, 6].map((n) => leaseLengthMs(settings, n));
  expect(lengths).toEqual([5_000, 10_000, 20_000, 40_000, 60_000, 60_000]);
  expect(leaseLengthMs(settings, 5_000)).toBe(60_000);
});

test('the default lease stays far below the longest one for the default number of attempts', () => {
  expect(leaseLengthMs(defaultRecovery, 1)).toBe(5_000);
  expect(leaseLengthMs(defaultRecovery, defaultRecovery.attemptLimit)).toBe(600_000);
});

describe('the next look', () => {
  const looks = (count: number) =>
    Array.from({ length: count }, (_, index) => observation({ sequence: index + 1, observedAtMs: nowMs + index }));
  const at = (over: Parameters<typeof unknownView>[0]): number => nextLookAtMs(unknownView(over), settings) - nowMs;

  test('is due at once while nobody has looked since the last claim', () => {
    expect(at({ observations: [] })).toBe(0);
    expect(at({ operation: { attempts: 2 }, attempts: [attempt(), attempt({ attempt: 2 })] })).toBe(0);
  });

  test('backs off by doubling, from the newest look, and is bounded', () => {
    const pauses = [1, 2, 3, 4, 5, 60].map((count) => at({ observations: looks(count) }) - (count - 1));
    expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 8_000, 8_000]);
  });

  test('is due at once when an operator says "ask again" after the last look, and not before', () => {
    const word = (resolvedAtMs: number) => [resolution({ resolution: 'ask_again', resolvedAtMs })];
    expect(at({ observations: looks(1), resolutions: word(nowMs + 1) })).toBe(0);
    expect(at({ observations: looks(1), resolutions: word(nowMs) })).toBe(1_000);
    const other = [resolution({ resolution: 'effect_did_not_happen', resolvedAtMs: nowMs + 1 })];
    expect(at({ observations: looks(1), resolutions: other })).toBe(1_000);
  });
});

test('the samples of these tests are Unknown, as the ledger would show them', () => {
  for (const sample of Object.values(seen)) expect(sample.operation.state).toBe('Unknown');
  expect(view().operation.state).toBe('Approved');
});
