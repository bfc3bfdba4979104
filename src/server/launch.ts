/** Starts `temporal server start-dev` as a process of its own. */
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { closeSync, openSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { loopback } from './ports.ts';
import type { SearchAttributes } from './search-attributes.ts';

const maxLogBytes = 8 * 1024 * 1024;

interface LaunchOptions {
  readonly cliPath: string;
  readonly stateDir: string;
  readonly databaseFile: string;
  readonly port: number;
  /** Null: no web UI. */
  readonly uiPort: number | null;
  readonly namespace: string;
  readonly searchAttributes: SearchAttributes;
}

export interface ServerExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface Launched {
  readonly child: ChildProcess;
  readonly logFile: string;
  /** Where this start's lines begin in the log. */
  readonly logStart: number;
  readonly exited: Promise<ServerExit>;
}

export function serverArguments(options: LaunchOptions): string[] {
  const { uiPort } = options;
  const ui = uiPort === null ? ['--headless'] : ['--ui-ip', loopback, '--ui-port', String(uiPort)];
  const attributes = Object.entries(options.searchAttributes).flatMap(([name, kind]) => [
    '--search-attribute',
    `${name}=${kind}`,
  ]);
  return [
    ...['server', 'start-dev', '--ip', loopback, '--port', String(options.port), ...ui],
    ...['--db-filename', options.databaseFile],
    // FULL: with WAL the default could lose an acknowledged step at power loss.
    ...['--sqlite-pragma', 'journal_mode=WAL', '--sqlite-pragma', 'synchronous=FULL'],
    // The default of 20 polls a second delays every step of every workflow.
    ...['--dynamic-config-value', 'history.transferProcessorMaxPollRPS=2000'],
    ...['--namespace', options.namespace, ...attributes],
    ...['--ui-disable-news-fetch', '--log-level', 'warn', '--color', 'never'],
  ];
}

/** Also when it could not be started at all. */
export function hasEnded({ pid, exitCode, signalCode }: ChildProcess): boolean {
  return pid === undefined || exitCode !== null || signalCode !== null;
}

/** The user's own TEMPORAL_* settings are for clients; none of them may change what this server is. */
export function serverEnvironment(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('TEMPORAL_'));
  // The server would otherwise report its version to Temporal's version check now and then.
  return { ...Object.fromEntries(own), TEMPORAL_VERSION_CHECK_DISABLED: '1' };
}

/** The log of the last run is kept once; it grows by a few lines per start, so this bound is rarely met. */
function openLog(file: string): { fd: number; start: number } {
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > maxLogBytes) renameSync(file, `${file}.1`);
  const fd = openSync(file, 'a', 0o600);
  return { fd, start: statSync(file).size };
}

/**
 * The shell only narrows the permissions of the files to come and is then replaced by the server, so the process id
 * is the server's. Its own session keeps a Ctrl-C in the terminal from stopping it before the worker.
 */
export function launch(options: LaunchOptions): Launched {
  const logFile = join(options.stateDir, 'server.log');
  const log = openLog(logFile);
  const command = ['-c', 'umask 077; exec "$@"', 'sh', options.cliPath, ...serverArguments(options)];
  const child = spawn('/bin/sh', command, {
    stdio: ['ignore', log.fd, log.fd],
    detached: true,
    cwd: options.stateDir,
    env: serverEnvironment(),
  });
  closeSync(log.fd);
  const exited = new Promise<ServerExit>((resolve) => {
    child.once('error', () => resolve({ code: null, signal: null }));
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  return { child, logFile, logStart: log.start, exited };
}
