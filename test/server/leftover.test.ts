/** A server whose starter is gone: it ends with it, or is recognised later, and is never doubled. */
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import type { ProcessRef } from '../../src/server/processes.ts';
import { isAlive, refTo, signal } from '../../src/server/processes.ts';
import { readRecord, writeRecord } from '../../src/server/record.ts';
import { cleanUpAfterEach, failure, start, temporaryDirectory, until } from './helpers.ts';

cleanUpAfterEach();
const left: (() => void)[] = [];
afterEach(() => {
  for (const end of left.splice(0)) end();
});

const timeout = 120_000;

interface Holder {
  readonly child: ChildProcess;
  readonly server: ProcessRef;
  readonly watchdog: ProcessRef;
  kill(): Promise<void>;
}

/** Starts a server from another process, which can then be killed. */
async function holder(stateDir: string): Promise<Holder> {
  const script = fileURLToPath(new URL('./hold-server.ts', import.meta.url));
  const args = ['--import', 'tsx', script, stateDir];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  await new Promise<void>((resolve, reject) => {
    child.stdout.once('data', () => resolve());
    child.once('close', () => reject(new Error('the holder ended')));
  });
  const record = readRecord(stateDir);
  if (!record?.watchdog) throw new Error('no record');
  const { server, watchdog } = record;
  left.push(() => {
    child.kill('SIGKILL');
    signal(server, 'SIGKILL');
  });
  const kill = (): Promise<void> => {
    child.kill('SIGKILL');
    return closed;
  };
  return { child, server, watchdog, kill };
}

describe('a server whose starter was killed with kill -9', () => {
  it(
    'is gone soon after, and so is its watchdog',
    async () => {
      const { server, watchdog, kill } = await holder(temporaryDirectory());
      expect(isAlive(server)).toBe(true);
      await kill();
      await until('the server is gone', () => !isAlive(server));
      await until('the watchdog is gone', () => !isAlive(watchdog));
    },
    timeout,
  );

  it(
    'is waited for by the next start, not taken over at its last breath',
    async () => {
      const stateDir = temporaryDirectory();
      const { server, kill } = await holder(stateDir);
      await kill();
      const next = await start(stateDir);
      expect(next).toMatchObject({ adopted: false, owned: true });
      expect(isAlive(server)).toBe(false);
    },
    timeout,
  );

  it(
    'and whose watchdog was killed too is taken over, and then ends with the one who took it',
    async () => {
      const stateDir = temporaryDirectory();
      const { server, watchdog, kill } = await holder(stateDir);
      signal(watchdog, 'SIGKILL');
      await until('the watchdog is gone', () => !isAlive(watchdog));
      await kill();
      expect(isAlive(server)).toBe(true);
      const adopted = await start(stateDir);
      expect(adopted).toMatchObject({ adopted: true, owned: true, pid: server.pid });
      expect(readRecord(stateDir)).toMatchObject({ owner: refTo(process.pid), address: adopted.address });
      await adopted.stop();
      expect(isAlive(server)).toBe(false);
    },
    timeout,
  );
});

describe('a server whose starter lives', () => {
  it(
    'is shared and left to its starter; asking for another port is refused',
    async () => {
      const stateDir = temporaryDirectory();
      const { server, child } = await holder(stateDir);
      const shared = await start(stateDir);
      expect(shared).toMatchObject({ adopted: true, owned: false, pid: server.pid });
      await shared.stop();
      expect(isAlive(server)).toBe(true);
      const refused = await failure(start(stateDir, { port: 1 }));
      expect(refused.code).toBe('server_unavailable');
      expect(refused.message).toContain(
        `already runs at ${shared.address}, namespace default, started by process ${child.pid}`,
      );
    },
    timeout,
  );
});

describe('a record that no longer holds', () => {
  it(
    'is ignored, and the process that has the number now is left alone',
    async () => {
      const stateDir = temporaryDirectory();
      const first = await start(stateDir);
      const record = readRecord(stateDir);
      if (record === null) throw new Error('no record');
      await first.stop();
      const bystander = spawn('tail', ['-f', record.databaseFile], { stdio: 'ignore' });
      left.push(() => bystander.kill('SIGKILL'));
      const pid = bystander.pid ?? 0;
      writeRecord(stateDir, { ...record, server: { pid, started: record.server.started } });
      const next = await start(stateDir);
      expect(next.adopted).toBe(false);
      expect(next.pid).not.toBe(pid);
      await next.stop();
      expect(refTo(pid)).not.toBeNull();
      expect(readFileSync(record.databaseFile).length).toBeGreaterThan(0);
    },
    timeout,
  );
});
