// Messages of any shape: never an exception, and an approval only where `approved` is an own boolean.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  parseApproval,
  parseResolution,
  parseRevision,
  parseWithdrawal,
  textLimits,
  type Parsed,
} from '../../src/core/messages.ts';
import { seed } from '../support/seed.ts';
import { operationId } from './samples.ts';

const approval = { operationId, approved: true, reviewer: 'rita', reason: 'checked', signature: 'sig' };
const revision = { expectedOperationId: operationId, revisedBy: 'rita', body: 'better' };
const withdrawal = { operationId, by: 'rita', reason: 'not needed' };
const word = { operationId, resolution: 'effect_happened', operator: 'olga', reason: 'seen', reference: 'row 7' };

const parsers = [
  ['approval', parseApproval, approval],
  ['revision', parseRevision, revision],
  ['withdrawal', parseWithdrawal, withdrawal],
  ['resolution', parseResolution, word],
] as const;
type Parse = (args: readonly unknown[]) => Parsed<unknown>;

function fault(parse: Parse, ...args: unknown[]): string {
  const parsed = parse(args);
  if (parsed.ok) throw new Error(`accepted ${JSON.stringify(parsed.value)}`);
  expect(parsed.message).not.toBe('');
  return parsed.pointer;
}
const without = (from: object, key: string): object =>
  Object.fromEntries(Object.entries(from).filter(([name]) => name !== key));

describe.each(parsers)('a message of kind %s', (_kind, parse: Parse, whole) => {
  test('is accepted whole, as a copy', () => {
    const parsed = parse([whole]);
    expect(parsed).toEqual({ ok: true, value: whole });
    expect(parsed.ok && parsed.value).not.toBe(whole);
  });

  test('is refused without, or with more than, its one argument', () => {
    expect(fault(parse)).toBe('');
    expect(fault(parse, whole, whole)).toBe('');
  });

  test.each([[null], [undefined], ['yes'], [true], [0], [[]], [[1]]])('is refused as %j', (value) => {
    expect(fault(parse, value)).toBe('');
  });

  test('is refused with an unknown field, at a pointer with RFC 6901 escapes', () => {
    expect(fault(parse, { ...whole, 'a/b~c': 1 })).toBe('/a~1b~0c');
    expect(fault(parse, { ...whole, toString: 1 })).toBe('/toString');
    expect(fault(parse, JSON.parse(JSON.stringify(whole).replace('{', '{"__proto__":{},')))).toBe('/__proto__');
  });

  test.each(Object.entries(whole))('is refused with a wrong %s', (name, value) => {
    if (name === 'body') return;
    const wrong: unknown[] = [null, {}, [], 7, '', ' \n', 'x\0', 'x\ud800', 'x'.repeat(5000), new String(value)];
    for (const given of wrong) expect(fault(parse, { ...whole, [name]: given })).toBe(`/${name}`);
  });

  test('takes fields from the message itself, not from a prototype', () => {
    expect(parse([Object.create(whole)]).ok).toBe(false);
  });

  test('is refused, not thrown at, when looking at it throws', () => {
    const throws = (): never => {
      throw new Error('looked at');
    };
    const getter = Object.defineProperty({ ...whole }, 'operationId', { get: throws, enumerable: true });
    expect(fault(parse, getter)).toBe('');
    expect(fault(parse, new Proxy({}, { ownKeys: throws }))).toBe('');
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    expect(fault(parse, proxy)).toBe('');
  });
});

describe('required fields', () => {
  const required = [
    [parseApproval, approval, ['operationId', 'approved', 'reviewer']],
    [parseRevision, revision, ['expectedOperationId', 'revisedBy']],
    [parseWithdrawal, withdrawal, ['operationId', 'by', 'reason']],
    [parseResolution, word, ['operationId', 'resolution', 'operator', 'reason']],
  ] as const;
  const cases = required.flatMap(([parse, whole, names]) =>
    names.map((name) => [name, parse as Parse, whole] as const),
  );
  test.each(cases)('%s may not be missing', (name, parse, whole) => {
    expect(fault(parse, without(whole, name))).toBe(`/${name}`);
  });

  test('reason and signature of an approval may be', () => {
    expect(parseApproval([without(without(approval, 'reason'), 'signature')]).ok).toBe(true);
  });
});

