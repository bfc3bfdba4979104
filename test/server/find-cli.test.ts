/** The order in which the Temporal CLI is looked for, and what each step says when it gives nothing. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { CliNotFoundError } from '../../src/server/index.ts';
import { findTemporalCli } from '../../src/server/index.ts';
import { cleanUpAfterEach, failure, fakeCliScript, program, temporaryDirectory } from './helpers.ts';

cleanUpAfterEach();

/** An environment in which nothing is found, with a place for each kind of find. */
function emptyMachine() {
  const root = temporaryDirectory();
  const bin = join(root, 'bin');
  mkdirSync(bin);
  const env: NodeJS.ProcessEnv = { PATH: bin, HOME: join(root, 'home'), XDG_CACHE_HOME: join(root, 'cache') };
  const cached = join(root, 'cache', 'countersign', 'temporal', '1.9.1', 'temporal');
  return { root, bin, env, cached };
}

const steps = async (promise: Promise<unknown>): Promise<CliNotFoundError['steps']> => {
  const error: unknown = await promise.catch((thrown: unknown) => thrown);
  return (error as CliNotFoundError).steps;
};

describe('the search on this machine', () => {
  it('takes TEMPORAL_CLI_PATH before PATH, and PATH before the cache', async () => {
    const { root, bin, env, cached } = emptyMachine();
    program(cached, fakeCliScript('1.9.3'));
    expect(await findTemporalCli({ env, fetch: false })).toMatchObject({
      path: cached,
      version: '1.9.3',
      source: 'cache',
    });
    const onPath = program(join(bin, 'temporal'), fakeCliScript('1.9.2'));
    expect(await findTemporalCli({ env, fetch: false })).toMatchObject({ path: onPath, source: 'PATH' });
    const given = program(join(root, 'mine', 'temporal'), fakeCliScript());
    const withPath = { ...env, TEMPORAL_CLI_PATH: given };
    const expected = { path: given, version: '1.9.1', serverVersion: '1.32.0', source: 'TEMPORAL_CLI_PATH' };
    expect(await findTemporalCli({ env: withPath, fetch: false })).toEqual(expected);
  });

  it('refuses an unusable TEMPORAL_CLI_PATH although PATH has a good one', async () => {
    const { bin, env } = emptyMachine();
    program(join(bin, 'temporal'), fakeCliScript());
    const absent = join(bin, 'absent');
    const error = await failure(findTemporalCli({ env: { ...env, TEMPORAL_CLI_PATH: absent } }));
    expect(error.code).toBe('server_unavailable');
    expect(error.message).toBe(`TEMPORAL_CLI_PATH is not usable: ${absent} does not run: not found`);
    expect(error.hint).toContain('TEMPORAL_CLI_PATH');
  });

  it.each([
    ['does not run', 'exit 3', 'does not run: exit 3'],
    ['says something else', 'echo hello', '--version does not answer like a Temporal CLI: "hello"'],
    ['is too old', fakeCliScript('1.6.1'), 'is version 1.6.1; 1.8.0 or newer is needed'],
  ])('a program on PATH that %s is passed over', async (_name, script, reason) => {
    const { bin, env, cached } = emptyMachine();
    const bad = program(join(bin, 'temporal'), script);
    expect(await steps(findTemporalCli({ env, fetch: false }))).toContainEqual({
      step: 'PATH',
      reason: `${bad} ${reason}`,
    });
    program(cached, fakeCliScript());
    expect(await findTemporalCli({ env, fetch: false })).toMatchObject({ source: 'cache' });
  });

  it('passes over a file that is no program at all', async () => {
    const { bin, env } = emptyMachine();
    writeFileSync(join(bin, 'temporal'), Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 0, 0, 0]), { mode: 0o755 });
    const [, path] = await steps(findTemporalCli({ env, fetch: false }));
    expect(path?.step).toBe('PATH');
    expect(path?.reason).toContain('temporal does not run');
  });

  it('believes a CLI that was built from source', async () => {
    const { bin, env } = emptyMachine();
    program(join(bin, 'temporal'), fakeCliScript('0.0.0-DEV'));
    expect(await findTemporalCli({ env, fetch: false })).toMatchObject({ version: '0.0.0-DEV', source: 'PATH' });
  });

  it('does not take a program from the working directory through an empty or relative PATH entry', async () => {
    const { bin, env } = emptyMachine();
    program(join(bin, 'temporal'), fakeCliScript());
    const found = await steps(findTemporalCli({ env: { ...env, PATH: ':.:bin' }, fetch: false }));
    expect(found).toContainEqual({ step: 'PATH', reason: 'no temporal in it' });
  });

  it('ignores a relative XDG_CACHE_HOME', async () => {
    const { env, root } = emptyMachine();
    const path = program(join(root, 'home', '.cache', 'countersign', 'temporal', '1.9.1', 'temporal'), fakeCliScript());
    expect(await findTemporalCli({ env: { ...env, XDG_CACHE_HOME: 'cache' }, fetch: false })).toMatchObject({ path });
  });
});

describe('when nothing is found', () => {
  it('one line lists every step with its reason, and the hint says what to do', async () => {
    const { env, cached } = emptyMachine();
    const error = await failure(findTemporalCli({ env, machine: 'plan9-mips' }));
    expect(error).toEqual({
      code: 'server_unavailable',
      message:
        'no usable Temporal CLI (TEMPORAL_CLI_PATH: not set; PATH: no temporal in it; ' +
        `cache: ${cached} is not there; fetch: no pinned Temporal CLI for plan9-mips)`,
      hint: expect.stringContaining('TEMPORAL_CLI_PATH') as string,
    });
  });

  it('a cache that cannot be made is a reason, not a crash', async () => {
    const { env, root } = emptyMachine();
    writeFileSync(join(root, 'cache'), 'a file where the directory should be');
    const found = await steps(findTemporalCli({ env, machine: 'linux-x64' }));
    expect(found.at(-1)?.step).toBe('fetch');
    expect(found.at(-1)?.reason).toMatch(/EEXIST|ENOTDIR/);
  });
});
