// What identify refuses whatever its types promise, and how the payload is split and hashed again.
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { CaseInput } from '../../src/core/case.ts';
import {
  frame,
  identify,
  isOperationId,
  operationIdOfPayload,
  parsePayload,
  policyId,
} from '../../src/identity/index.ts';
import { fullCase, refusal } from './support.ts';

const source = { sourceId: 'A', version: 1, quotation: 'q' };
const holes = [source];
holes.length = 2;

const refused: readonly [name: string, change: object, pointer: string][] = [
  ['no caseId', { caseId: undefined }, '/caseId'],
  ['a number as action', { action: 1 }, '/action'],
  ['null as body', { body: null }, '/body'],
  ['no evidence', { evidence: undefined }, '/evidence'],
  ['an object as evidence', { evidence: {} }, '/evidence'],
  ['a text as a source', { evidence: ['A'] }, '/evidence/0'],
  ['null as a source', { evidence: [source, null] }, '/evidence/1'],
  ['a hole in the evidence', { evidence: holes }, '/evidence/1'],
  ['an empty version', { evidence: [{ ...source, version: '' }] }, '/evidence/0/version'],
  ['a fraction as version', { evidence: [{ ...source, version: 1.5 }] }, '/evidence/0/version'],
  ['a boolean as version', { evidence: [{ ...source, version: true }] }, '/evidence/0/version'],
  ['a version above 2^53-1', { evidence: [{ ...source, version: 2 ** 53 }] }, '/evidence/0/version'],
  ['an array as quotation', { evidence: [{ ...source, quotation: [] }] }, '/evidence/0/quotation'],
  ['the same source twice', { evidence: [source, { ...source, version: '1' }] }, '/evidence/1'],
  [
    'sources equal after normalisation',
    { evidence: ['x\r', 'b', 'x\n'].map((q) => ({ ...source, quotation: q })) },
    '/evidence/2',
  ],
  ['no policy', { policy: undefined }, '/policy'],
  ['null as policy', { policy: null }, '/policy'],
  ['an array as policy', { policy: [] }, '/policy'],
  ['a fraction in the policy', { policy: { a: 0.5 } }, '/policy/a'],
  ['an object in the policy', { policy: { 'a/b~c': {} } }, '/policy/a~1b~0c'],
  ['NaN in the policy', { policy: { a: NaN } }, '/policy/a'],
  ['a bigint in the policy', { policy: { a: 1n } }, '/policy/a'],
  ['keys equal after normalisation', { policy: { 'a\r': 1, 'a\n': 2 } }, '/policy/a\n'],
  ['a reserved key', { policy: { 'countersign.object.id': 'x' } }, '/policy/countersign.object.id'],
  ['null as object', { object: null }, '/object'],
  ['a text as object', { object: 'o' }, '/object'],
  ['an object without id', { object: {} }, '/object/id'],
  ['null as the object version', { object: { id: 'o', version: null } }, '/object/version'],
  ['a text as the object version', { object: { id: 'o', version: '1' } }, '/object/version'],
  ['null as the scope', { object: { id: 'o', scope: null } }, '/object/scope'],
  ['an expiry without offset', { expiresAt: '2026-12-24T12:00:00' }, '/expiresAt'],
  ['a number as expiry', { expiresAt: 1 }, '/expiresAt'],
];

describe('identify refuses', () => {
  test.each(refused)('%s', (_name, change, pointer) => {
    const error = refusal(() => identify({ ...fullCase(), ...change }));
    expect(error.pointer).toBe(pointer);
    expect(error).toMatchObject({ code: 'malformed_input', name: 'InputError' });
    expect(error.hint).not.toBe('');
  });
});

test('a prototype gives no policy entry, an own __proto__ key is one', () => {
  expect(policyId(Object.create({ a: 1 }) as CaseInput['policy'])).toBe(policyId({}));
  expect(policyId(JSON.parse('{"__proto__":1}') as CaseInput['policy'])).not.toBe(policyId({}));
});

describe('the payload', () => {
  const { payload, operationId, evidenceId, policyId: policy } = identify(fullCase());
  const fields = parsePayload(payload);
  const list = Object.values<string>({ ...fields });
  const withField = (index: number, value: string): Uint8Array => frame(list.with(index, value));
  const bytes = (...parts: (string | Uint8Array)[]): Uint8Array =>
    Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'hex') : part)));

  test('splits into its six fields and hashes to the identity', () => {
    expect(fields).toMatchObject({ caseId: 'T-1042', action: 'record_support_review', evidenceId, policyId: policy });
    expect(operationIdOfPayload(payload)).toBe(operationId);
    expect(operationId).toBe('op-v1-' + createHash('sha256').update(payload).digest('hex'));
  });

  test('is read from a view into larger memory', () => {
    const memory = bytes('ffff', payload, 'ffff');
    expect(parsePayload(memory.subarray(2, 2 + payload.length))).toEqual(fields);
  });

  test('keeps a leading byte order mark of a field', () => {
    expect(parsePayload(withField(3, '\ufeffa')).body).toBe('\ufeffa');
  });

  const malformed: readonly [name: string, payload: Uint8Array, pointer: string][] = [
    ['no bytes', new Uint8Array(), ''],
    ['five fields', frame(list.slice(0, 5)), ''],
    ['seven fields', frame([...list, '']), ''],
    ['one byte more', bytes(payload, '00'), ''],
    ['one byte less', payload.subarray(0, -1), '/policyId'],
    ['a cut length', frame(list.slice(0, 5)).subarray(0, -70).subarray(0, 3), ''],
    ['a length of 4 GiB', bytes('ffffffff', payload), '/protocol'],
    ['another protocol', withField(0, 'decisionflow.operation.v2'), '/protocol'],
    ['no evidence identity', withField(4, 'evidence-v1-'), '/evidenceId'],
    ['an evidence identity and a line end', withField(4, evidenceId + '\n'), '/evidenceId'],
    ['a policy identity in upper case', withField(5, policy.toUpperCase()), '/policyId'],
    ['bytes that are not UTF-8', bytes(frame(list.slice(0, 3)), '00000001', 'ff', frame(list.slice(4))), '/body'],
    ['an encoded surrogate', bytes(frame(list.slice(0, 3)), '00000003', 'eda080', frame(list.slice(4))), '/body'],
    ['an overlong form', bytes(frame(list.slice(0, 3)), '00000002', 'c180', frame(list.slice(4))), '/body'],
    ['CR', bytes(frame(list.slice(0, 3)), '00000001', '0d', frame(list.slice(4))), '/body'],
    ['U+0000', bytes(frame(list.slice(0, 3)), '00000001', '00', frame(list.slice(4))), '/body'],
  ];

  test.each(malformed)('is refused with %s', (_name, value, pointer) => {
    expect(refusal(() => parsePayload(value)).pointer).toBe(pointer);
  });
});

test('isOperationId knows the form only', () => {
  const good = 'op-v1-' + '0a'.repeat(32);
  expect(isOperationId(good)).toBe(true);
  for (const bad of [good + '\n', good.toUpperCase(), good.slice(1), good + '0', '', undefined, null, 1, [good]]) {
    expect(isOperationId(bad)).toBe(false);
  }
});
