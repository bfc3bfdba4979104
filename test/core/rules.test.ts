// The rules in force: a policy switches on only what it says outright, and a deployment can only tighten it.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rulesFor, rulesOf, type Minimums } from '../../src/core/rules.ts';
import { seed } from '../support/seed.ts';

test('an empty policy demands no signature, forbids self-approval and re-sending, and sets no limit', () => {
  expect(rulesOf({})).toEqual({
    requireSignature: false,
    allowSelfApproval: false,
    resendWhenAbsent: false,
    decisionTtlSeconds: null,
  });
});

test.each(['requireSignature', 'allowSelfApproval', 'resendWhenAbsent'] as const)(
  '%s is switched on by true alone',
  (key) => {
    expect(rulesOf({ [key]: true })[key]).toBe(true);
    for (const value of [false, 'true', 'false', 1, 0, '']) expect(rulesOf({ [key]: value })[key]).toBe(false);
    expect(rulesOf(Object.create({ [key]: true }) as Record<string, boolean>)[key]).toBe(false);
  },
);

test('a deployment tightens each rule and loosens none', () => {
  const all = { requireSignature: true, forbidSelfApproval: true, forbidResend: true, decisionTtlSecondsAtMost: 60 };
  const loose = { allowSelfApproval: true, resendWhenAbsent: true, decisionTtlSeconds: 3600 };
  expect(rulesOf(loose, all)).toEqual({
    requireSignature: true,
    allowSelfApproval: false,
    resendWhenAbsent: false,
    decisionTtlSeconds: 60,
  });
  const tight = { requireSignature: true, decisionTtlSeconds: 5 };
  expect(rulesOf(tight, { decisionTtlSecondsAtMost: 60 })).toMatchObject({
    requireSignature: true,
    decisionTtlSeconds: 5,
  });
});

test('the shorter time to decide counts, and a time of 0 is no time at all, not "no limit"', () => {
  expect(rulesOf({ decisionTtlSeconds: 0 }).decisionTtlSeconds).toBe(0);
  expect(rulesOf({}, { decisionTtlSecondsAtMost: 0 }).decisionTtlSeconds).toBe(0);
  expect(rulesOf({ decisionTtlSeconds: '60' }).decisionTtlSeconds).toBeNull();
});

test('no policy loosens what the deployment demands', () => {
  const value = fc.oneof(fc.boolean(), fc.constant('true'), fc.nat(10));
  const policy = fc.dictionary(
    fc.constantFrom('requireSignature', 'allowSelfApproval', 'resendWhenAbsent', 'decisionTtlSeconds'),
    value,
  );
  const minimums: fc.Arbitrary<Minimums> = fc.record(
    {
      requireSignature: fc.boolean(),
      forbidSelfApproval: fc.boolean(),
      forbidResend: fc.boolean(),
      decisionTtlSecondsAtMost: fc.nat(10),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(policy, minimums, (own, demanded) => {
      const rules = rulesOf(own, demanded);
      if (demanded.requireSignature) expect(rules.requireSignature).toBe(true);
      if (demanded.forbidSelfApproval) expect(rules.allowSelfApproval).toBe(false);
      if (demanded.forbidResend) expect(rules.resendWhenAbsent).toBe(false);
      const limit = demanded.decisionTtlSecondsAtMost;
      if (limit !== undefined) expect(rules.decisionTtlSeconds).toBeLessThanOrEqual(limit);
    }),
    { seed },
  );
});

test('the demand for an action is its own entry, otherwise that of *, otherwise none', () => {
  const minimums = { refund: { requireSignature: true }, '*': { forbidResend: true } };
  const policy = { resendWhenAbsent: true };
  expect(rulesFor({ action: 'refund', policy }, minimums)).toMatchObject({
    requireSignature: true,
    resendWhenAbsent: true,
  });
  expect(rulesFor({ action: 'close', policy }, minimums)).toMatchObject({
    requireSignature: false,
    resendWhenAbsent: false,
  });
  expect(rulesFor({ action: 'toString', policy }, {})).toEqual(rulesOf(policy));
});
