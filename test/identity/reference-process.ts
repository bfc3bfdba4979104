// The second implementation (test/vectors/reference.py) as a child process, bounded in time and output.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));
export const REFERENCE = path('../vectors/reference.py');
const BATCH = path('../support/reference-batch.py');

const probe = spawnSync('python3', ['-I', '-B', '--version'], { encoding: 'utf8', timeout: 10_000 });
/** Python's minor version, undefined where there is no python3. */
export const pythonMinor = probe.status === 0 ? Number(/^Python 3\.(\d+)/.exec(probe.stdout)?.[1]) : undefined;

/** Bounded in time and output; -I -B: no site packages, no environment, no __pycache__ beside the vectors. */
export function python(script: string, args: readonly string[], input: string): string {
  const options = { input, encoding: 'utf8', timeout: 60_000, maxBuffer: 64 * 1024 * 1024 } as const;
  const child = spawnSync('python3', ['-I', '-B', script, ...args], options);
  if (child.status !== 0) throw new Error(`${script}: ${child.stderr} ${String(child.error ?? '')}`);
  return child.stdout;
}

interface ReferenceAnswer {
  readonly ok?: Record<string, string>;
  readonly refused?: string;
}

export function referenceBatch(items: readonly object[]): ReferenceAnswer[] {
  return JSON.parse(python(BATCH, [], JSON.stringify(items))) as ReferenceAnswer[];
}
