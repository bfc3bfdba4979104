/** Where this package stands and what it says of itself: a checkout, or the published package with one more folder. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

interface Manifest {
  readonly name?: string;
  readonly version?: string;
}

function find(): { readonly root: URL; readonly version: string } {
  for (const up of ['../../', '../../../']) {
    const root = new URL(up, import.meta.url);
    try {
      const { name, version } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as Manifest;
      if (name === 'countersign') return { root, version: version ?? '0.0.0' };
    } catch {
      // No manifest there; the next folder is tried.
    }
  }
  throw new Error('The package is incomplete: its package.json is missing.');
}

const { root, version } = find();

export const packageVersion = version;
/** The command as another process of it is started: `node` and this file. */
export const binary = fileURLToPath(new URL('bin/countersign', root));
