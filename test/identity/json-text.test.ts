// Strict JSON text: each row is a file that two readers could understand differently, or not at all.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseCaseText, parseJsonText } from '../../src/identity/index.ts';
import { fullCase, refusal } from './support.ts';

const utf8 = (value: string): Uint8Array => Buffer.from(value);

describe('accepted', () => {
  test.each([
    ['{"a":[1,-2.5,true,null,"x"]}', { a: [1, -2.5, true, null, 'x'] }],
    ['\r\n\t {"a":{"a":{"a":1}},"b":[{"a":1},{"a":2}]} ', { a: { a: { a: 1 } }, b: [{ a: 1 }, { a: 2 }] }],
    [
      '[1.0,1e2,120e-1,-0,0.0,0e9,9007199254740991,-9007199254740991]',
      [1, 100, 12, -0, 0, 0, 2 ** 53 - 1, 1 - 2 ** 53],
    ],
    ['[90071992547409910e-1,0.1,1.5e-7]', [2 ** 53 - 1, 0.1, 1.5e-7]],
    ['"\\ud83d\\ude00 [{\\"\\\\"', '😀 [{"\\'],
    ['"\ufeff"', '\ufeff'],
  ])('%s', (text, expected) => {
    expect(parseJsonText(utf8(text))).toEqual(expected);
  });

  test('whatever JSON.stringify writes, unless an integer is past 2^53', () => {
    const value = fc.jsonValue({ stringUnit: 'binary' });
    fc.assert(
      fc.property(value, (given) => {
        const text = JSON.stringify(given);
        if (/\d{16}|e\+/.test(text)) return;
        expect(JSON.stringify(parseJsonText(utf8(text)))).toBe(JSON.stringify(JSON.parse(text)));
      }),
    );
  });
});

const ambiguous: readonly [text: string, pointer: string][] = [
  ['{"a":1,"a":1}', '/a'],
  ['{"a":1,"\\u0061":2}', '/a'],
  ['{"x":{"y/z":[0,{"k~":1,"q":2,"k~":3}]}}', '/x/y~1z/1/k~0'],
  ['{"__proto__":1,"__proto__":2}', '/__proto__'],
  ['{"":1,"":2}', '/'],
  ['[9007199254740992]', '/0'],
  ['{"v":-9007199254740993}', '/v'],
  ['[0,9007199254740991.4]', '/1'],
  ['[1.00000000000000000001]', '/0'],
  ['[1e-400]', '/0'],
  ['[-1e400]', '/0'],
  ['[1e21]', '/0'],
  ['[1e99999999999999999999]', '/0'],
  ['12345678901234567890', ''],
];

test.each(ambiguous)('%s is refused at "%s"', (text, pointer) => {
  expect(refusal(() => parseJsonText(utf8(text))).pointer).toBe(pointer);
});

const invalid: readonly [name: string, bytes: Uint8Array, message: RegExp][] = [
  ['nothing', utf8(''), /^the input is not JSON: line 1, column 1$/],
  ['half a file', utf8('{"a":\n  "b'), /not JSON: line 2, column 3/],
  ['a trailing comma', utf8('{"a":1,}'), /not JSON: line 1, column 8/],
  ['a comment', utf8('{}\n// done'), /not JSON: line 2, column 1/],
  ['two values', utf8('{} {}'), /not JSON/],
  ['single quotes', utf8("{'a':1}"), /not JSON: line 1, column 2/],
  ['NaN', utf8('[NaN]'), /not JSON/],
  ['a leading zero', utf8('[01]'), /not JSON/],
  ['a raw control character', utf8('"a\u0001b"'), /not JSON/],
  ['a lone backslash', utf8('"\\'), /not JSON/],
  ['a byte order mark', utf8('\ufeff{}'), /begins with a byte order mark/],
  ['UTF-16', Buffer.from('\ufeff{}', 'utf16le'), /is not UTF-8/],
  ['Latin-1', Buffer.from('"é"', 'latin1'), /is not UTF-8/],
  ['an encoded surrogate', Buffer.from('22eda08022', 'hex'), /is not UTF-8/],
  ['65 levels', utf8('['.repeat(65) + ']'.repeat(65)), /nested too deeply/],
  ['a megabyte of brackets', utf8('['.repeat(1024 * 1024)), /nested too deeply/],
  ['more than 1 MiB', utf8(' '.repeat(1024 * 1024 + 1)), /larger than 1 MiB/],
];

test.each(invalid)('%s is refused', (_name, bytes, message) => {
  const error = refusal(() => parseJsonText(bytes));
  expect(error.message).toMatch(message);
  expect(error.pointer).toBe('');
  expect(error.hint).not.toBe('');
});

test('a number of a megabyte is judged at once', () => {
  const zeros = '0'.repeat(1_000_000);
  expect(refusal(() => parseJsonText(utf8(`[1.${zeros}1]`))).pointer).toBe('/0');
  expect(parseJsonText(utf8(`[1.${zeros},1${'0'.repeat(15)}]`))).toEqual([1, 1e15]);
}, 2_000);

test('64 levels are read', () => {
  expect(JSON.stringify(parseJsonText(utf8('['.repeat(64) + ']'.repeat(64))))).toHaveLength(128);
});

test('a case in a file keeps the pointer of its fault', () => {
  const text = JSON.stringify(fullCase());
  expect(parseCaseText(utf8(text))).toEqual(fullCase());
  expect(refusal(() => parseCaseText(utf8(text.replace('"scope":', '"version":4,"scope":')))).pointer).toBe(
    '/object/version',
  );
  expect(refusal(() => parseCaseText(utf8(text.replace('"version":2', '"version":2.0000000000000001')))).pointer).toBe(
    '/evidence/1/version',
  );
  expect(refusal(() => parseCaseText(utf8(text.replace('"policy":{', '"policy":{"__proto__":1,')))).pointer).toBe(
    '/policy/__proto__',
  );
});
