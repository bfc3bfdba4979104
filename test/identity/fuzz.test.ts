// Whatever arrives, the readers answer with a case or with an InputError, and with nothing else.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  identify,
  InputError,
  isOperationId,
  parseCase,
  parseCaseText,
  parsePayload,
  parseRevision,
} from '../../src/identity/index.ts';
import { fullCase } from './support.ts';

function caseOrInputError(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    expect(error).toBeInstanceOf(InputError);
    const { pointer, message, hint } = error as InputError;
    expect(pointer === '' || pointer.startsWith('/')).toBe(true);
    expect(message).not.toMatch(/[\p{Cc}\p{Cs}]/u);
    expect(hint.length).toBeGreaterThan(0);
    return undefined;
  }
}

const anything = fc.anything({
  withBigInt: true,
  withBoxedValues: true,
  withDate: true,
  withMap: true,
  withSet: true,
  withNullPrototype: true,
  withObjectString: true,
  withTypedArray: true,
  withSparseArray: true,
  stringUnit: 'binary',
});

describe('parseCase and parseRevision', () => {
  test('on anything', () => {
    fc.assert(
      fc.property(anything, (value) => {
        caseOrInputError(() => parseCase(value));
        caseOrInputError(() => parseRevision(value));
      }),
      { numRuns: 2000 },
    );
  });

  test('on a case with one part replaced by anything', () => {
    const places: ((input: Record<string, never>, value: unknown, key: string) => void)[] = [
      (input, value, key) => set(input, key, value),
      (input, value, key) => set(input, key in input ? key : Object.keys(input).sort()[key.length % 11]!, value),
      (input, value, key) => set(input['policy']!, key, value),
      (input, value, key) => set(input['object']!, key, value),
      (input, value, key) => set(input['evidence']![0], key, value),
      (input, value) => set(input['evidence']!, '0', value),
      (input, value) => set(input['evidence']![1], 'version', value),
      (input, value) => set(input['checks']!, '0', value),
    ];
    const set = (holder: object, key: string, value: unknown): void =>
      void ((holder as Record<string, unknown>)[key] = value);
    fc.assert(
      fc.property(fc.constantFrom(...places), anything, fc.string({ unit: 'binary' }), (put, value, key) => {
        const input = fullCase();
        put(input as never, value, key);
        const read = caseOrInputError(() => parseCase(input));
        if (read === undefined) return;
        expect(isOperationId(identify(read as never).operationId)).toBe(true);
        expect(parseCase(read)).toEqual(read);
      }),
      { numRuns: 3000 },
    );
  });
});

test('parseCaseText on bytes, on JSON, and on a case with a few bytes changed', () => {
  const text = Buffer.from(JSON.stringify(fullCase()));
  const mutated = fc
    .array(fc.tuple(fc.nat(text.length - 1), fc.nat(255)), { minLength: 1, maxLength: 3 })
    .map((changes) => {
      const bytes = Buffer.from(text);
      for (const [at, byte] of changes) bytes[at] = byte;
      return bytes;
    });
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 60 }),
    fc.json().map((json) => Buffer.from(json)),
    mutated,
  );
  fc.assert(
    fc.property(bytes, (given) => void caseOrInputError(() => parseCaseText(given))),
    { numRuns: 3000 },
  );
});

test('parsePayload on bytes, and on a payload with a few bytes changed', () => {
  const { payload } = identify(fullCase());
  const mutated = fc
    .tuple(fc.nat(payload.length - 1), fc.nat(255))
    .map(([at, byte]) => Uint8Array.from(payload).fill(byte, at, at + 1));
  fc.assert(
    fc.property(
      fc.oneof(fc.uint8Array({ maxLength: 60 }), mutated),
      (given) => void caseOrInputError(() => parsePayload(given)),
    ),
    { numRuns: 2000 },
  );
});
