// The ledger's file: settings that durability needs, files nobody else can write, and every way a file can be wrong or
// cannot be written. In each, a clear error of the catalogue and nothing acknowledged that is not there.
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { catalogue, errorCode, type ErrorCode } from '../../src/core/errors.ts';
import { openSqliteLedger } from '../../src/ledger/sqlite/ledger.ts';
import { openSqliteReceiver } from '../../src/receiver/sqlite.ts';
import { ManualClock } from '../support/clock.ts';
import { World } from '../support/ledger-world.ts';
import { dump, withHandle } from '../support/sqlite-file.ts';
import { temporaryDirectory } from '../support/temporary.ts';

const root = temporaryDirectory();
const myUid = process.getuid?.() ?? 0;
const asRoot = myUid === 0;
const nobody = 65_534;

/** A directory of its own for each ledger. */
function freshPath(): string {
  const directory = join(root, randomUUID());
  mkdirSync(directory, { mode: 0o700 });
  return join(directory, 'ledger.db');
}

function open(path: string): World {
  const clock = new ManualClock();
  const ledger = openSqliteLedger(path, { clock });
  return new World({ ledger, clock, dump: () => dump(path), reopen: () => ledger });
}

/** The code with which opening is refused. It must be one that ends with exit 69. */
function refusedWith(act: () => { close(): void }): ErrorCode {
  try {
    act().close();
  } catch (thrown) {
    const code = errorCode(thrown);
    if (code === null) throw thrown;
    expect(catalogue[code].exitCode).toBe(69);
    return code;
  }
  throw new Error('opened');
}
const openLedger = (path: string) => openSqliteLedger(path, { clock: new ManualClock() });
const refusal = (path: string): ErrorCode => refusedWith(() => openLedger(path));

