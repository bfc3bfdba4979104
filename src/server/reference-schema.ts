/** The tables a given server makes in a new file, learnt by letting it make one. */
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { schemaOf } from './database.ts';
import { ServerError } from './errors.ts';
import { logTail } from './failure.ts';
import { hasEnded, launch } from './launch.ts';
import { freePorts } from './ports.ts';
import { startWatchdog } from './watchdog.ts';

const pollMs = 25;
const timeoutMs = 30_000;

/** The namespace row is written after the whole schema, so once it is there the schema is complete. */
function completeSchema(file: string): string | null {
  let database: Database.Database | null = null;
  try {
    database = new Database(file, { readonly: true, fileMustExist: true, timeout: 0 });
    const namespaces = database.prepare('SELECT count(*) FROM namespaces').pluck().get();
    return Number(namespaces) > 0 ? schemaOf(database) : null;
  } catch {
    return null;
  } finally {
    database?.close();
  }
}

export async function referenceSchema(cliPath: string, stateDir: string): Promise<string> {
  const directory = mkdtempSync(join(stateDir, '.schema-'));
  const databaseFile = join(directory, 'reference.db');
  try {
    const [port = 0] = await freePorts(1);
    const options = { cliPath, stateDir: directory, databaseFile, port, uiPort: null };
    const server = launch({ ...options, namespace: 'default', searchAttributes: {} });
    const watchdog = server.child.pid === undefined ? null : startWatchdog(server.child.pid);
    const deadline = Date.now() + timeoutMs;
    let schema: string | null = null;
    while (schema === null && !hasEnded(server.child) && Date.now() < deadline) {
      await delay(pollMs);
      schema = completeSchema(databaseFile);
    }
    server.child.kill('SIGKILL');
    await server.exited;
    watchdog?.release();
    if (schema !== null) return schema;
    const said = logTail(server.logFile, server.logStart).trim().slice(0, 300);
    throw new ServerError(`the Temporal server made no database in a new directory (${said})`, 'Check the free space.');
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
