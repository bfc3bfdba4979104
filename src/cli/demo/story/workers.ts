/** The workers of the story, each a process of its own. */
import { fileURLToPath } from 'node:url';
import { binary } from '../../package-info.ts';
import type { Service } from '../processes.ts';
import type { Scene } from '../scene.ts';

export const countersignWorker = (scene: Scene, ...args: readonly string[]): Promise<Service> =>
  scene.worker(scene.scratch.review, ['countersign', 'worker', ...args], [binary, 'worker', ...args]);

/** `.ts` in a checkout, `.js` in the published package: the same as this file's own suffix. */
const suffix = import.meta.url.slice(import.meta.url.lastIndexOf('.'));
const naiveScript = fileURLToPath(new URL(`../naive/worker${suffix}`, import.meta.url));
const loader = suffix === '.ts' ? ['--import', import.meta.resolve('tsx')] : [];

export function naiveWorker(scene: Scene, ...args: readonly string[]): Promise<Service> {
  const { naive } = scene.scratch;
  const typed = ['node', `naive/worker${suffix}`, naive.directory, ...args];
  return scene.worker(naive, typed, [...loader, naiveScript, naive.directory, ...args]);
}
