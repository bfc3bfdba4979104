// Reads what a person names on a command line: a file, or standard input as "-". The only I/O of this folder.
import { createReadStream } from 'node:fs';
import type { CaseInput, GivenCase } from '../core/case.ts';
import { parseCase, parseGivenCase } from './case.ts';
import { InputError, printable } from './input-error.ts';
import { decodeUtf8, parseJsonText } from './json-text.ts';
import { MAX_JSON_BYTES } from './limits.ts';

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  EISDIR: 'is a directory',
  EACCES: 'may not be read by this user',
  EPERM: 'may not be read by this user',
};

/**
 * The bytes of a file. At most 1 MiB and one byte is read, also from a pipe or a device.
 *
 * @throws InputError when there is no such file, when it cannot be read, or when it is larger than 1 MiB.
 */
export async function readInput(path: string, stdin: AsyncIterable<Uint8Array> = process.stdin): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of path === '-' ? stdin : createReadStream(path, { end: MAX_JSON_BYTES })) {
      chunks.push(chunk as Uint8Array);
      size += (chunk as Uint8Array).length;
      if (size > MAX_JSON_BYTES) break;
    }
  } catch (error) {
    const code = String((error as NodeJS.ErrnoException).code);
    const reason = REASONS[code] ?? `cannot be read (${code})`;
    throw new InputError(reason, [], 'Name a readable file, or - for standard input.', printable(path));
  }
  if (size > MAX_JSON_BYTES) {
    throw new InputError('is larger than 1 MiB', [], 'A case is at most 1 MiB of JSON.', printable(path));
  }
  return Buffer.concat(chunks, size);
}

/** A case from the bytes of a JSON text. @throws InputError, see `parseJsonText` and `parseCase`. */
export function parseCaseText(bytes: Uint8Array): CaseInput {
  return parseCase(parseJsonText(bytes));
}

/** @throws InputError, see `readInput`, `parseJsonText` and `parseCase`. */
export async function readCaseFile(path: string, stdin?: AsyncIterable<Uint8Array>): Promise<CaseInput> {
  return parseCaseText(await readInput(path, stdin));
}

/** A case that may have no body. @throws InputError, see `readInput`, `parseJsonText` and `parseGivenCase`. */
export async function readGivenCaseFile(path: string, stdin?: AsyncIterable<Uint8Array>): Promise<GivenCase> {
  return parseGivenCase(parseJsonText(await readInput(path, stdin)));
}

/** Any JSON value, for the evidence and policy files of a revision. @throws InputError */
export async function readJsonFile(path: string, stdin?: AsyncIterable<Uint8Array>): Promise<unknown> {
  return parseJsonText(await readInput(path, stdin));
}

/** A body file, every character of it content, a leading U+FEFF and a final line end too. @throws InputError */
export async function readTextFile(path: string, stdin?: AsyncIterable<Uint8Array>): Promise<string> {
  return decodeUtf8(await readInput(path, stdin));
}
