/** `server.json` in the state directory: which server runs for it, who started it, and where it listens. */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProcessRef } from './processes.ts';
import { argumentsOf, holdsFile, isAlive } from './processes.ts';

export interface ServerRecord {
  readonly server: ProcessRef;
  /** The process that stops the server, and the shell that does so in its place when it is gone. */
  readonly owner: ProcessRef;
  readonly watchdog: ProcessRef | null;
  readonly address: string;
  readonly uiUrl: string | null;
  readonly namespace: string;
  readonly databaseFile: string;
  readonly cliPath: string;
  readonly cliVersion: string;
  readonly serverVersion: string;
  /** UTC, ISO 8601. */
  readonly startedAt: string;
}

const fileOf = (stateDir: string): string => join(stateDir, 'server.json');

const isRef = (value: unknown): boolean => {
  const ref = value as ProcessRef | null | undefined;
  return Number.isSafeInteger(ref?.pid) && (ref?.pid ?? 0) > 1 && typeof ref?.started === 'string';
};

/** Absent, cut off, of another shape: all of it means that no server is known. */
export function readRecord(stateDir: string): ServerRecord | null {
  try {
    const record = JSON.parse(readFileSync(fileOf(stateDir), 'utf8')) as ServerRecord;
    const texts = [record.address, record.namespace, record.databaseFile, record.cliPath, record.serverVersion];
    const sound = isRef(record.server) && isRef(record.owner) && (record.watchdog === null || isRef(record.watchdog));
    return sound && texts.every((text) => typeof text === 'string') ? record : null;
  } catch {
    return null;
  }
}

export function writeRecord(stateDir: string, record: ServerRecord): void {
  const temporary = `${fileOf(stateDir)}.${process.pid}`;
  writeFileSync(temporary, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 });
  renameSync(temporary, fileOf(stateDir));
}

export function removeRecord(stateDir: string, server: ProcessRef): void {
  const known = readRecord(stateDir);
  if (known?.server.pid === server.pid && known.server.started === server.started) {
    rmSync(fileOf(stateDir), { force: true });
  }
}

/** The recorded process lives and works on this state directory's file, not on one that was deleted meanwhile. */
export function isRunning(record: ServerRecord): boolean {
  if (!isAlive(record.server)) return false;
  return (
    argumentsOf(record.server.pid).includes(record.databaseFile) &&
    holdsFile(record.server.pid, record.databaseFile) !== false
  );
}
