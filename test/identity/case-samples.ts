// Cases that must be accepted and cases that must be refused, for parseCase and, where it can say so, for the schema.
import { fullCase } from './support.ts';

interface Sample {
  readonly name: string;
  readonly input: () => unknown;
  /** JSON pointer of the fault, for a refused one. */
  readonly pointer: string;
  /** False where JSON Schema cannot express the rule, or the value is no JSON. */
  readonly expressible: boolean;
}

const wide = '\u{1f512}';
const source = { sourceId: 'A', version: 1, quotation: 'q' };
const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const entries = (count: number): object => Object.fromEntries(many(count, (index) => [`k${index}`, index]));
const without = (key: string): object => {
  const { [key]: _, ...rest } = fullCase();
  return rest;
};

function sample(name: string, change: object | (() => unknown), pointer = '', expressible = true): Sample {
  const input = typeof change === 'function' ? change : () => ({ ...fullCase(), ...change });
  return { name, input: input as () => unknown, pointer, expressible };
}

export const accepted: readonly Sample[] = [
  sample('every field', {}),
  sample('empty body, no evidence, no policy', { body: '', evidence: [], policy: {} }),
  sample('ids of 200 astral characters', { caseId: wide.repeat(200), eventId: wide.repeat(200) }),
  sample('ids with spaces, quotes, slashes and letters of any script', {
    caseId: ' a/b "ż" \u202e',
    proposedBy: '\ufeff日本',
  }),
  sample('a version as text, negative and zero', {
    evidence: ['2026-11', -1, 0, 2 ** 53 - 1].map((version) => ({ ...source, version })),
  }),
  sample('the same source with another version and another quotation', {
    evidence: [source, { ...source, version: 2 }, { ...source, quotation: '' }],
  }),
  sample('500 sources, 100 entries, 100 checks', {
    evidence: many(500, (version) => ({ ...source, version })),
    policy: entries(100),
    checks: many(100, () => ({ name: 'n', result: wide.repeat(2000) })),
  }),
  sample('256 KiB of evidence', { evidence: [{ ...source, quotation: 'x'.repeat(256 * 1024 - 2) }] }),
  sample('every engine key', {
    policy: {
      decisionTtlSeconds: 1,
      requireSignature: true,
      allowSelfApproval: false,
      resendWhenAbsent: true,
      irreversible: false,
    },
  }),
  sample('keys that only look special', { policy: { toString: 1, 'Countersign.x': 1, countersign: 1, length: true } }),
  sample('a time to decide of 100 years', { policy: { decisionTtlSeconds: 3_155_760_000 } }),
  sample('an unsupported workflow version: that is an outcome', { workflowVersion: 2 ** 53 - 1 }),
  sample('a past expiry: that is an outcome', { expiresAt: '1999-12-31T23:59:59+14:00' }),
  sample('objects without a prototype', () => Object.assign(Object.create(null) as object, fullCase())),
];

const ids: readonly [pointer: string, put: (id: unknown) => object][] = [
  ['/caseId', (id) => ({ caseId: id })],
  ['/action', (id) => ({ action: id })],
  ['/eventId', (id) => ({ eventId: id })],
  ['/proposedBy', (id) => ({ proposedBy: id })],
  ['/object/id', (id) => ({ object: { id } })],
  ['/object/scope', (id) => ({ object: { id: 'o', scope: id } })],
  ['/evidence/0/sourceId', (id) => ({ evidence: [{ ...source, sourceId: id }] })],
  ['/checks/0/name', (id) => ({ checks: [{ name: id, result: 'r' }] })],
];
const badIds: readonly [name: string, id: unknown, expressible: boolean][] = [
  ['an empty id', '', true],
  ['an id of 201 characters', wide.repeat(200) + 'x', true],
  ['an id of 500 characters', 'x'.repeat(500), true],
  ['an id with a line end', 'a\nb', true],
  ['an id with an escape', 'a\u001bb', true],
  ['an id with a C1 control', 'a\u009bb', true],
  ['an id with U+0000', 'a\0b', true],
  ['an ill-formed id', 'a\ud800', false],
  ['a number as id', 7, true],
  ['null as id', null, true],
];
const engineSwitches = ['requireSignature', 'allowSelfApproval', 'resendWhenAbsent', 'irreversible'];

