/** scripts/bootstrap.mjs in a small copy of the project whose npm is a fake that only writes down what it was asked. */
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { cleanUpAfterEach, program, temporaryDirectory, until } from './helpers.ts';

cleanUpAfterEach();

const bootstrap = fileURLToPath(new URL('../../scripts/bootstrap.mjs', import.meta.url));
const workingBinding = 'module.exports = class { close() {} };';
const brokenBinding = "throw new Error('compiled for NODE_MODULE_VERSION 1');";

interface Tree {
  readonly root: string;
  readonly install: (version?: string) => void;
  readonly npmCalls: () => string[];
  readonly write: (path: string, text: string) => void;
}

/** `npm ci` installs version 2 of the one locked package; both npm commands leave a binding that loads. */
function tree(npmScript = ''): Tree {
  const root = temporaryDirectory();
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const lock = (version: string): string => {
    const optional = { version: '1.0.0', optional: true, os: ['no-such-system'] };
    const packages = { '': { name: 'x' }, 'node_modules/better-sqlite3': { version }, 'node_modules/other': optional };
    return JSON.stringify({ packages });
  };
  const install = (version = '2.0.0'): void => {
    const packages = { 'node_modules/better-sqlite3': { version } };
    write('node_modules/.package-lock.json', JSON.stringify({ packages }));
    write('node_modules/better-sqlite3/package.json', '{"main":"index.js"}');
    write('node_modules/better-sqlite3/index.js', workingBinding);
  };
  mkdirSync(join(root, 'scripts'));
  copyFileSync(bootstrap, join(root, 'scripts', 'bootstrap.mjs'));
  write('package-lock.json', lock('2.0.0'));
  program(join(root, '.ci', 'run'), `echo "checked $*"; exit "\${1:-0}"`);
  // Installs a tree by moving a prepared one into place, as slowly as the test wants.
  install();
  write('prepared.json', readFileSync(join(root, 'node_modules/.package-lock.json'), 'utf8'));
  rmSync(join(root, 'node_modules'), { recursive: true });
  write(
    'npm-cli.js',
    `const fs = require('fs');
    fs.appendFileSync('npm.log', process.argv.slice(2).join(' ') + '\\n');
    (async () => {
      ${npmScript}
      fs.mkdirSync('node_modules/better-sqlite3', { recursive: true });
      fs.writeFileSync('node_modules/better-sqlite3/package.json', '{"main":"index.js"}');
      fs.writeFileSync('node_modules/better-sqlite3/index.js', ${JSON.stringify(workingBinding)});
      fs.copyFileSync('prepared.json', 'node_modules/.package-lock.json');
    })();`,
  );
  const log = join(root, 'npm.log');
  const npmCalls = (): string[] => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : []);
  return { root, install, npmCalls, write };
}

interface Run {
  readonly child: ChildProcess;
  readonly ended: Promise<{ code: number | null; out: string; err: string }>;
}

function start({ root }: Tree, ...args: string[]): Run {
  const env = { ...process.env, npm_execpath: join(root, 'npm-cli.js') };
  const child = spawn(process.execPath, [join(root, 'scripts', 'bootstrap.mjs'), ...args], { env });
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  const ended = new Promise<{ code: number | null; out: string; err: string }>((resolve) => {
    child.once('close', (code) => resolve({ code, out, err }));
  });
  return { child, ended };
}

const run = (of: Tree, ...args: string[]) => start(of, ...args).ended;
const ci = 'ci --include=dev --include=optional --no-audit --no-fund';

