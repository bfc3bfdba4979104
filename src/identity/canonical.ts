// Text, frames and digests of the operation identity (contract, section 1). Pure; a second implementation in Python
// (test/vectors/reference.py) must agree byte for byte.
import { createHash } from 'node:crypto';
import { InputError, type Path } from './input-error.ts';

/** Node has `isWellFormed` since version 20; the ES2023 library types do not know it. */
interface WellFormedCheck {
  isWellFormed(): boolean;
}

/**
 * The text that is hashed: CRLF and lone CR become LF, nothing else changes; a leading U+FEFF is content.
 *
 * @throws InputError at `path` for another type, for ill-formed Unicode (every lone surrogate would be encoded as the
 * same replacement character, so different drafts would share a digest) and for U+0000 (text stores cut at it).
 */
export function normaliseText(value: unknown, path: Path = []): string {
  if (typeof value !== 'string') {
    const reason = value === undefined ? 'is missing' : `must be a string, not ${kindOf(value)}`;
    throw new InputError(reason, path, 'Give a text.');
  }
  if (!(value as string & WellFormedCheck).isWellFormed()) {
    throw new InputError('is not well-formed Unicode', path, 'A lone surrogate has no bytes: repair the text.');
  }
  if (value.includes('\0')) {
    throw new InputError('contains U+0000', path, 'Remove the NUL character.');
  }
  return value.includes('\r') ? value.replace(/\r\n?/g, '\n') : value;
}

/** @throws InputError unless the value is an object that is no array; `hint` says what belongs there. */
export function objectAt(value: unknown, path: Path, hint: string): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new InputError(value === undefined ? 'is missing' : `must be an object, not ${kindOf(value)}`, path, hint);
}

/** A JSON word for a value's type, for messages. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/**
 * Fields as bytes: each field's UTF-8 with its byte length before it as 4 bytes big-endian, so no text can imitate the
 * border between two fields. Fields are normalised first.
 *
 * @throws InputError at the field's index, see {@link normaliseText}.
 */
export function frame(fields: readonly string[]): Uint8Array {
  return encodeFrame(fields.map((field, index) => normaliseText(field, [index])));
}

/**
 * As {@link frame}, for fields that `normaliseText` returned. The bytes have memory of their own: a buffer from Node's
 * pool would show its neighbours to whoever looks at `.buffer`.
 */
export function encodeFrame(fields: readonly string[]): Uint8Array {
  return writeFrame(fields, Buffer.allocUnsafeSlow(frameSize(fields)));
}

/** `prefix` and the digest of the frame of fields that `normaliseText` returned; the frame itself is dropped. */
export function digestFields(prefix: string, fields: readonly string[]): string {
  return digest(prefix, writeFrame(fields, Buffer.allocUnsafe(frameSize(fields))));
}

function frameSize(fields: readonly string[]): number {
  let size = 0;
  for (const field of fields) size += 4 + Buffer.byteLength(field, 'utf8');
  return size;
}

function writeFrame(fields: readonly string[], bytes: Buffer): Buffer {
  let offset = 0;
  for (const field of fields) {
    const length = bytes.write(field, offset + 4, 'utf8');
    bytes.writeUInt32BE(length, offset);
    offset += 4 + length;
  }
  return bytes;
}

/** `prefix` and the SHA-256 of a frame's bytes in lower-case hex. */
export function digest(prefix: string, frameBytes: Uint8Array): string {
  return prefix + createHash('sha256').update(frameBytes).digest('hex');
}

/**
 * Order of two well-formed texts by their UTF-8 bytes, as a comparator. JavaScript's own order is by UTF-16 units and
 * differs: U+10000 is D800 DC00 there, before U+FB01, but F0 90 80 80 in UTF-8, after EF AC 81.
 */
export function compareUtf8(left: string, right: string): number {
  const shorter = Math.min(left.length, right.length);
  for (let index = 0; index < shorter; index++) {
    const a = left.charCodeAt(index);
    const b = right.charCodeAt(index);
    if (a !== b) return rank(a) - rank(b);
  }
  return left.length - right.length;
}

/** Moves surrogates above U+E000–U+FFFF: what they encode has more UTF-8 bytes and a greater first one. */
function rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}
