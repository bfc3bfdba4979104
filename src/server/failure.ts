/** Turns what the development server says when it fails into one sentence and one thing to do. */
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ServerError } from './errors.ts';

const maxTailBytes = 64 * 1024;
const otherFile =
  'Move temporal.db* away or use another --state directory: the ledger keeps every decision, ' +
  'and `countersign sweep` starts the open cases again on the new server.';

export function logTail(file: string, from: number): string {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  const start = Math.max(from, size - maxTailBytes);
  if (size <= start) return '';
  const buffer = Buffer.alloc(size - start);
  const fd = openSync(file, 'r');
  try {
    return buffer.toString('utf8', 0, readSync(fd, buffer, 0, buffer.length, start));
  } finally {
    closeSync(fd);
  }
}

/** The port that was taken; 0 where the server does not name it. */
export function clashingPort(said: string): number | null {
  if (!said.includes('address already in use')) return null;
  return Number(/port (\d+):/.exec(said)?.[1] ?? 0);
}

export function damagedDatabase(file: string, said: string): ServerError {
  return new ServerError(`${file} is damaged or is no SQLite database (${said})`, otherFile);
}

export function foreignDatabase(file: string, why: string): ServerError {
  return new ServerError(`${file} ${why}`, otherFile);
}

/** The words are those of CLI 1.9.1, as it was seen to say them; anything else is passed on as it is. */
export function explainFailure(stateDir: string, said: string): ServerError {
  const log = join(stateDir, 'server.log');
  const database = join(stateDir, 'temporal.db');
  const port = /can't set (.+?) port (\d+).*address already in use/.exec(said);
  if (port) {
    const hint = 'Give another one (--port, --ui-port), or none for a free one, or stop what listens there.';
    return new ServerError(`the Temporal server cannot start: ${port[1]} port ${port[2]} is taken`, hint);
  }
  const damaged = /file is not a database|database disk image is malformed/.exec(said);
  if (damaged) return damagedDatabase(database, damaged[0]);
  const schema = /no such (?:table|column): \S+/.exec(said);
  if (schema) return foreignDatabase(database, `does not fit this Temporal server (${schema[0]})`);
  const file = /unable to open database file|readonly database|permission denied|disk full|disk I\/O error/.exec(said);
  if (file) {
    const hint = 'Check the permissions of the state directory and the free space on its disk.';
    return new ServerError(`the Temporal server cannot use ${database} (${file[0]})`, hint);
  }
  const lines = said.split('\n').filter((line) => line.trim() !== '');
  const line = lines.findLast((text) => text.startsWith('Error:')) ?? lines.at(-1) ?? 'it said nothing';
  return new ServerError(`the Temporal server did not start: ${line.trim().slice(0, 300)}`, `See ${log}.`);
}