describe('consent', () => {
  test.each([[undefined], [null], ['true'], [1], [[]], [{}], [new Boolean(true)]])('is not %j', (approved) => {
    expect(fault(parseApproval, { ...approval, approved })).toBe('/approved');
  });

  test('is not inherited and not left out', () => {
    const inherited = Object.assign(Object.create({ approved: true }) as object, without(approval, 'approved'));
    expect(fault(parseApproval, inherited)).toBe('/approved');
  });

  test('is read once: what was checked is what is passed on', () => {
    let looks = 0;
    const fickle = {
      ...without(approval, 'approved'),
      get approved(): unknown {
        looks += 1;
        return looks === 1 ? false : true;
      },
    };
    expect(parseApproval([fickle])).toMatchObject({ ok: true, value: { approved: false } });
  });
});

test.each(['op-v1-', `op-v1-${'A'.repeat(64)}`, `op-v1-${'a'.repeat(63)}`, `${operationId} `, `x${operationId}`])(
  '%j is no operation identity',
  (wrong) => {
    expect(fault(parseApproval, { ...approval, operationId: wrong })).toBe('/operationId');
  },
);

test('texts are accepted up to their limit and not beyond', () => {
  for (const [name, limit] of [
    ['reviewer', textLimits.name],
    ['reason', textLimits.reason],
  ] as const) {
    expect(parseApproval([{ ...approval, [name]: 'x'.repeat(limit) }]).ok).toBe(true);
    expect(fault(parseApproval, { ...approval, [name]: 'x'.repeat(limit + 1) })).toBe(`/${name}`);
  }
});

test('a revision must change body, evidence or policy', () => {
  expect(fault(parseRevision, without(revision, 'body'))).toBe('');
  for (const part of ['body', 'evidence', 'policy']) {
    expect(parseRevision([{ ...without(revision, 'body'), [part]: [] }]).ok).toBe(true);
    expect(fault(parseRevision, { ...without(revision, 'body'), [part]: undefined })).toBe('');
  }
});

test('"it happened" needs a reference; the other words do not', () => {
  expect(fault(parseResolution, without(word, 'reference'))).toBe('/reference');
  for (const resolution of ['effect_did_not_happen', 'ask_again', 'abandon']) {
    expect(parseResolution([{ ...without(word, 'reference'), resolution }]).ok).toBe(true);
  }
  expect(fault(parseResolution, { ...word, resolution: 'it_happened' })).toBe('/resolution');
});

describe('hostile input', () => {
  const anything = fc.anything({
    withBigInt: true,
    withBoxedValues: true,
    withDate: true,
    withMap: true,
    withNullPrototype: true,
    withObjectString: true,
    withSet: true,
    withSparseArray: true,
    withTypedArray: true,
  });
  /** Messages that are right but for some fields: they get further than arbitrary values do. */
  const nearly = fc
    .tuple(
      fc.constantFrom<object>(approval, revision, withdrawal, word),
      fc.dictionary(
        fc.constantFrom('approved', 'operationId', 'reviewer', 'reason', 'body', 'resolution', 'reference', 'extra'),
        anything,
        { maxKeys: 2, noNullPrototype: false },
      ),
    )
    .map(([whole, over]) => ({ ...whole, ...over }));
  const args = fc.oneof(
    fc.array(anything, { maxLength: 3 }),
    fc.tuple(nearly),
    fc.tuple(fc.json().map((text): unknown => JSON.parse(text))),
  );

  test('is answered, never thrown at', () => {
    fc.assert(
      fc.property(args, (given) => {
        for (const [, parse] of parsers) {
          const parsed = (parse as Parse)(given);
          if (!parsed.ok) expect(parsed.pointer).toMatch(/^(\/|$)/);
        }
      }),
      { seed, numRuns: 2_000 },
    );
  });

  test('is an approval only with an own boolean, an identity and a name', () => {
    fc.assert(
      fc.property(args, (given) => {
        const parsed = parseApproval(given);
        if (!parsed.ok) return;
        const original = given[0] as Record<string, unknown>;
        expect(Object.hasOwn(original, 'approved')).toBe(true);
        expect(typeof original['approved']).toBe('boolean');
        expect(parsed.value.approved).toBe(original['approved']);
        expect(parsed.value.operationId).toMatch(/^op-v1-[0-9a-f]{64}$/);
        expect(parsed.value.reviewer.trim()).not.toBe('');
      }),
      { seed, numRuns: 2_000 },
    );
  });
});
