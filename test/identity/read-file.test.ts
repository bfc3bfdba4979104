// Files and standard input: readable errors, and never more than 1 MiB and one byte read.
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { InputError, readCaseFile, readInput, readJsonFile, readTextFile } from '../../src/identity/index.ts';
import { fullCase } from './support.ts';

let directory: string;
const file = (name: string, content: string | Uint8Array): string => {
  writeFileSync(join(directory, name), content);
  return join(directory, name);
};

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'countersign-identity-'));
});
afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});

async function fault(reading: Promise<unknown>): Promise<InputError> {
  const error: unknown = await reading.then(
    () => new Error('accepted'),
    (thrown: unknown) => thrown,
  );
  if (error instanceof InputError) return error;
  throw error;
}

async function* chunks(size: number, count: number, seen: { read: number }): AsyncGenerator<Uint8Array> {
  for (let index = 0; index < count; index++) {
    seen.read += size;
    yield Buffer.alloc(size, ' ');
  }
}

describe('reading', () => {
  test('a case file gives the case', async () => {
    expect(await readCaseFile(file('case.json', JSON.stringify(fullCase())))).toEqual(fullCase());
  });

  test('"-" reads standard input', async () => {
    async function* stdin(): AsyncGenerator<Uint8Array> {
      const bytes = Buffer.from('["ż"]');
      yield bytes.subarray(0, 3);
      yield bytes.subarray(3);
    }
    expect(await readJsonFile('-', stdin())).toEqual(['ż']);
  });

  test('a text file is content as it is, byte order mark and line ends included', async () => {
    expect(await readTextFile(file('body.txt', '\ufeffone\r\n'))).toBe('\ufeffone\r\n');
  });

  test('exactly 1 MiB is read, one byte more is refused', async () => {
    expect(await readInput(file('full', Buffer.alloc(1024 * 1024)))).toHaveLength(1024 * 1024);
    const error = await fault(readInput(file('big', Buffer.alloc(1024 * 1024 + 1))));
    expect(error.message).toMatch(/big is larger than 1 MiB$/);
  });

  test('a stream without end is left after 1 MiB', async () => {
    const seen = { read: 0 };
    expect((await fault(readInput('-', chunks(64 * 1024, 1e9, seen)))).message).toBe('- is larger than 1 MiB');
    expect(seen.read).toBe(1024 * 1024 + 64 * 1024);
  });

  test.runIf(process.platform === 'linux')('so is a device', async () => {
    expect((await fault(readInput('/dev/zero'))).message).toBe('/dev/zero is larger than 1 MiB');
  });

  test('a missing file, a directory and a path that cannot be one are named', async () => {
    expect((await fault(readCaseFile(join(directory, 'none.json')))).message).toMatch(/none\.json does not exist$/);
    expect((await fault(readCaseFile(directory))).message).toMatch(/is a directory$/);
    const error = await fault(readCaseFile('a\0\u001b[31mb'));
    expect(error.message).toBe('a\\u{0}\\u{1b}[31mb cannot be read (ERR_INVALID_ARG_VALUE)');
    expect(error).toMatchObject({ code: 'malformed_input', pointer: '' });
  });

  test.runIf(process.getuid !== undefined && process.getuid() !== 0)('so is a file without permission', async () => {
    const path = file('secret.json', '{}');
    chmodSync(path, 0);
    expect((await fault(readCaseFile(path))).message).toMatch(/may not be read by this user$/);
  });

  test('a fault of standard input is an input error', async () => {
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('{');
      throw Object.assign(new Error('reset'), { code: 'ECONNRESET' });
    }
    expect((await fault(readCaseFile('-', broken()))).message).toBe('- cannot be read (ECONNRESET)');
  });
});
