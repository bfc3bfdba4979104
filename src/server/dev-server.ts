/** The development server of a state directory: starts it, or takes over the one that already runs for it. */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { checkDatabase, databaseFileOf, writeNote } from './database.ts';
import { ServerError } from './errors.ts';
import { explainFailure, clashingPort, logTail } from './failure.ts';
import { acquireFileLock } from './file-lock.ts';
import type { Launched, ServerExit } from './launch.ts';
import { hasEnded, launch } from './launch.ts';
import { findLeftover } from './leftover.ts';
import { checkPort, freePorts, loopback } from './ports.ts';
import type { ProcessRef } from './processes.ts';
import { endProcess, isAlive, refTo } from './processes.ts';
import { waitUntilReady } from './readiness.ts';
import type { ServerRecord } from './record.ts';
import { removeRecord, writeRecord } from './record.ts';
import { referenceSchema } from './reference-schema.ts';
import { countersignSearchAttributes } from './search-attributes.ts';
import type { DevServer, StartOptions } from './server-types.ts';
import { prepareStateDirectory } from './state-directory.ts';
import type { Watchdog } from './watchdog.ts';
import { startWatchdog } from './watchdog.ts';

const readyTimeoutMs = 60_000;
const stopGraceMs = 10_000;
const startLockWaitMs = 120_000;
const maxStarts = 4;
const watchMs = 500;

interface Handle {
  readonly record: ServerRecord;
  readonly adopted: boolean;
  readonly owned: boolean;
  readonly watchdog: Watchdog | null;
  readonly exited: Promise<ServerExit>;
}

function devServer(stateDir: string, { record, adopted, owned, watchdog, exited }: Handle): DevServer {
  let stopping: Promise<void> | null = null;
  const end = async (): Promise<void> => {
    await endProcess(record.server, stopGraceMs);
    watchdog?.release();
    removeRecord(stateDir, record.server);
  };
  const { address, namespace, uiUrl, cliPath, cliVersion, serverVersion } = record;
  const about = { address, namespace, uiUrl, cliPath, cliVersion, serverVersion };
  return {
    ...about,
    pid: record.server.pid,
    adopted,
    owned,
    exited,
    stop: () => (owned ? (stopping ??= end()) : Promise.resolve()),
  };
}

/** The end of a process that is not our child can only be watched for; the watch keeps nothing alive. */
async function watchForEnd(server: ProcessRef): Promise<ServerExit> {
  while (isAlive(server)) await delay(watchMs, undefined, { ref: false });
  return { code: null, signal: null };
}

function recordOf(options: StartOptions, stateDir: string, launched: Launched, ports: Ports): Handle | null {
  const server = launched.child.pid === undefined ? null : refTo(launched.child.pid);
  const owner = refTo(process.pid);
  if (server === null || owner === null) return null;
  const watchdog = startWatchdog(server.pid);
  const record: ServerRecord = {
    server,
    owner,
    watchdog: watchdog.ref,
    address: `${loopback}:${ports.port}`,
    uiUrl: ports.uiPort === null ? null : `http://${loopback}:${ports.uiPort}`,
    namespace: options.namespace ?? 'default',
    databaseFile: databaseFileOf(stateDir),
    cliPath: options.cli.path,
    cliVersion: options.cli.version,
    serverVersion: options.cli.serverVersion,
    startedAt: new Date().toISOString(),
  };
  // Written before the server is ready: should this process die now, the next one still knows about it.
  writeRecord(stateDir, record);
  return { record, adopted: false, owned: true, watchdog, exited: launched.exited };
}

interface Ports {
  readonly port: number;
  readonly uiPort: number | null;
}

interface PortClash {
  readonly port: number;
  readonly reason: ServerError;
}

async function choosePorts(options: StartOptions): Promise<Ports> {
  const [port = 0, uiPort = 0] = await freePorts(2);
  return { port: options.port ?? port, uiPort: options.headless ? null : (options.uiPort ?? uiPort) };
}

/** One start; on failure nothing of it is left running, and the error says what the server said. */
async function startOnce(options: StartOptions, stateDir: string): Promise<Handle | PortClash> {
  const ports = await choosePorts(options);
  const namespace = options.namespace ?? 'default';
  const searchAttributes = options.searchAttributes ?? countersignSearchAttributes;
  const common = { stateDir, namespace, searchAttributes };
  const launched = launch({ ...common, ...ports, cliPath: options.cli.path, databaseFile: databaseFileOf(stateDir) });
  const handle = recordOf(options, stateDir, launched, ports);
  const alive = (): boolean => !hasEnded(launched.child);
  try {
    const address = `${loopback}:${ports.port}`;
    await waitUntilReady({ address, namespace, searchAttributes, timeoutMs: readyTimeoutMs, alive });
    // From here on it may outlive what this process has to do: the watchdog ends it then.
    launched.child.unref();
    if (handle !== null) return handle;
    throw new ServerError('the Temporal server ended while starting', `See ${launched.logFile}.`);
  } catch (error) {
    const endedAlone = !alive();
    if (!endedAlone) launched.child.kill('SIGKILL');
    await launched.exited;
    handle?.watchdog?.release();
    if (handle !== null) removeRecord(stateDir, handle.record.server);
    if (!endedAlone) throw error;
    const said = logTail(launched.logFile, launched.logStart);
    const port = clashingPort(said);
    const reason = explainFailure(stateDir, said);
    if (port !== null) return { port, reason };
    throw reason;
  }
}

async function startNew(options: StartOptions, stateDir: string): Promise<Handle> {
  const { cli } = options;
  await checkPort('the port', options.port);
  if (!options.headless) await checkPort('the UI port', options.uiPort);
  await checkDatabase(stateDir, cli.serverVersion, () => referenceSchema(cli.path, stateDir));
  for (let start = 1; ; start += 1) {
    const result = await startOnce(options, stateDir);
    if ('record' in result) {
      writeNote(stateDir, cli.serverVersion);
      return result;
    }
    // A port that was asked for stays taken; one that was found free a moment ago is replaced by another.
    if ([options.port, options.uiPort].includes(result.port) || start >= maxStarts) throw result.reason;
  }
}

/**
 * Ready when it returns: health is SERVING, the namespace answers and has the search attributes. The server ends with
 * this process, also when that is killed. Two callers at once on one state directory get one server.
 *
 * @throws ServerError (`server_unavailable`, with a hint) for a port that is taken, a directory or database file that
 *   cannot be used, a server that does not become ready.
 */
export async function startDevServer(options: StartOptions): Promise<DevServer> {
  const stateDir = prepareStateDirectory(options.stateDir);
  const waiting = (): void => options.log?.('another process is starting the Temporal server of this state directory');
  const release = await acquireFileLock(join(stateDir, 'server.lock'), startLockWaitMs, waiting);
  try {
    const leftover = await findLeftover(stateDir, options);
    if (leftover !== null)
      return devServer(stateDir, { ...leftover, adopted: true, exited: watchForEnd(leftover.record.server) });
    options.log?.(`starting Temporal server ${options.cli.serverVersion} (CLI ${options.cli.version})`);
    return devServer(stateDir, await startNew(options, stateDir));
  } finally {
    release();
  }
}
