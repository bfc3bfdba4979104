/**
 * The workflow bundle, built once per content and kept in the user's cache: bundling takes seconds, and a worker that
 * replaces a dead one should go on with its cases at once.
 */
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeDirectory } from '../server/make-directory.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
/** `.ts` in a checkout, `.js` in the published package: the same as this file's own suffix. */
const suffix = import.meta.url.slice(import.meta.url.lastIndexOf('.'));

export const workflowsPath = join(root, 'workflows', `index${suffix}`);
export const payloadConverterPath = join(root, 'workflows', `payload-converter${suffix}`);
export const interceptorsPath = join(root, 'workflows', `interceptors${suffix}`);

/** The folders that workflow code may import from; the boundaries check holds this to be all of them. */
const bundledFolders = ['workflows', 'src/core'];

function contentKey(): string {
  const hash = createHash('sha256');
  const manifest = createRequire(import.meta.url)('@temporalio/workflow/package.json') as { version: string };
  hash.update(manifest.version).update(process.version);
  // How the bundle is made is part of what it is.
  hash.update(readFileSync(fileURLToPath(import.meta.url)));
  for (const folder of bundledFolders) {
    for (const name of readdirSync(join(root, folder)).sort()) {
      hash
        .update(`${folder}/${name}\0`)
        .update(readFileSync(join(root, folder, name)))
        .update('\0');
    }
  }
  return hash.digest('hex').slice(0, 32);
}

function cacheDirectory(): string {
  const base = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  return join(base, 'countersign', 'bundles');
}

/** Never throws for the cache's sake: where it cannot be used, the bundle is made afresh. */
function writeCache(path: string, code: string): void {
  try {
    makeDirectory(join(path, '..'));
    const temporary = `${path}.${process.pid}.tmp`;
    writeFileSync(temporary, code, { mode: 0o600 });
    chmodSync(temporary, 0o600);
    renameSync(temporary, path);
  } catch {
    // A read-only home is no reason not to work.
  }
}

/** Code of the workflow bundle, from the cache where this very content was bundled before. */
export async function workflowBundle(): Promise<{ code: string }> {
  const path = join(cacheDirectory(), `workflows-${contentKey()}.js`);
  if (existsSync(path)) return { code: readFileSync(path, 'utf8') };
  // Only now: commands that need no more than a path from here would otherwise load the worker's native core.
  const { bundleWorkflowCode, DefaultLogger } = await import('@temporalio/worker');
  const { code } = await bundleWorkflowCode({
    workflowsPath,
    payloadConverterPath,
    workflowInterceptorModules: [interceptorsPath],
    logger: new DefaultLogger('WARN'),
    // Webpack names modules relative to this, by default the caller's directory; the cache is shared by all of them.
    webpackConfigHook: (config) => ({ ...config, context: root }),
  });
  writeCache(path, code);
  return { code };
}
