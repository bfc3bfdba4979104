// The error catalogue: complete entries, exit codes of the contract, and recognition by code.
import { expect, test } from 'vitest';
import { CountersignError, catalogue, errorCode, type ErrorCode } from '../../src/core/errors.ts';

const codes = Object.keys(catalogue) as ErrorCode[];

test.each(codes)('%s has a message, a hint and an exit code of the contract', (code) => {
  const { message, hint, exitCode } = catalogue[code];
  expect(message).toMatch(/^[A-Z].*\.$/);
  expect(hint).toMatch(/\.$/);
  expect([1, 2, 4, 5, 9, 69]).toContain(exitCode);
});

test('server, database and clock that cannot be relied on exit with 69', () => {
  const unreliable = codes.filter((code) => catalogue[code].exitCode === 69);
  const expected = `state_unusable state_locked ledger_damaged ledger_version ledger_pragmas ledger_unavailable
    clock_behind receiver_damaged receiver_foreign receiver_unavailable server_unavailable`;
  expect(unreliable).toEqual(expect.arrayContaining(expected.trim().split(/\s+/)));
});

test('an error without specifics says what the catalogue says', () => {
  const error = new CountersignError('clock_behind');
  expect(error.message).toBe(catalogue.clock_behind.message);
  expect(error.hint).toBe(catalogue.clock_behind.hint);
  expect(error.cause).toBeUndefined();
  expect(error.details).toBeUndefined();
});

test('an error with specifics keeps its code and says what it was given', () => {
  const cause = new Error('EIO');
  const error = new CountersignError('internal', { message: 'm', hint: 'h', cause, details: { n: 1 } });
  expect(error).toMatchObject({ code: 'internal', message: 'm', hint: 'h', details: { n: 1 } });
  expect(error.cause).toBe(cause);
});

test('a catalogue code is recognised on anything that carries it, never by its class', () => {
  expect(errorCode(new CountersignError('not_found'))).toBe('not_found');
  expect(errorCode({ code: 'clock_behind' })).toBe('clock_behind');
});

test.each([
  [null],
  [undefined],
  ['not_found'],
  [17],
  [{}],
  [{ code: 'ENOENT' }],
  [{ code: 5 }],
  [{ code: 'toString' }],
])('%j carries no catalogue code', (thrown) => {
  expect(errorCode(thrown)).toBeNull();
});