/** A closed ledger with one approved operation, all of it in the one file. */
async function written(): Promise<{ path: string; operationId: string }> {
  const path = freshPath();
  const world = open(path);
  const operationId = await world.approved();
  world.ledger.close();
  expect(readdirSync(dirname(path))).toEqual(['ledger.db']);
  return { path, operationId };
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe('settings', () => {
  /** The handle that a ledger or receiver works with, caught as it sets its pragmas. */
  function handleOf(act: () => { close(): void }): Database.Database {
    const pragma = vi.spyOn(Database.prototype, 'pragma');
    act();
    const [handle] = pragma.mock.contexts as unknown as Database.Database[];
    pragma.mockRestore();
    return handle!;
  }

  test.each([
    ['ledger', () => openLedger(freshPath())],
    ['receiver', () => openSqliteReceiver(freshPath(), { ledgerId: 'ledger-1' })],
  ] as const)('of the open %s are what durability needs', (_name, act) => {
    const handle = handleOf(act);
    const read = (name: string): unknown => handle.pragma(name, { simple: true });
    expect({
      journal_mode: read('journal_mode'),
      synchronous: read('synchronous'),
      foreign_keys: read('foreign_keys'),
      trusted_schema: read('trusted_schema'),
      busy_timeout: read('busy_timeout'),
    }).toEqual({ journal_mode: 'wal', synchronous: 2, foreign_keys: 1, trusted_schema: 0, busy_timeout: 10_000 });
    handle.close();
  });

  test.each([
    ['journal_mode', 'delete'],
    ['synchronous', 1],
    ['foreign_keys', 0],
    ['trusted_schema', 1],
  ])('that the database does not take (%s stays %j) are noticed', (name, stays) => {
    const original = Database.prototype.pragma;
    vi.spyOn(Database.prototype, 'pragma').mockImplementation(function (this: Database.Database, text, options) {
      return text === name ? stays : original.call(this, text, options);
    });
    expect(refusal(freshPath())).toBe('ledger_pragmas');
  });

  test('of a fresh file that other processes are making are tried again while it is busy', () => {
    const original = Database.prototype.pragma;
    let busy = 3;
    vi.spyOn(Database.prototype, 'pragma').mockImplementation(function (this: Database.Database, text, options) {
      if (text === 'journal_mode = WAL' && busy > 0) {
        busy -= 1;
        throw new Database.SqliteError('database is locked', 'SQLITE_BUSY');
      }
      return original.call(this, text, options);
    });
    openLedger(freshPath()).close();
    expect(busy).toBe(0);
  });
});

describe('files and directories', () => {
  test('of a ledger and a receiver are readable and writable by their owner alone', async () => {
    const before = process.umask(0o000);
    try {
      const path = freshPath();
      const world = open(path);
      await world.propose();
      const receiver = openSqliteReceiver(join(dirname(path), 'receiver.db'), { ledgerId: world.ledger.ledgerId });
      await receiver.describe();
      const modes = readdirSync(dirname(path)).map((name) => [name, statSync(join(dirname(path), name)).mode & 0o777]);
      expect(Object.fromEntries(modes)).toEqual({
        'ledger.db': 0o600,
        'ledger.db-shm': 0o600,
        'ledger.db-wal': 0o600,
        'receiver.db': 0o600,
        'receiver.db-shm': 0o600,
        'receiver.db-wal': 0o600,
      });
      receiver.close();
      world.ledger.close();
    } finally {
      process.umask(before);
    }
  });

  test.each(['770', '720', '702', '777'])('with mode %s of the directory are refused, and nothing is made', (mode) => {
    const path = freshPath();
    chmodSync(dirname(path), Number.parseInt(mode, 8));
    expect(refusal(path)).toBe('state_unusable');
    expect(readdirSync(dirname(path))).toEqual([]);
  });

  test('with a file others can write are refused', async () => {
    const { path } = await written();
    chmodSync(path, 0o620);
    expect(refusal(path)).toBe('state_unusable');
  });

  test.skipIf(!asRoot)('in a directory of another user are refused (needs root, to give it away)', () => {
    const path = freshPath();
    chownSync(dirname(path), nobody, nobody);
    expect(refusal(path)).toBe('state_unusable');
    expect(readdirSync(dirname(path))).toEqual([]);
  });

  test.skipIf(!asRoot)('that belong to another user are refused (needs root, to give it away)', async () => {
    const { path } = await written();
    chownSync(path, nobody, nobody);
    expect(refusal(path)).toBe('state_unusable');
  });

  test.skipIf(asRoot)('in a directory of root are refused (needs a user who is not root)', () => {
    expect(refusal('/ledger.db')).toBe('state_unusable');
  });

  test('in no directory are refused', () => {
    expect(refusal(join(root, 'nowhere', 'ledger.db'))).toBe('state_unusable');
  });

  test('a directory is no ledger', () => {
    expect(refusal(dirname(freshPath()))).toBe('ledger_unavailable');
  });
});

describe('a file that is not a ledger of this version', () => {
  /** Refused with `code`, and not a byte of it is changed. */
  function untouched(path: string, code: ErrorCode, act: () => { close(): void } = () => openLedger(path)): void {
    const before = readFileSync(path);
    expect(refusedWith(act)).toBe(code);
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(readdirSync(dirname(path))).toEqual(['ledger.db']);
  }

  test('text is not a ledger', () => {
    const path = freshPath();
    writeFileSync(path, 'Dear reviewer, '.repeat(1_000), { mode: 0o600 });
    untouched(path, 'ledger_damaged');
  });

  test("somebody else's database is not changed, not even its journal mode", () => {
    const path = freshPath();
    withHandle(path, (db) => db.exec('CREATE TABLE customers (name TEXT); INSERT INTO customers VALUES (1)'));
    untouched(path, 'ledger_damaged');
    withHandle(path, (db) => expect(db.pragma('journal_mode', { simple: true })).toBe('delete'));
  });

  test('a database with the mark of another program is not taken, even while it is empty', () => {
    const path = freshPath();
    withHandle(path, (db) => db.pragma('application_id = 7'));
    untouched(path, 'ledger_damaged');
  });

  test('a receiver is not a ledger, and a ledger is not a receiver', async () => {
    const receiverPath = freshPath();
    openSqliteReceiver(receiverPath, { ledgerId: 'ledger-1' }).close();
    untouched(receiverPath, 'ledger_damaged');
    const { path } = await written();
    untouched(path, 'receiver_damaged', () => openSqliteReceiver(path, { ledgerId: 'ledger-1' }));
  });

  test('a ledger of a newer version is refused and left as it is', async () => {
    const { path } = await written();
    withHandle(path, (db) => db.pragma('user_version = 99'));
    const before = dump(path);
    expect(refusal(path)).toBe('ledger_version');
    expect(dump(path)).toEqual(before);
    withHandle(path, (db) => expect(db.pragma('user_version', { simple: true })).toBe(99));
  });

  test('an empty file becomes a ledger', async () => {
    const path = freshPath();
    writeFileSync(path, '', { mode: 0o600 });
    const world = open(path);
    await world.propose();
    world.ledger.close();
  });

  test('a ledger whose making was interrupted is made whole by the next one', async () => {
    const path = freshPath();
    // Switched to write-ahead logging, and no table yet: a process died between the two.
    withHandle(path, (db) => db.pragma('journal_mode = WAL'));
    chmodSync(path, 0o600);
    const world = open(path);
    expect(await world.claim(await world.approved())).toMatchObject({ outcome: 'claimed' });
    world.ledger.close();
  });
});

describe('a damaged ledger', () => {
  test('with its first bytes overwritten is refused', async () => {
    const { path } = await written();
    const bytes = readFileSync(path);
    bytes.fill(0x58, 0, 64);
    writeFileSync(path, bytes);
    expect(refusal(path)).toBe('ledger_damaged');
  });

  test.each([0.25, 0.5, 0.9])('cut to %f of its length is refused', async (share) => {
    const { path } = await written();
    const { size } = statSync(path);
    truncateSync(path, Math.floor((size * share) / 4096) * 4096);
    expect(refusal(path)).toBe('ledger_damaged');
  });

  test('cut within its first page is refused', async () => {
    const { path } = await written();
    truncateSync(path, 1_000);
    expect(refusal(path)).toBe('ledger_damaged');
  });

  test.each(['meta', 'operations', 'decisions', 'journal', 'attempts', 'objects'])(
    'with table %s overwritten never decides and never claims',
    async (table) => {
      const { path, operationId } = await written();
      const page = withHandle(path, (db) =>
        db.prepare<[string], { rootpage: number }>('SELECT rootpage FROM sqlite_schema WHERE name = ?').get(table),
      );
      const bytes = readFileSync(path);
      bytes.fill(0xff, (page!.rootpage - 1) * 4096, page!.rootpage * 4096);
      writeFileSync(path, bytes);

      const world = await Promise.resolve(path).then(open).catch(errorCode);
      if (!(world instanceof World)) {
        expect(world).toBe('ledger_damaged');
        return;
      }
      const damaged = { code: 'ledger_damaged' };
      await expect(world.claim(operationId)).rejects.toMatchObject(damaged);
      await expect(world.approved({ caseId: 'T-2' })).rejects.toMatchObject(damaged);
      world.ledger.close();
    },
  );

  test('without its write-ahead log is an older copy, and whoever holds its head can tell', async () => {
    const { path, operationId } = await written();
    const world = open(path);
    const before = await world.view(operationId);
    await world.claim(operationId);
    const { headHash, generation } = await world.view(operationId);
    const copy = freshPath();
    copyFileSync(path, copy);
    world.ledger.close();

    const older = open(copy);
    expect(older.ledger.ledgerId).toBe(world.ledger.ledgerId);
    expect(await older.view(operationId)).toMatchObject({ headHash: before.headHash, operation: { attempts: 0 } });
    const seen = { subject: operationId, hash: headHash, generation, source: 'receiver' };
    await expect(older.ledger.witness(seen)).rejects.toMatchObject({ code: 'ledger_restored' });
    await expect(older.claim(operationId)).rejects.toMatchObject({ code: 'ledger_restored' });
    older.ledger.close();
  });
});

interface Line {
  readonly opened?: string;
  readonly admitted?: string;
  readonly recorded?: string;
  readonly stopped?: string | null;
}

/** Runs the limited process through `wrap` (a shell line with "$@"), as `uid` where given. */
function limited(path: string, most: number, wrap: string, uid?: number): { lines: Line[]; stderr: string } {
  const script = fileURLToPath(new URL('../support/limited-process.ts', import.meta.url));
  const command = [process.execPath, '--import', 'tsx', script, path, String(most)];
  const { stdout, stderr } = spawnSync('sh', ['-c', wrap, 'sh', ...command], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    encoding: 'utf8',
    // A cache that is cut by the limit would be read by later runs.
    env: { ...process.env, TSX_DISABLE_CACHE: '1', HOME: '/nonexistent' },
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  const lines = stdout.split('\n').filter((line) => line !== '');
  return { lines: lines.map((line) => JSON.parse(line) as Line), stderr };
}

describe('a disk that is full', () => {
  // `ulimit -f` counts 512 bytes. Node ignores SIGXFSZ, so a write beyond the limit fails, as on a full disk.
  const atMost = (kilobytes: number): string => `ulimit -f ${kilobytes * 2} && exec "$@"`;

  test('stops the ledger with an error; what was acknowledged is there, and nothing else', async () => {
    const path = freshPath();
    open(path).ledger.close();
    const { lines, stderr } = limited(path, 10_000, atMost(1_000));
    expect(lines.at(-1), stderr).toEqual({ stopped: 'ledger_unavailable' });
    const admitted = lines.map((line) => line.admitted).filter((id) => id !== undefined);
    const recorded = lines.map((line) => line.recorded).filter((id) => id !== undefined);
    expect(admitted.length).toBeGreaterThan(5);
    expect(admitted.length).toBeLessThan(10_000);

    const world = open(path);
    const stored = await world.ledger.list({ limit: 20_000 });
    expect(stored.map(({ operationId }) => operationId)).toEqual(admitted);
    const approved = stored.filter(({ state }) => state === 'Approved').map(({ operationId }) => operationId);
    expect(approved).toEqual(recorded);
    expect(await world.ledger.checkFile()).toEqual([]);
    // With room again it goes on.
    expect((await world.claim(approved[0]!)).outcome).toBe('claimed');
    world.ledger.close();
  });

  test('refuses to make a ledger', () => {
    const path = freshPath();
    const { lines, stderr } = limited(path, 1, atMost(8));
    expect(lines, stderr).toEqual([{ stopped: 'ledger_unavailable' }]);
  });
});

/** Root may write anywhere, so the process is run as nobody then; where nobody cannot read this program, not at all. */
const plainUser = asRoot ? nobody : undefined;
const plainUserCanRun = ((): boolean => {
  const directory = temporaryDirectory();
  if (plainUser !== undefined) chownSync(directory, plainUser, plainUser);
  chmodSync(root, 0o711);
  const { lines } = limited(join(directory, 'ledger.db'), 1, 'exec "$@"', plainUser);
  return lines.at(-1)?.stopped === null;
})();

describe.skipIf(!plainUserCanRun)('a directory that cannot be written', () => {
  /** A ledger with one approved operation that the plain user owns, in a directory of `mode`. */
  async function ofPlainUser(mode: number): Promise<string> {
    const { path } = await written();
    if (plainUser !== undefined) {
      chownSync(path, plainUser, plainUser);
      chownSync(dirname(path), plainUser, plainUser);
    }
    chmodSync(dirname(path), mode);
    return path;
  }

  test('is refused, and nothing is recorded', async () => {
    const path = await ofPlainUser(0o500);
    const before = readFileSync(path);
    const { lines, stderr } = limited(path, 1, 'exec "$@"', plainUser);
    expect(lines, stderr).toEqual([{ stopped: 'ledger_unavailable' }]);
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  test('is refused for a ledger that would have to be made', async () => {
    const path = await ofPlainUser(0o700);
    rmSync(path);
    chmodSync(dirname(path), 0o500);
    const { lines, stderr } = limited(path, 1, 'exec "$@"', plainUser);
    expect(lines, stderr).toEqual([{ stopped: 'ledger_unavailable' }]);
    expect(readdirSync(dirname(path))).toEqual([]);
  });

  test('lets a ledger be read where only its file cannot be written, and refuses the first write', async () => {
    const path = await ofPlainUser(0o700);
    chmodSync(path, 0o400);
    const before = readFileSync(path);
    const { lines, stderr } = limited(path, 1, 'exec "$@"', plainUser);
    expect(lines, stderr).toEqual([
      { opened: expect.stringMatching(/^ledger-/) as string },
      { stopped: 'ledger_unavailable' },
    ]);
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  test('is refused where it cannot be entered', async () => {
    const path = await ofPlainUser(0o000);
    const { lines, stderr } = limited(path, 1, 'exec "$@"', plainUser);
    expect(lines, stderr).toEqual([{ stopped: 'ledger_unavailable' }]);
  });
});

describe('a ledger that another process keeps locked', () => {
  test('is not written, and says so when its patience ends', async () => {
    const path = freshPath();
    const pragma = vi.spyOn(Database.prototype, 'pragma');
    const world = open(path);
    const [handle] = pragma.mock.contexts as unknown as Database.Database[];
    pragma.mockRestore();
    const operationId = await world.propose();
    // The real patience is ten seconds; the test's has none.
    handle!.pragma('busy_timeout = 0');
    const other = new Database(path);
    other.exec('BEGIN IMMEDIATE');
    await expect(world.decide(operationId)).rejects.toMatchObject({ code: 'ledger_unavailable' });
    expect((await world.view(operationId)).operation.state).toBe('Pending');
    other.exec('ROLLBACK');
    other.close();
    expect((await world.decide(operationId)).outcome).toBe('recorded');
    world.ledger.close();
  });
});
