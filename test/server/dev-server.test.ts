/** The real development server: ready, private, with the contract's settings, and gone when it should be. */
import { closeSync, existsSync, openSync, readdirSync, readFileSync, readlinkSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { describe, expect, it } from 'vitest';
import { serverArguments } from '../../src/server/launch.ts';
import { refTo } from '../../src/server/processes.ts';
import { connectionSettings, countersignSearchAttributes } from '../../src/server/index.ts';
import { cleanUpAfterEach, start, temporaryDirectory } from './helpers.ts';

cleanUpAfterEach();

/** Tests the whole way a client goes, so no call of the code under test may be used to look. */
async function asClient<T>(address: string, use: (connection: Connection) => Promise<T>): Promise<T> {
  const connection = await Connection.connect({ address });
  try {
    return await use(connection);
  } finally {
    await connection.close();
  }
}

const attributesOf = (address: string, namespace: string) =>
  asClient(
    address,
    async ({ operatorService }) => (await operatorService.listSearchAttributes({ namespace })).customAttributes,
  );

/** Bytes 18 and 19 of a SQLite file: 2 and 2 stand for WAL. */
function journalModeBytes(file: string): number[] {
  const bytes = Buffer.alloc(2);
  const fd = openSync(file, 'r');
  readSync(fd, bytes, 0, 2, 18);
  closeSync(fd);
  return [...bytes];
}

/** The local addresses a process listens on, as the Linux kernel lists them (hexadecimal, byte order reversed). */
function listeningAddresses(pid: number): string[] {
  const sockets = new Set<string>();
  for (const fd of readdirSync(`/proc/${pid}/fd`)) {
    const inode = /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1];
    if (inode !== undefined) sockets.add(inode);
  }
  const rows = ['tcp', 'tcp6'].flatMap((name) =>
    readFileSync(`/proc/${pid}/net/${name}`, 'utf8').trim().split('\n').slice(1),
  );
  const listening = rows.map((row) => row.trim().split(/\s+/)).filter((f) => f[3] === '0A' && sockets.has(f[9] ?? ''));
  return listening.map((fields) => (fields[1] ?? '').split(':')[0] ?? '');
}

describe('startDevServer', () => {
  it('is ready when it returns, is found by its state directory, and leaves nothing behind when stopped', async () => {
    const stateDir = join(temporaryDirectory(), 'new', 'state');
    const server = await start(stateDir, { headless: false });
    expect(server).toMatchObject({ adopted: false, owned: true, namespace: 'default' });
    expect(connectionSettings({ HOME: stateDir }, stateDir)).toMatchObject({
      address: server.address,
      source: 'state',
    });

    const { health, counted } = await asClient(server.address, async ({ healthService, workflowService }) => ({
      health: await healthService.check({}),
      counted: await workflowService.countWorkflowExecutions({
        namespace: 'default',
        query: 'CountersignState = "Pending" AND CountersignDeadline < "2026-01-01T00:00:00Z"',
      }),
    }));
    expect([health.status, Number(counted.count)]).toEqual([1, 0]);
    expect((await fetch(server.uiUrl ?? '')).status).toBe(200);

    expect(await attributesOf(server.address, 'default')).toMatchObject({
      CountersignState: 2,
      CountersignDeadline: 6,
    });
    expect(journalModeBytes(join(stateDir, 'temporal.db'))).toEqual([2, 2]);
    expect(statSync(stateDir).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(stateDir))
      expect([name, statSync(join(stateDir, name)).mode & 0o777]).toEqual([name, 0o600]);

    await server.stop();
    await server.stop();
    expect(refTo(server.pid)).toBeNull();
    expect(await server.exited).toMatchObject({ code: 0 });
    expect(existsSync(join(stateDir, 'server.json'))).toBe(false);
    await expect(Connection.connect({ address: server.address, connectTimeout: 1_000 })).rejects.toThrow();
  }, 120_000);

  it.skipIf(!existsSync('/proc/self/fd'))(
    'listens on the loopback interface only',
    async () => {
      const server = await start(temporaryDirectory(), { headless: false });
      const addresses = new Set(listeningAddresses(server.pid));
      expect([...addresses]).toEqual(['0100007F']);
    },
    120_000,
  );

  it('keeps its content from one start to the next, on the port and namespace that were asked for', async () => {
    const stateDir = temporaryDirectory();
    const first = await start(stateDir, { namespace: 'team', searchAttributes: {} });
    const port = Number(first.address.split(':')[1]);
    expect(await attributesOf(first.address, 'team')).toEqual({});
    const begin = { namespace: 'team', workflowId: 'kept', workflowType: { name: 'x' }, taskQueue: { name: 'q' } };
    await asClient(first.address, ({ workflowService }) =>
      workflowService.startWorkflowExecution({ ...begin, requestId: 'r' }),
    );
    await first.stop();

    const second = await start(stateDir, { namespace: 'team', port });
    expect(second.address).toBe(first.address);
    const request = { namespace: 'team', execution: { workflowId: 'kept' } };
    const seen = await asClient(second.address, ({ workflowService }) =>
      workflowService.describeWorkflowExecution(request),
    );
    expect(seen.workflowExecutionInfo?.type?.name).toBe('x');
    // The namespace was made without them; a development server adds none later by itself.
    expect(Object.keys(await attributesOf(second.address, 'team')).sort()).toEqual(
      Object.keys(countersignSearchAttributes).sort(),
    );
  }, 120_000);

  it('two state directories have two servers side by side; two callers of one have one', async () => {
    const [a, b] = [temporaryDirectory(), temporaryDirectory()];
    const [first, second, other] = await Promise.all([start(a), start(a), start(b)]);
    expect(first.pid).toBe(second.pid);
    expect([first.owned, second.owned].sort()).toEqual([false, true]);
    expect(other.pid).not.toBe(first.pid);
    const shared = first.owned ? second : first;
    await shared.stop();
    expect(refTo(first.pid)).not.toBeNull();
  }, 120_000);

  it('tells when the server dies by itself, and starts anew on its file', async () => {
    const stateDir = temporaryDirectory();
    const server = await start(stateDir);
    process.kill(server.pid, 'SIGKILL');
    expect(await server.exited).toEqual({ code: null, signal: 'SIGKILL' });
    const again = await start(stateDir, { port: Number(server.address.split(':')[1]) });
    expect(again).toMatchObject({ adopted: false, address: server.address });
  }, 120_000);
});

describe('the arguments of the server', () => {
  it('are those the design asks for', () => {
    const common = { cliPath: '/x', stateDir: '/s', databaseFile: '/s/temporal.db', namespace: 'default', port: 1 };
    const text = serverArguments({ ...common, uiPort: 2, searchAttributes: countersignSearchAttributes }).join(' ');
    for (const part of [
      'server start-dev --ip 127.0.0.1 --port 1 --ui-ip 127.0.0.1 --ui-port 2 --db-filename /s/temporal.db',
      '--sqlite-pragma journal_mode=WAL --sqlite-pragma synchronous=FULL',
      '--dynamic-config-value history.transferProcessorMaxPollRPS=2000',
      '--search-attribute CountersignState=Keyword --search-attribute CountersignCase=Keyword',
      '--search-attribute CountersignOperation=Keyword --search-attribute CountersignObject=Keyword',
      '--search-attribute CountersignDeadline=Datetime',
      '--ui-disable-news-fetch',
    ]) {
      expect(text).toContain(part);
    }
    expect(serverArguments({ ...common, uiPort: null, searchAttributes: {} })).toContain('--headless');
  });
});
