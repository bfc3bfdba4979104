/** What keeps the development server from starting: one readable line, a hint, and nothing changed. */
import { spawn } from 'node:child_process';
import { copyFileSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { serverArguments, serverEnvironment } from '../../src/server/launch.ts';
import { freePorts } from '../../src/server/ports.ts';
import { cleanUpAfterEach, failure, realCli, sha256, start, temporaryDirectory } from './helpers.ts';

cleanUpAfterEach();
const timeout = 120_000;

/** A state directory with the file of a server that ran and was stopped. */
async function usedDirectory(): Promise<{ stateDir: string; file: string }> {
  const stateDir = temporaryDirectory();
  await (await start(stateDir)).stop();
  const file = join(stateDir, 'temporal.db');
  // Folds the write-ahead log into the file, so that what a test does to the file is all there is.
  const database = new Database(file);
  database.pragma('wal_checkpoint(TRUNCATE)');
  database.close();
  return { stateDir, file };
}

describe('a port', () => {
  it.each(['port', 'uiPort'] as const)(
    'that is taken (%s) is named',
    async (which) => {
      const taken = createServer();
      await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
      try {
        const { port } = taken.address() as AddressInfo;
        const error = await failure(start(temporaryDirectory(), { [which]: port, headless: false }));
        const what = which === 'port' ? 'the port' : 'the UI port';
        expect(error.code).toBe('server_unavailable');
        expect(error.message).toBe(`${what} ${port} is taken`);
        expect(error.hint).toContain('--port');
      } finally {
        await new Promise((resolve) => taken.close(resolve));
      }
    },
    timeout,
  );

  it.each([0, -1, 65_536, 1.5, Number.NaN])('%s is no port', async (port) => {
    expect((await failure(start(temporaryDirectory(), { port }))).message).toBe(
      `the port ${port} is not a port number`,
    );
  });
});

describe('a state directory', () => {
  it('that cannot be made is named', async () => {
    const file = join(temporaryDirectory(), 'file');
    writeFileSync(file, '');
    const error = await failure(start(join(file, 'state')));
    expect(error).toMatchObject({ code: 'server_unavailable', hint: expect.stringContaining('--state') as string });
    expect(error.message).toContain(`the state directory ${join(file, 'state')} cannot be used`);
    expect(readFileSync(file, 'utf8')).toBe('');
  });
});

describe('a database file', () => {
  const refusal = async (stateDir: string): Promise<string> => {
    const file = join(stateDir, 'temporal.db');
    const before = sha256(readFileSync(file));
    const error = await failure(start(stateDir));
    expect(error.code).toBe('server_unavailable');
    expect(error.hint).toMatch(/--state/);
    expect(error.message).not.toContain('\n');
    expect(sha256(readFileSync(file))).toBe(before);
    return error.message.replace(file, 'FILE');
  };

  it(
    'that is none is refused',
    async () => {
      const stateDir = temporaryDirectory();
      writeFileSync(
        join(stateDir, 'temporal.db'),
        'text, and a good deal more than the header of a database would be'.repeat(99),
      );
      expect(await refusal(stateDir)).toBe('FILE is damaged or is no SQLite database (file is not a database)');
      writeFileSync(join(stateDir, 'temporal.db'), '');
      expect(await refusal(stateDir)).toBe('FILE is not a database of the Temporal server');
    },
    timeout,
  );

  it(
    'of another application is refused',
    async () => {
      const stateDir = temporaryDirectory();
      new Database(join(stateDir, 'temporal.db')).exec('CREATE TABLE orders (id INTEGER)').close();
      expect(await refusal(stateDir)).toBe('FILE is not a database of the Temporal server');
    },
    timeout,
  );

  it(
    'that was cut off or overwritten in the middle is refused',
    async () => {
      const { stateDir, file } = await usedDirectory();
      const whole = join(temporaryDirectory(), 'whole.db');
      copyFileSync(file, whole);
      truncateSync(file, 20_000);
      expect(await refusal(stateDir)).toContain('FILE is damaged or is no SQLite database');
      const bytes = readFileSync(whole).fill(0xa5, 8_192, 48_000);
      writeFileSync(file, bytes);
      expect(await refusal(stateDir)).toContain('FILE is damaged or is no SQLite database');
    },
    timeout,
  );

  it(
    'of a server with other tables is refused, whether or not it is noted who made it',
    async () => {
      const { stateDir, file } = await usedDirectory();
      const note = join(stateDir, 'temporal.version.json');
      const database = new Database(file);
      database.exec('DROP TABLE nexus_endpoints');
      database.close();
      const another = /^FILE was made by another version of the Temporal server, and server \S+ needs other tables$/;
      expect(await refusal(stateDir)).toMatch(another);
      rmSync(note);
      expect(await refusal(stateDir)).toMatch(another);
    },
    timeout,
  );

  it(
    'of another server with the same tables, or without a note, is used',
    async () => {
      const { stateDir } = await usedDirectory();
      const note = join(stateDir, 'temporal.version.json');
      const { schema } = JSON.parse(readFileSync(note, 'utf8')) as { schema: string };
      writeFileSync(note, JSON.stringify({ serverVersion: '1.0.0', schema }));
      await (await start(stateDir)).stop();
      const { serverVersion } = await realCli();
      expect(JSON.parse(readFileSync(note, 'utf8'))).toEqual({ serverVersion, schema });
      rmSync(note);
      expect((await start(stateDir)).adopted).toBe(false);
    },
    timeout,
  );

  it(
    'in use by a server that was started some other way is refused',
    async () => {
      const stateDir = temporaryDirectory();
      const { path } = await realCli();
      const [port = 0] = await freePorts(1);
      const databaseFile = join(stateDir, 'temporal.db');
      const options = { cliPath: path, stateDir, databaseFile, port, uiPort: null, namespace: 'default' };
      const args = serverArguments({ ...options, searchAttributes: {} });
      const stranger = spawn(path, args, { stdio: ['ignore', 'pipe', 'ignore'], env: serverEnvironment() });
      const closed = new Promise<void>((resolve) => stranger.once('close', () => resolve()));
      try {
        await new Promise<void>((resolve) => stranger.stdout.once('data', () => resolve()));
        const error = await failure(start(stateDir));
        expect(error.message).toBe(`${databaseFile} is in use by another process`);
      } finally {
        stranger.kill('SIGKILL');
        await closed;
      }
    },
    timeout,
  );
});

describe('a process that does nothing else', () => {
  it(
    'hears of the failure too',
    async () => {
      const { stateDir, file } = await usedDirectory();
      new Database(file).exec('DROP TABLE nexus_endpoints').close();
      const script = fileURLToPath(new URL('./hold-server.ts', import.meta.url));
      const child = spawn(process.execPath, ['--import', 'tsx', script, stateDir], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let said = '';
      child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
      const code = await new Promise((resolve) => child.once('close', resolve));
      expect(code).toBe(0);
      expect(said).toContain('was made by another version of the Temporal server');
    },
    timeout,
  );
});

describe('a program that is no Temporal CLI', () => {
  it(
    'is reported with what it said',
    async () => {
      const cli = { ...(await realCli()), path: join(temporaryDirectory(), 'gone') };
      const error = await failure(start(temporaryDirectory(), { cli }));
      expect(error.message).toMatch(/^the Temporal server did not start: .*gone.*not found/);
      expect(error.hint).toMatch(/^See .*server\.log\.$/);
    },
    timeout,
  );
});