describe('bootstrap', () => {
  it('runs the target at once when everything is there, and passes arguments and exit code on', async () => {
    const project = tree();
    project.install();
    expect(await run(project, 'check', '7', 'more')).toEqual({ code: 7, out: 'checked 7 more\n', err: '' });
    expect(project.npmCalls()).toEqual([]);
  });

  it('installs what is missing first, and says so in short lines', async () => {
    const project = tree();
    const { code, out, err } = await run(project, 'check');
    expect([code, out]).toEqual([0, 'checked \n']);
    expect(project.npmCalls()).toEqual([ci]);
    expect(err).toMatch(
      /^bootstrap: installing the locked dependencies with npm ci: they are not installed\nbootstrap: dependencies ready in \d+ s\n$/,
    );
    expect(existsSync(join(project.root, '.tmp', 'bootstrap.lock'))).toBe(false);
  });

  it('installs again when a version differs from the locked one, or a package was deleted', async () => {
    const project = tree();
    project.install('1.0.0');
    const older = await run(project, 'check');
    expect(older.err).toContain('node_modules/better-sqlite3 is 1.0.0, locked is 2.0.0');
    rmSync(join(project.root, 'node_modules/better-sqlite3'), { recursive: true });
    const deleted = await run(project, 'check');
    expect(deleted.err).toContain('node_modules/better-sqlite3 is missing');
    expect(project.npmCalls()).toEqual([ci, ci]);
  });

  it('rebuilds the SQLite binding when it does not load in this Node', async () => {
    const project = tree();
    project.install();
    project.write('node_modules/better-sqlite3/index.js', brokenBinding);
    const { code, err } = await run(project, 'check');
    expect(code).toBe(0);
    expect(err).toContain('better-sqlite3 does not load in Node');
    expect(err).toContain('it was built for another Node version');
    expect(project.npmCalls()).toEqual(['rebuild better-sqlite3']);
  });

  it('stops when npm fails, with what npm said and a hint, and does not run the target', async () => {
    const project = tree("console.error('npm error gyp ERR! no compiler'); process.exit(5);");
    const { code, out, err } = await run(project, 'check');
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain(
      'npm error gyp ERR! no compiler\nerror: npm ci ended with 5\nhint: No prebuilt SQLite fits here',
    );
  });

  it('stops when npm succeeds but leaves the tree incomplete', async () => {
    const project = tree('process.exit(0);');
    const { code, err } = await run(project, 'check');
    expect(code).toBe(1);
    expect(err).toContain('error: npm left the dependencies incomplete: they are not installed\nhint: ');
  });

  it('installs once when two run at the same time', async () => {
    const project = tree("while (!fs.existsSync('go')) await new Promise((done) => setTimeout(done, 20));");
    const first = start(project, 'check');
    await until('npm runs', () => project.npmCalls().length > 0);
    const second = start(project, 'check');
    let said = '';
    second.child.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()));
    await until('the second one waits', () => said.includes('is installing the dependencies; waiting for it'));
    project.write('go', '');
    const results = await Promise.all([first.ended, second.ended]);
    expect(results.map(({ code, out }) => [code, out])).toEqual([
      [0, 'checked \n'],
      [0, 'checked \n'],
    ]);
    expect(project.npmCalls()).toEqual([ci]);
  });

  it('is not stopped by the lock of a process that is gone', async () => {
    const project = tree();
    const gone = spawn(process.execPath, ['-e', '']);
    await new Promise((resolve) => gone.once('close', resolve));
    project.write('.tmp/bootstrap.lock', JSON.stringify({ pids: [gone.pid] }));
    expect((await run(project, 'check')).code).toBe(0);
    expect(project.npmCalls()).toEqual([ci]);
  });

  it('passes a signal on and ends as the target ends', async () => {
    const project = tree();
    project.install();
    program(
      join(project.root, '.ci', 'run'),
      "trap 'echo stopped; exit 9' TERM; echo running; while :; do sleep 0.05; done",
    );
    const { child, ended } = start(project, 'check');
    await new Promise((resolve) => child.stdout?.once('data', resolve));
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 9, out: 'running\nstopped\n' });
  });

  it('refuses an unknown target', async () => {
    const project = tree();
    const { code, err } = await run(project, 'constructor');
    expect(code).toBe(2);
    expect(err).toContain(
      'error: unknown target "constructor"\nhint: node scripts/bootstrap.mjs demo|test|bench|check',
    );
  });
});
