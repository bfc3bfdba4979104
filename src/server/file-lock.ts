/**
 * A lock between processes that the kernel lets go when its holder dies, however it dies: the exclusive lock of an
 * otherwise empty SQLite file. A lock file with a process id in it would need a rule for when it is stale.
 */
import { writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { errnoOf, messageOf, ServerError } from './errors.ts';

const pollMs = 50;

function tryLock(path: string): (() => void) | null {
  try {
    writeFileSync(path, '', { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
  }
  const database = new Database(path, { timeout: 0 });
  try {
    database.exec('BEGIN EXCLUSIVE');
    return () => database.close();
  } catch (error) {
    database.close();
    if (errnoOf(error) === 'SQLITE_BUSY') return null;
    throw error;
  }
}

/**
 * Returns the function that lets go of the lock.
 *
 * @param waitMs how long to wait for another holder, in milliseconds; 0 asks once.
 * @param onWait called once, when somebody else holds it.
 * @throws ServerError when it is still held then, or when the file cannot be used.
 */
export async function acquireFileLock(path: string, waitMs: number, onWait?: () => void): Promise<() => void> {
  const deadline = Date.now() + waitMs;
  for (let first = true; ; first = false) {
    let release: (() => void) | null;
    try {
      release = tryLock(path);
    } catch (error) {
      throw new ServerError(`cannot lock ${path}: ${messageOf(error)}`, 'Check the directory and its permissions.');
    }
    if (release !== null) return release;
    if (Date.now() >= deadline) {
      throw new ServerError(`${path} is locked by another process`, 'Wait for that process to end, then try again.');
    }
    if (first) onWait?.();
    await delay(pollMs);
  }
}
