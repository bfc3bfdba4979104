// The one spelling of a deadline.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalInstant } from '../../src/identity/expiry.ts';
import { instant, refusal } from './support.ts';

describe('a deadline', () => {
  test.each([
    ['2026-12-24T12:00:00Z', '2026-12-24T12:00:00.000Z'],
    ['2026-12-24T13:00:00+01:00', '2026-12-24T12:00:00.000Z'],
    ['2026-12-24T00:30:00-23:59', '2026-12-25T00:29:00.000Z'],
    ['2026-12-24T12:00:00-00:00', '2026-12-24T12:00:00.000Z'],
    ['2026-12-24T12:00:00.5Z', '2026-12-24T12:00:00.500Z'],
    ['2026-12-24T12:00:00.1239999999Z', '2026-12-24T12:00:00.123Z'],
    ['2026-12-31T23:59:59.999999Z', '2026-12-31T23:59:59.999Z'],
    ['2028-02-29T00:00:00Z', '2028-02-29T00:00:00.000Z'],
    ['2000-02-29T00:00:00Z', '2000-02-29T00:00:00.000Z'],
    ['1970-01-01T00:00:00Z', '1970-01-01T00:00:00.000Z'],
    ['1969-12-31T23:30:00-01:00', '1970-01-01T00:30:00.000Z'],
    ['9999-12-31T23:59:59.9999Z', '9999-12-31T23:59:59.999Z'],
  ])('%s is %s', (given, expected) => {
    expect(canonicalInstant(given)).toBe(expected);
    expect(canonicalInstant(expected)).toBe(expected);
  });

  test.each([
    '',
    'soon',
    '2026-12-24',
    '2026-12-24T12:00:00',
    '2026-12-24 12:00:00Z',
    '2026-12-24t12:00:00z',
    '20261224T120000Z',
    '2026-12-24T12:00Z',
    '2026-12-24T12:00:00.Z',
    '2026-12-24T12:00:00,5Z',
    '2026-12-24T12:00:00+01',
    '2026-12-24T12:00:00+0100',
    ' 2026-12-24T12:00:00Z',
    '2026-12-24T12:00:00Z\n',
    '２026-12-24T12:00:00Z',
    '+002026-12-24T12:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-00-01T00:00:00Z',
    '2026-01-00T00:00:00Z',
    '2026-01-32T00:00:00Z',
    '2026-04-31T00:00:00Z',
    '2026-06-31T00:00:00Z',
    '2026-09-31T00:00:00Z',
    '2026-11-31T00:00:00Z',
    '2026-02-29T00:00:00Z',
    '2100-02-29T00:00:00Z',
    '2026-12-24T24:00:00Z',
    '2026-12-24T12:60:00Z',
    '2026-12-31T23:59:60Z',
    '2026-12-24T12:00:00+24:00',
    '2026-12-24T12:00:00+01:60',
    '0001-01-01T00:00:00Z',
    '0070-01-01T00:00:00Z',
    '1969-12-31T23:59:59.999Z',
    '1970-01-01T00:00:00+00:01',
    '9999-12-31T23:59:59-00:01',
  ])('%j is refused', (given) => {
    const error = refusal(() => canonicalInstant(given, ['expiresAt']));
    expect(error.pointer).toBe('/expiresAt');
    expect(error.hint).toContain('2026-12-24T12:00:00Z');
  });

  test('agrees with the platform on every instant both know', () => {
    fc.assert(
      fc.property(instant, (given) => {
        const day = new Date(`${given.slice(0, 10)}T00:00:00Z`);
        const exists = !Number.isNaN(day.getTime()) && day.toISOString().startsWith(given.slice(0, 10));
        if (exists) expect(canonicalInstant(given)).toBe(new Date(given).toISOString());
        else expect(refusal(() => canonicalInstant(given)).pointer).toBe('');
      }),
    );
  });
});
