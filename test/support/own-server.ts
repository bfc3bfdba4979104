/** Temporal development servers for what the shared one must not be: configured in another way, killed, or emptied. */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findTemporalCli, startDevServer, type DevServer } from '../../src/server/index.ts';
import { serverArguments, serverEnvironment } from '../../src/server/launch.ts';
import { freePorts } from '../../src/server/ports.ts';
import { waitUntilReady } from '../../src/server/readiness.ts';
import { processOf, signalProcess } from './processes.ts';

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

/** A server that is killed, and started again at the same port on the same file, or on none. */
export class MortalServer {
  readonly address: string;
  private readonly directory = mkdtempSync(join(tmpdir(), 'countersign-killed-'));
  private readonly cliPath: string;
  private readonly port: number;
  private server: DevServer | null = null;

  constructor(cliPath: string, port: number) {
    this.cliPath = cliPath;
    this.port = port;
    this.address = `127.0.0.1:${port}`;
  }

  async start(): Promise<void> {
    const cli = await findTemporalCli({ env: { TEMPORAL_CLI_PATH: this.cliPath } });
    this.server = await startDevServer({ cli, stateDir: this.directory, port: this.port, headless: true });
  }

  /** kill -9, at once. */
  async kill(): Promise<void> {
    if (!this.server) throw new Error('No server runs.');
    signalProcess(processOf(this.server.pid), 'SIGKILL');
    await this.server.exited;
  }

  /** Removes everything the killed server had stored. */
  forget(): void {
    rmSync(this.directory, { recursive: true, force: true });
    mkdirSync(this.directory, { mode: 0o700 });
  }

  async close(): Promise<void> {
    await this.server?.stop();
    rmSync(this.directory, { recursive: true, force: true });
  }
}
