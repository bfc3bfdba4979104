/** Recognises a server that already runs for this state directory, and decides whose it is. */
import { ServerError } from './errors.ts';
import { endProcess, isAlive, refTo, waitUntilGone } from './processes.ts';
import { waitUntilReady } from './readiness.ts';
import type { ServerRecord } from './record.ts';
import { isRunning, readRecord, removeRecord, writeRecord } from './record.ts';
import { countersignSearchAttributes } from './search-attributes.ts';
import type { StartOptions } from './server-types.ts';
import type { Watchdog } from './watchdog.ts';
import { startWatchdog } from './watchdog.ts';

interface Leftover {
  readonly record: ServerRecord;
  readonly owned: boolean;
  readonly watchdog: Watchdog | null;
}

const healthTimeoutMs = 10_000;
const watchdogTimeoutMs = 15_000;
const stopGraceMs = 5_000;

async function isHealthy(record: ServerRecord, options: StartOptions): Promise<boolean> {
  const searchAttributes = options.searchAttributes ?? countersignSearchAttributes;
  const { address, namespace } = record;
  const alive = (): boolean => isAlive(record.server);
  try {
    await waitUntilReady({ address, namespace, searchAttributes, timeoutMs: healthTimeoutMs, alive });
    return true;
  } catch {
    return false;
  }
}

function fits(record: ServerRecord, options: StartOptions): boolean {
  const port = options.port === undefined || record.address.endsWith(`:${options.port}`);
  return port && (options.namespace === undefined || options.namespace === record.namespace);
}

/**
 * A server whose owner lives is shared, and stays the owner's to stop. One whose owner died is about to be ended by its
 * watchdog, so that is waited for. One that lost both (a machine out of memory kills what it likes) is adopted with a
 * watchdog of its own; if it is sick or listens elsewhere than asked, it is ended.
 *
 * @returns null: nothing runs for this directory any more.
 */
export async function findLeftover(stateDir: string, options: StartOptions): Promise<Leftover | null> {
  const record = readRecord(stateDir);
  if (record === null) return null;
  const done = (): null => {
    removeRecord(stateDir, record.server);
    return null;
  };
  if (!isRunning(record)) return done();
  const { server, owner, address } = record;
  if (isAlive(owner)) {
    const by = `started by process ${owner.pid}`;
    if (!fits(record, options)) {
      const message = `a Temporal server for ${stateDir} already runs at ${address}, namespace ${record.namespace}, ${by}`;
      throw new ServerError(message, 'Use it as it is, stop that process, or use another --state directory.');
    }
    if (await isHealthy(record, options)) return { record, owned: false, watchdog: null };
    if (!isRunning(record)) return done();
    const message = `the Temporal server for ${stateDir} at ${address}, ${by}, does not answer`;
    throw new ServerError(message, 'Stop that process, then start again.');
  }
  if (record.watchdog !== null && isAlive(record.watchdog)) {
    options.log?.('waiting for the Temporal server of a process that was killed to end');
    if (await waitUntilGone(server, watchdogTimeoutMs)) return done();
  }
  const self = refTo(process.pid);
  if (self !== null && fits(record, options) && (await isHealthy(record, options))) {
    options.log?.(`taking over the Temporal server that still runs at ${address}`);
    const watchdog = startWatchdog(server.pid);
    const adopted: ServerRecord = { ...record, owner: self, watchdog: watchdog.ref };
    writeRecord(stateDir, adopted);
    return { record: adopted, owned: true, watchdog };
  }
  options.log?.(`ending the Temporal server that was left at ${address}`);
  await endProcess(server, stopGraceMs);
  return done();
}
