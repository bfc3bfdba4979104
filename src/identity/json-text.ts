// Strict JSON text: what two readers could understand differently is refused before it becomes a value. Used for case
// files and for the evidence and policy files of a revision.
import { visit } from 'jsonc-parser';
import { InputError, jsonPointer, type Path } from './input-error.ts';
import { MAX_JSON_BYTES, MAX_JSON_DEPTH } from './limits.ts';

// A leading U+FEFF is kept: in a body file it is content, in JSON it is refused with its own message.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** @throws InputError for bytes that are not UTF-8. A leading U+FEFF stays. */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new InputError('is not UTF-8', [], 'Save the file as UTF-8; some shells write UTF-16 by default.');
  }
}

/**
 * Reads one JSON value (RFC 8259) from at most 1 MiB of UTF-8.
 *
 * @throws InputError for a byte order mark (RFC 8259 has none), for a syntax error with line and column, and with the
 * JSON pointer for a key given twice and for a number that JavaScript would silently change to another integer.
 */
export function parseJsonText(bytes: Uint8Array): unknown {
  if (bytes.length > MAX_JSON_BYTES) {
    throw new InputError('is larger than 1 MiB', [], 'A case is at most 1 MiB of JSON.');
  }
  const text = decodeUtf8(bytes);
  if (text.startsWith('\ufeff')) {
    throw new InputError('begins with a byte order mark', [], 'Save the file as UTF-8 without BOM.');
  }
  refuseDepth(text);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new InputError(`is not JSON${syntaxFault(text)}`, [], 'Comments and trailing commas are not JSON.');
  }
  refuseAmbiguity(text);
  return value;
}

/** The visitor below is recursive; a megabyte of brackets would end it with a stack overflow. */
function refuseDepth(text: string): void {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (character === '"') inString = !inString;
    else if (character === '\\') index++;
    else if (inString) continue;
    else if (character === '{' || character === '[') depth++;
    else if (character === '}' || character === ']') depth--;
    if (depth > MAX_JSON_DEPTH) throw new InputError('is nested too deeply', [], 'A case has three levels.');
  }
}

/** V8 gives a position for some faults only, so the place comes from the second reader; it may be a little later. */
function syntaxFault(text: string): string {
  let place = '';
  const onError = (_code: number, _offset: number, _length: number, line: number, character: number): void => {
    place ||= `: line ${line + 1}, column ${character + 1}`;
  };
  visit(text, { onError }, { disallowComments: true });
  return place;
}

function refuseAmbiguity(text: string): void {
  const seen = new Set<string>();
  visit(text, {
    onObjectProperty: (key, _offset, _length, _line, _character, path) => {
      const at = [...path(), key];
      const pointer = jsonPointer(at);
      if (seen.has(pointer)) throw new InputError('is given twice', at, 'Keep one of the two.');
      seen.add(pointer);
    },
    onLiteralValue: (value, offset, length, _line, _character, path) => {
      if (typeof value === 'number') refuseChangedNumber(text.slice(offset, offset + length), path());
    },
  });
}

/**
 * Refuses a number that reads as an integer it is not: 9007199254740993, 9007199254740991.4, 1e-400. A number that
 * stays a fraction is left to the types, which allow none.
 */
function refuseChangedNumber(token: string, path: Path): void {
  const value = Number(token);
  if (Number.isFinite(value) && !Number.isInteger(value)) return;
  if (Number.isSafeInteger(value) && integerDigits(token) === String(Math.abs(value))) return;
  throw new InputError('is a number that JavaScript cannot hold exactly', path, 'Write it as a string.');
}

/** The digits of a JSON number token when it is an integer of at most 17 digits, else undefined. */
function integerDigits(token: string): string | undefined {
  const [mantissa, exponent = '0'] = token.split(/[eE]/) as [string, string?];
  const [whole, fraction = ''] = mantissa.replace('-', '').split('.') as [string, string?];
  const digits = (whole + fraction).replace(/^0+/, '');
  if (digits === '') return '0';
  // A loop, because the expression /0+$/ takes quadratic time on a long run of zeros that is not at the end.
  let end = digits.length;
  while (digits[end - 1] === '0') end--;
  const zeros = Number(exponent) - fraction.length + digits.length - end;
  return zeros >= 0 && end + zeros <= 17 ? digits.slice(0, end) + '0'.repeat(zeros) : undefined;
}
