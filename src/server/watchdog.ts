/**
 * Ends the server when the process that started it is gone, however that ended: a shell waits for the end of its
 * input, whose other end only this process holds, so even `kill -9` closes it.
 */
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import type { ProcessRef } from './processes.ts';
import { refTo } from './processes.ts';

/**
 * The start time is taken first and compared before every signal, so that a process which got the id later is left
 * alone. The counted loop gives the server five seconds to end by itself.
 */
const script = `
started() {
  if [ -r /proc/self/stat ]; then
    s=$(cat "/proc/$1/stat" 2>/dev/null) || return 0
    set -- \${s##*) }
    case $1 in Z|X) ;; *) echo "\${20}" ;; esac
  else
    LC_ALL=C ps -o lstart= -p "$1"
  fi
}
pid=$1
was=$(started "$pid")
same() { [ -n "$was" ] && [ "$(started "$pid")" = "$was" ]; }
same || exit 0
cat >/dev/null
same && kill -TERM "$pid"
n=0
while same && [ $n -lt 50 ]; do sleep 0.1 || sleep 1; n=$((n + 1)); done
same && kill -KILL "$pid"
exit 0
`;

export interface Watchdog {
  readonly ref: ProcessRef | null;
  /** Lets it go; it ends the server if that still runs. */
  release(): void;
}

/** In a session of its own: a Ctrl-C in the terminal must not end the watchdog before the server. */
export function startWatchdog(serverPid: number): Watchdog {
  const child: ChildProcess = spawn('/bin/sh', ['-c', script, 'countersign-watchdog', String(serverPid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    cwd: '/',
  });
  // Without a watchdog the server still ends when asked to; there is nothing to do about either error.
  child.on('error', () => undefined);
  child.stdin?.on('error', () => undefined);
  child.unref();
  (child.stdin as Socket | null)?.unref();
  return {
    ref: child.pid === undefined ? null : refTo(child.pid),
    release: () => child.stdin?.end(),
  };
}
