/** The lock between processes. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { acquireFileLock } from '../../src/server/index.ts';
import { cleanUpAfterEach, failure, temporaryDirectory } from './helpers.ts';

cleanUpAfterEach();

it('has one holder at a time, says that it waits, and is free again after release', async () => {
  const path = join(temporaryDirectory(), 'a.lock');
  const release = await acquireFileLock(path, 0);
  const refused = await failure(acquireFileLock(path, 0));
  expect(refused).toMatchObject({ code: 'server_unavailable', message: `${path} is locked by another process` });
  let waited = 0;
  const second = acquireFileLock(path, 30_000, () => {
    waited += 1;
    release();
  });
  (await second)();
  expect(waited).toBe(1);
});

it('is free at once after its holder was killed', async () => {
  const path = join(temporaryDirectory(), 'a.lock');
  const script = `import { acquireFileLock } from ${JSON.stringify(new URL('../../src/server/index.ts', import.meta.url).href)};
    await acquireFileLock(process.argv[1], 0); console.log('held'); setInterval(() => {}, 1000);`;
  const args = ['--import', 'tsx', '--input-type=module', '-e', script, path];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  await new Promise<void>((resolve) => child.stdout.once('data', () => resolve()));
  expect((await failure(acquireFileLock(path, 0))).code).toBe('server_unavailable');
  child.kill('SIGKILL');
  await closed;
  (await acquireFileLock(path, 0))();
}, 60_000);

it('names the file that cannot be used', async () => {
  const path = join(temporaryDirectory(), 'absent', 'a.lock');
  expect((await failure(acquireFileLock(path, 0))).message).toContain(`cannot lock ${path}`);
});
