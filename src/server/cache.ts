/** The project's own place for the Temporal CLI: one executable per version, put there complete or not at all. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { pinnedCliVersion } from './pins.ts';

const abandonedAfterMs = 60 * 60 * 1000;

/** XDG: a relative XDG_CACHE_HOME is invalid and counts as not set. */
export function cachedCliPath(env: NodeJS.ProcessEnv): string {
  const given = env.XDG_CACHE_HOME;
  const base = given !== undefined && isAbsolute(given) ? given : join(env.HOME ?? homedir(), '.cache');
  return join(base, 'countersign', 'temporal', pinnedCliVersion, 'temporal');
}

export async function sha256OfFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

/** A fetch that was killed leaves its directory behind; the next one clears what nobody can still be writing to. */
async function removeAbandoned(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    if (!name.startsWith('.fetch-')) continue;
    const path = join(directory, name);
    const age = await stat(path).then(
      (entry) => Date.now() - entry.mtimeMs,
      () => 0,
    );
    if (age > abandonedAfterMs) await rm(path, { recursive: true, force: true });
  }
}

/**
 * Lets `unpack` put an executable into a directory of its own, checks its digest and only then renames it into place:
 * whoever looks finds the old state or the complete new file, and fetches by several processes end the same.
 *
 * @returns the reason of the failure, or null.
 */
export async function installIntoCache(
  target: string,
  sha256: string,
  unpack: (directory: string) => Promise<{ file: string } | { reason: string }>,
): Promise<string | null> {
  await mkdir(dirname(target), { recursive: true });
  await removeAbandoned(dirname(target));
  const directory = await mkdtemp(join(dirname(target), '.fetch-'));
  try {
    const unpacked = await unpack(directory);
    if ('reason' in unpacked) return unpacked.reason;
    const found = await sha256OfFile(unpacked.file);
    if (found !== sha256) return `the executable's SHA-256 is ${found}, expected ${sha256}`;
    await chmod(unpacked.file, 0o755);
    await rename(unpacked.file, target);
    return null;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
