/** Runs the demonstration as a user would, in a process of its own, with everything in a directory of the test's own. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inject, onTestFinished } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));

export interface Demo {
  readonly child: ChildProcess;
  readonly ended: Promise<{ exitCode: number | null; signal: string | null; stdout: string; stderr: string }>;
}

/** Settings of the user's own: a server that is not there and a state directory that the demonstration must leave alone. */
const misleading = {
  TEMPORAL_ADDRESS: '127.0.0.1:1',
  COUNTERSIGN_STATE: join(tmpdir(), 'countersign-demo-must-not-use'),
};

export function startDemo(args: readonly string[]): Demo {
  const env = { ...process.env, ...misleading, TEMPORAL_CLI_PATH: inject('temporalCli') };
  const child = spawn(process.execPath, ['bin/countersign', 'demo', ...args], { cwd: root, env });
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => (said[name] += text));
  }
  const ended: Demo['ended'] = new Promise((resolve) => {
    child.once('close', (exitCode, signal) => resolve({ exitCode, signal, ...said }));
  });
  return { child, ended };
}

export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'countersign-demo-test-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
