// Reads a deadline (RFC 3339) into its one canonical spelling (contract, section 1).
import { InputError, type Path } from './input-error.ts';

// Groups: 1 year, 2 month, 3 day, 4 hour, 5 minute, 6 second, 7 fraction, 8 sign and 9, 10 hour, minute of the offset.
const INSTANT = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:Z|([+-])(\d{2}):(\d{2}))$/;
const HINT = 'RFC 3339 with an offset, for example 2026-12-24T12:00:00Z or 2026-12-24T13:00:00+01:00.';
const EARLIEST = Date.UTC(1970, 0, 1);
const LATEST = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/**
 * The instant in UTC with three fraction digits and `Z`. Further digits are cut, not rounded, as the reference
 * implementation does, so a deadline never moves later.
 *
 * @throws InputError for anything but RFC 3339 with upper-case `T` and `Z`, for a day or time that does not exist (leap
 * seconds included) and for years outside 1970–9999: an earlier one is a zero date, not a deadline, and the
 * implementations in use do not spell it alike.
 */
export function canonicalInstant(value: unknown, path: Path = []): string {
  const match = typeof value === 'string' ? INSTANT.exec(value) : null;
  if (match === null) throw new InputError('must be a date and time with an offset', path, HINT);
  const part = (group: number): number => Number(match[group] ?? 0);
  const [year, month, hour, minute, second] = [part(1), part(2), part(4), part(5), part(6)];
  const [offsetHour, offsetMinute] = [part(9), part(10)];
  const dayExists = month >= 1 && month <= 12 && part(3) >= 1 && part(3) <= daysIn(year, month);
  if (!dayExists || hour > 23 || minute > 59 || second > 59 || offsetHour > 23 || offsetMinute > 59) {
    throw new InputError('is a date, time or offset that does not exist', path, HINT);
  }
  const milliseconds = Number((match[7] ?? '').slice(0, 3).padEnd(3, '0'));
  const offset = (offsetHour * 60 + offsetMinute) * (match[8] === '-' ? -60_000 : 60_000);
  const instant = Date.UTC(year, month - 1, part(3), hour, minute, second, milliseconds) - offset;
  // Date.UTC reads the years 0 to 99 as 1900 to 1999, so the written year is checked as well.
  if (year < 1969 || instant < EARLIEST || instant > LATEST) {
    throw new InputError('must lie in the years 1970 to 9999', path, HINT);
  }
  return new Date(instant).toISOString();
}

function daysIn(year: number, month: number): number {
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  if (month === 2) return leap ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}
