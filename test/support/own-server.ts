/** A Temporal development server with dynamic configuration of its own, for what the shared one must not be. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serverArguments, serverEnvironment } from '../../src/server/launch.ts';
import { freePorts } from '../../src/server/ports.ts';
import { waitUntilReady } from '../../src/server/readiness.ts';

export interface OwnServer {
  readonly address: string;
  readonly namespace: string;
  stop(): Promise<void>;
}

/** Has no search attributes. `dynamicConfig`: lines of `key=value`. */
export async function startOwnServer(cliPath: string, dynamicConfig: readonly string[]): Promise<OwnServer> {
  const stateDir = mkdtempSync(join(tmpdir(), 'countersign-own-server-'));
  const [port = 0] = await freePorts(1);
  const address = `127.0.0.1:${port}`;
  const common = { namespace: 'default', searchAttributes: {} };
  const databaseFile = join(stateDir, 'temporal.db');
  const args = serverArguments({ ...common, stateDir, cliPath, databaseFile, port, uiPort: null });
  const settings = dynamicConfig.flatMap((line) => ['--dynamic-config-value', line]);
  const child = spawn(cliPath, [...args, ...settings], { stdio: 'ignore', env: serverEnvironment() });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  const stop = async (): Promise<void> => {
    process.off('exit', kill);
    kill();
    await ended;
    rmSync(stateDir, { recursive: true, force: true });
  };
  try {
    await waitUntilReady({ ...common, address, timeoutMs: 60_000, alive: () => child.exitCode === null });
    return { address, namespace: common.namespace, stop };
  } catch (thrown) {
    await stop();
    throw thrown;
  }
}

/** Suggests to continue as new after so few events that a test reaches it. */
export const longHistorySoon = ['limit.historyCount.suggestContinueAsNew=40'] as const;