export const refusedCases: readonly Sample[] = [
  ...[undefined, null, true, 7, 'text', []].map((value) =>
    sample(`${JSON.stringify(value)} as a case`, () => value, '', value !== undefined),
  ),
  ...['caseId', 'action', 'body', 'evidence', 'policy'].map((key) =>
    sample(`no ${key}`, () => without(key), `/${key}`),
  ),
  ...badIds.flatMap(([name, id, expressible]) =>
    ids.map(([pointer, put]) => sample(name, put(id), pointer, expressible)),
  ),
  sample('an unknown key', { operationId: 'x' }, '/operationId'),
  sample('an unknown key in a source', { evidence: [source, { ...source, page: 1 }] }, '/evidence/1/page'),
  sample('an unknown key in the object', { object: { id: 'o', owner: 'x' } }, '/object/owner'),
  sample('an unknown key in a check', { checks: [{ name: 'n', result: 'r', at: 1 }] }, '/checks/0/at'),
  sample('a key that needs escapes', { 'a/b~c': 1 }, '/a~1b~0c'),
  sample('an ill-formed key', { '\udc00': 1 }, '/\udc00'),
  sample('undefined in an optional field', { eventId: undefined }, '/eventId', false),
  sample('an array as body', { body: [] }, '/body'),
  sample('U+0000 in the body', { body: 'a\0' }, '/body', false),
  sample('a body of 128 KiB and one byte', { body: 'x'.repeat(128 * 1024 + 1) }, '/body', false),
  sample('an object as evidence', { evidence: {} }, '/evidence'),
  sample('501 sources', { evidence: many(501, (version) => ({ ...source, version })) }, '/evidence'),
  sample('1001 sources', { evidence: many(1001, (version) => ({ ...source, version })) }, '/evidence'),
  sample('null as a source', { evidence: [null] }, '/evidence/0'),
  sample('a source without version', { evidence: [{ sourceId: 'A', quotation: 'q' }] }, '/evidence/0/version'),
  sample('a source without quotation', { evidence: [{ sourceId: 'A', version: 1 }] }, '/evidence/0/quotation'),
  ...['', 'x'.repeat(201), 1.5, 2 ** 53, -(2 ** 53), NaN, true, null, {}, []].map((version) =>
    sample(
      `${JSON.stringify(version)} as version`,
      { evidence: [{ ...source, version }] },
      '/evidence/0/version',
      !Number.isNaN(version),
    ),
  ),
  sample(
    '256 KiB of evidence and one byte',
    { evidence: [{ ...source, quotation: 'x'.repeat(256 * 1024 - 1) }] },
    '/evidence',
    false,
  ),
  sample('a source twice', { evidence: [source, { ...source, version: '1' }] }, '/evidence/1', false),
  sample(
    'sources equal after normalisation',
    { evidence: ['\r', '\n'].map((quotation) => ({ ...source, quotation })) },
    '/evidence/1',
    false,
  ),
  sample('an array as policy', { policy: [] }, '/policy'),
  sample('101 policy entries', { policy: entries(101) }, '/policy'),
  sample('1001 policy entries', { policy: entries(1001) }, '/policy'),
  ...[null, 0.5, 2 ** 53, {}, [], ['a'], Infinity].map((value) =>
    sample(`${JSON.stringify(value)} in the policy`, { policy: { a: value } }, '/policy/a', value !== Infinity),
  ),
  sample('a policy text of 2001 characters', { policy: { a: 'x'.repeat(2001) } }, '/policy/a'),
  sample('an empty policy key', { policy: { '': 1 } }, '/policy/'),
  sample('a policy key of 201 characters', { policy: { ['k'.repeat(201)]: 1 } }, `/policy/${'k'.repeat(201)}`),
  sample('an ill-formed policy key', { policy: { '\ud800': 1 } }, '/policy/\ud800', false),
  sample('policy keys equal after normalisation', { policy: { 'a\r': 1, 'a\n': 1 } }, '/policy/a\n', false),
  sample('a reserved policy key', { policy: { 'countersign.expiresAt': 'x' } }, '/policy/countersign.expiresAt'),
  ...[0, -1, 1.5, '60', true, null, 3_155_760_001, 2 ** 53].map((value) =>
    sample(
      `${JSON.stringify(value)} seconds to decide`,
      { policy: { decisionTtlSeconds: value } },
      '/policy/decisionTtlSeconds',
    ),
  ),
  ...engineSwitches.flatMap((key) =>
    ['true', 1, 0, null].map((value) =>
      sample(`${JSON.stringify(value)} as ${key}`, { policy: { [key]: value } }, `/policy/${key}`),
    ),
  ),
  sample('null as object', { object: null }, '/object'),
  sample('an object without id', { object: { version: 1 } }, '/object/id'),
  ...[0, -1, 1.5, '1', null, 2 ** 53].map((version) =>
    sample(`${JSON.stringify(version)} as object version`, { object: { id: 'o', version } }, '/object/version'),
  ),
  sample('an object as checks', { checks: {} }, '/checks'),
  sample('101 checks', { checks: many(101, () => ({ name: 'n', result: 'r' })) }, '/checks'),
  sample('a check without result', { checks: [{ name: 'n' }] }, '/checks/0/result'),
  sample('an empty check result', { checks: [{ name: 'n', result: '' }] }, '/checks/0/result'),
  sample('a boolean check result', { checks: [{ name: 'n', result: true }] }, '/checks/0/result'),
  sample(
    'a check result of 2001 characters',
    { checks: [{ name: 'n', result: 'r'.repeat(2001) }] },
    '/checks/0/result',
  ),
  sample('an expiry without offset', { expiresAt: '2026-12-24T12:00:00' }, '/expiresAt'),
  sample('an expiry on a day that does not exist', { expiresAt: '2026-02-30T12:00:00Z' }, '/expiresAt'),
  sample('a number as expiry', { expiresAt: 1 }, '/expiresAt'),
  sample('null as expiry', { expiresAt: null }, '/expiresAt'),
  sample('an expiry before 1970', { expiresAt: '0001-01-01T00:00:00Z' }, '/expiresAt', false),
  ...[0, -1, 1.5, '1', true, null].map((value) =>
    sample(`${JSON.stringify(value)} as workflow version`, { workflowVersion: value }, '/workflowVersion'),
  ),
  sample('__proto__ as a key', () => JSON.parse('{"__proto__":{"a":1}}') as unknown, '/__proto__', false),
  sample('__proto__ in the policy', { policy: JSON.parse('{"__proto__":1}') as object }, '/policy/__proto__', false),
  sample(
    'a class instance',
    () =>
      Object.assign(
        new (class Case {
          readonly caseId = 'T-1';
        })(),
        fullCase(),
      ),
    '',
    false,
  ),
  sample('a date', { expiresAt: new Date(0) }, '/expiresAt', false),
  sample('a map as policy', { policy: new Map() }, '/policy', false),
  sample('an inherited field', () => Object.create(fullCase()) as unknown, '', false),
  sample('a symbol as a key', { policy: { [Symbol('x')]: 1 } }, '/policy', false),
  sample('a hidden property', () => Object.defineProperty(fullCase(), 'hidden', { value: 1 }), '/hidden', false),
  sample('a hole in a list', { evidence: Object.assign([], { length: 1 }) as unknown }, '/evidence', false),
  sample(
    'a list with a hole and a name',
    { evidence: Object.assign([], { length: 1, name: 1 }) as unknown },
    '/evidence/0',
    false,
  ),
  sample('a list with a name', { checks: Object.assign([], { name: 1 }) as unknown }, '/checks', false),
  sample('a list of another class', { checks: new (class List extends Array {})() }, '/checks', false),
  sample(
    'a cycle',
    () => {
      const input = fullCase();
      Object.assign(input, { object: { id: input } });
      return input;
    },
    '/object/id',
    false,
  ),
  sample('a function', { body: () => 'x' }, '/body', false),
  sample('a bigint', { workflowVersion: 1n }, '/workflowVersion', false),
];
