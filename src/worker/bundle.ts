/**
 * The workflow bundle, built once per content and kept in the user's cache: bundling takes seconds, and a worker that
 * replaces a dead one should go on with its cases at once.
 */
import { createHash } from 'node:crypto';
import { chmodSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BundleOptions } from '@temporalio/worker';
import { makeDirectory } from '../server/make-directory.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
/** `.ts` in a checkout, `.js` in the published package: the same as this file's own suffix. */
const suffix = import.meta.url.slice(import.meta.url.lastIndexOf('.'));

export const workflowsPath = join(root, 'workflows', `index${suffix}`);
/** Loaded by the SDK with require(): the package has it as a CommonJS module, too; in a checkout tsx sees to it. */
export const payloadConverterPath = join(root, 'workflows', `payload-converter${suffix === '.ts' ? '.ts' : '.cjs'}`);
export const interceptorsPath = join(root, 'workflows', `interceptors${suffix}`);

/** The folders that workflow code may import from; the boundaries check holds this to be all of them. */
const bundledFolders = ['workflows', 'src/core'];

function contentKey(sources: readonly string[]): string {
  const hash = createHash('sha256');
  const manifest = createRequire(import.meta.url)('@temporalio/workflow/package.json') as { version: string };
  hash.update(manifest.version).update(process.version);
  // A bundle names its files where they lie (its source map does): two checkouts of the same sources share a cache,
  // never a bundle.
  hash.update(`${root}\0`);
  // How the bundle is made is part of what it is.
  hash.update(readFileSync(fileURLToPath(import.meta.url)));
  for (const path of sources) {
    hash
      .update(`${relative(root, path)}\0`)
      .update(readFileSync(path))
      .update('\0');
  }
  return hash.digest('hex').slice(0, 32);
}

const ownSources = (): string[] =>
  bundledFolders.flatMap((folder) =>
    readdirSync(join(root, folder))
      .sort()
      .map((name) => join(root, folder, name)),
  );

function cacheDirectory(): string {
  const base = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  return join(base, 'countersign', 'bundles');
}

/** How many bundles the cache keeps, the latest made: every change of the sources and every checkout adds one. */
const keptBundles = 24;

function prune(directory: string): void {
  const madeAt = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const bundles = readdirSync(directory)
    .filter((name) => /^workflows-.*\.js$/.test(name))
    .map((name) => ({ path: join(directory, name), madeAt: madeAt(join(directory, name)) }))
    .sort((left, right) => right.madeAt - left.madeAt);
  for (const { path } of bundles.slice(keptBundles)) rmSync(path, { force: true });
}

/** What is there, or null: another process may be removing it. */
function readCache(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

/** Never throws for the cache's sake: where it cannot be used, the bundle is made afresh. */
function writeCache(path: string, code: string): void {
  try {
    makeDirectory(join(path, '..'));
    const temporary = `${path}.${process.pid}.tmp`;
    writeFileSync(temporary, code, { mode: 0o600 });
    chmodSync(temporary, 0o600);
    renameSync(temporary, path);
    prune(join(path, '..'));
  } catch {
    // A read-only home is no reason not to work.
  }
}

/** Code of a bundle, from the cache where these very `sources` (paths) were bundled before. */
export async function cachedBundle(
  sources: readonly string[],
  options: Pick<BundleOptions, 'workflowsPath' | 'payloadConverterPath' | 'workflowInterceptorModules'>,
): Promise<{ code: string }> {
  const path = join(cacheDirectory(), `workflows-${contentKey(sources)}.js`);
  const cached = readCache(path);
  if (cached !== null) return { code: cached };
  // Only now: commands that need no more than a path from here would otherwise load the worker's native core.
  const { bundleWorkflowCode, DefaultLogger } = await import('@temporalio/worker');
  const { code } = await bundleWorkflowCode({
    ...options,
    logger: new DefaultLogger('WARN'),
    // Webpack names modules relative to this, by default the caller's directory; the cache is shared by all of them.
    webpackConfigHook: (config) => ({ ...config, context: root }),
  });
  writeCache(path, code);
  return { code };
}

/** The bundle of this package's workflows. `interceptorModules`: paths of interceptors beside this package's own. */
export function workflowBundle(interceptorModules: readonly string[] = []): Promise<{ code: string }> {
  return cachedBundle([...ownSources(), ...interceptorModules], {
    workflowsPath,
    payloadConverterPath,
    workflowInterceptorModules: [interceptorsPath, ...interceptorModules],
  });
}
