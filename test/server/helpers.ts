/** Fake programs, temporary directories and waiting on conditions for the tests of src/server. */
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { accessSync, constants } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach } from 'vitest';
import type { DevServer, StartOptions, TemporalCli } from '../../src/server/index.ts';
import { findTemporalCli, startDevServer } from '../../src/server/index.ts';

const directories: string[] = [];
const servers: DevServer[] = [];

/** Servers first: a directory must not be deleted under a live process. */
export function cleanUpAfterEach(): void {
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.stop()));
    for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true });
  });
}

export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'countersign-fake-machine-'));
  directories.push(directory);
  return directory;
}

export function program(path: string, script: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

export function fakeCliScript(version = '1.9.1'): string {
  return `echo "temporal version ${version} (Server 1.32.0, UI 2.54.1)"`;
}

/** A PATH that holds only what a test put there; the named real tools are linked in. */
export function linkTools(directory: string, names: readonly string[]): void {
  for (const name of names) {
    const found = (process.env.PATH ?? '').split(delimiter).find((entry) => {
      try {
        accessSync(join(entry, name), constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
    if (found === undefined) throw new Error(`this test needs the program ${name}`);
    symlinkSync(join(found, name), join(directory, name));
  }
}

export function sha256(bytes: string | Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  timeoutMs = 30_000,
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`not within ${timeoutMs} ms: ${what}`);
    await delay(20);
  }
}

let found: Promise<TemporalCli> | null = null;
export function realCli(): Promise<TemporalCli> {
  return (found ??= findTemporalCli());
}

export async function start(stateDir: string, options: Partial<StartOptions> = {}): Promise<DevServer> {
  const server = await startDevServer({ cli: await realCli(), stateDir, headless: true, ...options });
  servers.push(server);
  return server;
}

/** What a call threw, as the fields a person gets to see. */
export async function failure(promise: Promise<unknown>): Promise<{ code: unknown; message: string; hint: string }> {
  try {
    await promise;
  } catch (error) {
    const { code, message, hint } = error as { code: unknown; message: string; hint: string };
    return { code, message, hint };
  }
  throw new Error('it did not fail');
}
