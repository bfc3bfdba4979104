/**
 * Which process a process id meant when it was written down. Ids are used again, after a restart of the machine soon,
 * so an id counts only together with the moment its process started.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { errnoOf } from './errors.ts';

export interface ProcessRef {
  readonly pid: number;
  readonly started: string;
}

const hasProc = existsSync('/proc/self/stat');
const pollMs = 25;

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

/** Field 22 of `stat`, counted after the name, which may itself hold spaces and brackets; a zombie counts as gone. */
function startedByProc(pid: number): string | null {
  const stat = readOrNull(`/proc/${pid}/stat`);
  if (stat === null) return null;
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (fields[0] === 'Z' || fields[0] === 'X') return null;
  return `${readOrNull('/proc/sys/kernel/random/boot_id')?.trim() ?? ''}/${fields[19] ?? ''}`;
}

function askPs(pid: number, columns: string): string | null {
  try {
    const env = { ...process.env, LC_ALL: 'C' };
    const args = ['-ww', '-o', columns, '-p', String(pid)];
    return execFileSync('ps', args, { encoding: 'utf8', env, stdio: ['ignore', 'pipe', 'ignore'] }).trim() || null;
  } catch {
    return null;
  }
}

function startedByPs(pid: number): string | null {
  const answer = askPs(pid, 'stat=,lstart=');
  return answer === null || answer.startsWith('Z') ? null : answer.replace(/^\S+\s+/, '');
}

export function refTo(pid: number): ProcessRef | null {
  const started = hasProc ? startedByProc(pid) : startedByPs(pid);
  return started === null ? null : { pid, started };
}

export function isAlive(ref: ProcessRef): boolean {
  return refTo(ref.pid)?.started === ref.started;
}

export function argumentsOf(pid: number): string {
  return (hasProc ? readOrNull(`/proc/${pid}/cmdline`)?.replaceAll('\0', ' ') : askPs(pid, 'args=')) ?? '';
}

/**
 * Whether the process has this very file open: not another one of the same name that was put in its place.
 * `null` where the system does not say.
 */
export function holdsFile(pid: number, path: string): boolean | null {
  if (!hasProc) return null;
  try {
    const wanted = statSync(path);
    return readdirSync(`/proc/${pid}/fd`).some((fd) => {
      const held = statSync(`/proc/${pid}/fd/${fd}`, { throwIfNoEntry: false });
      return held?.ino === wanted.ino && held.dev === wanted.dev;
    });
  } catch (error) {
    return errnoOf(error) === 'EACCES' ? null : false;
  }
}

export function signal(ref: ProcessRef, name: NodeJS.Signals): void {
  if (!isAlive(ref)) return;
  try {
    process.kill(ref.pid, name);
  } catch (error) {
    if (errnoOf(error) !== 'ESRCH') throw error;
  }
}

export async function waitUntilGone(ref: ProcessRef, timeoutMs: number): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  while (isAlive(ref)) {
    if (Date.now() >= deadline) return false;
    await delay(pollMs);
  }
  return true;
}

/** Asks the process to end, waits, then ends it. */
export async function endProcess(ref: ProcessRef, graceMs: number): Promise<void> {
  signal(ref, 'SIGTERM');
  if (await waitUntilGone(ref, graceMs)) return;
  signal(ref, 'SIGKILL');
  await waitUntilGone(ref, graceMs);
}
