// Makes `npm run demo` and `npm test` work straight after a clone: installs the locked dependencies when they are
// missing or out of date, then runs the target. Plain Node, no dependency; the syntax is old on purpose, so that an old
// Node comes as far as the message that says which one is needed.
import { spawn, spawnSync } from 'child_process';
import fs from 'fs';
import os from 'os';
import path from 'path';
import { fileURLToPath } from 'url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const onTerminal = process.stderr.isTTY === true;
const lockFile = path.join(root, '.tmp', 'bootstrap.lock');
const lockWaitMs = 15 * 60 * 1000;
const lockPollMs = 200;
const maxKeptOutput = 64 * 1024;

const node = process.execPath;
const targets = {
  demo: { needsCli: true, command: [node, 'bin/countersign', 'demo'] },
  test: { needsCli: true, command: [node, 'node_modules/vitest/vitest.mjs', 'run'] },
  bench: { needsCli: true, command: [node, '--import', 'tsx', 'bench/run.ts'] },
  check: { needsCli: false, command: [path.join(root, '.ci', 'run')] },
};

function say(line) {
  process.stderr.write(`${onTerminal ? '› ' : 'bootstrap: '}${line}\n`);
}

function fail(message, hint, code) {
  process.stderr.write(`error: ${message}\nhint: ${hint}\n`);
  process.exit(code);
}

function checkNodeVersion() {
  const parts = process.versions.node.split('.').map(Number);
  if (parts[0] > 20 || (parts[0] === 20 && parts[1] >= 6)) return;
  fail(`Node ${process.versions.node} is too old`, 'Countersign needs Node 20.6 or newer.', 1);
}

function readJson(file) {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
}

/** npm's own words: `os` and `cpu` list what fits, or with `!` what does not. */
function fits(list, value) {
  if (!Array.isArray(list) || list.length === 0) return true;
  return list.includes(value) || (list.every((entry) => entry.startsWith('!')) && !list.includes(`!${value}`));
}

const isForThisMachine = (entry) => fits(entry.os, process.platform) && fits(entry.cpu, process.arch);

/** Compares what is locked with what npm wrote down when it installed last. Returns the reason, or ''. */
function whyPackagesDiffer() {
  const locked = readJson(path.join(root, 'package-lock.json'));
  const installed = readJson(path.join(root, 'node_modules', '.package-lock.json'));
  if (locked === null) fail('package-lock.json is missing or unreadable', 'Restore it, e.g. with git checkout.', 1);
  if (installed === null) return 'they are not installed';
  const known = installed.packages || {};
  for (const place of Object.keys(locked.packages || {})) {
    const wanted = locked.packages[place];
    const found = known[place];
    // The root itself, and optional packages that npm left out because they are for other machines.
    if (place === '' || wanted.link || (found === undefined && wanted.optional)) continue;
    if (found === undefined || !fs.existsSync(path.join(root, place, 'package.json'))) return `${place} is missing`;
    if (found.version !== wanted.version) return `${place} is ${found.version}, locked is ${wanted.version}`;
  }
  const foreign = Object.keys(known).find((place) => !isForThisMachine(known[place]));
  return foreign === undefined ? '' : `${foreign} was installed for another kind of machine`;
}

/** In a child: a binding built for another Node can take its process down with it. */
function whyBindingFails() {
  const script = "new (require('better-sqlite3'))(':memory:').close()";
  const result = spawnSync(node, ['-e', script], { cwd: root, encoding: 'utf8' });
  if (result.status === 0) return '';
  const said = result.stderr || '';
  const line = said.split('\n').find((text) => /Error/.test(text)) || 'no reason given';
  const reason = /NODE_MODULE_VERSION/.test(said) ? 'it was built for another Node version' : line.trim();
  return `better-sqlite3 does not load in Node ${process.versions.node} (${reason})`;
}

const whyStale = () => whyPackagesDiffer() || whyBindingFails();

/**
 * Runs a program until it ends and passes signals on. A Ctrl-C in a terminal reaches the child without us, and a
 * second one would be taken for impatience.
 */
function run(command, options) {
  return new Promise((resolve) => {
    const child = spawn(command[0], command.slice(1), Object.assign({ cwd: root, stdio: 'inherit' }, options.spawn));
    const handlers = ['SIGINT', 'SIGTERM', 'SIGHUP'].map((name) => {
      const handler = () => {
        if (name !== 'SIGINT' || process.stdin.isTTY !== true) child.kill(name);
      };
      process.on(name, handler);
      return () => process.removeListener(name, handler);
    });
    const done = (code) => {
      for (const remove of handlers) remove();
      resolve(code);
    };
    if (options.started) options.started(child);
    child.once('error', (error) => {
      process.stderr.write(`error: ${command[0]} cannot be started (${error.message})\n`);
      done(127);
    });
    child.once('close', (code, signal) => done(signal === null ? code : 128 + (os.constants.signals[signal] || 0)));
  });
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** The lock file names this process and its npm: an npm that outlives us still works on the tree. */
function writeLock(npmPid) {
  const temporary = `${lockFile}.${process.pid}`;
  fs.writeFileSync(temporary, JSON.stringify({ pids: [process.pid].concat(npmPid || []) }));
  return temporary;
}

/** 0: we have it; a process id: that one has it; -1: it was in the way a moment ago, so ask again. */
function tryLock() {
  fs.mkdirSync(path.dirname(lockFile), { recursive: true });
  const mine = writeLock();
  try {
    // A hard link appears complete or not at all, and fails when the name is taken.
    fs.linkSync(mine, lockFile);
    return 0;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  } finally {
    fs.unlinkSync(mine);
  }
  const holder = readJson(lockFile);
  const alive = holder === null ? undefined : holder.pids.find(isAlive);
  if (alive !== undefined) return alive;
  // Of several that see a dead holder only one can move its file away; the others find it gone and try again.
  const stale = `${lockFile}.stale.${process.pid}`;
  try {
    fs.renameSync(lockFile, stale);
    const moved = readJson(stale);
    if (moved !== null && moved.pids.some(isAlive)) fs.linkSync(stale, lockFile);
    fs.unlinkSync(stale);
  } catch (error) {
    if (error.code !== 'ENOENT' && error.code !== 'EEXIST') throw error;
  }
  return -1;
}

async function lockTree() {
  const deadline = Date.now() + lockWaitMs;
  for (let told = false; ;) {
    const holder = tryLock();
    if (holder === 0) break;
    if (Date.now() > deadline) {
      fail(`process ${holder} has been installing for too long`, `Stop it, or delete ${lockFile} if it is gone.`, 1);
    }
    if (!told && holder > 0) {
      say(`process ${holder} is installing the dependencies; waiting for it`);
      told = true;
    }
    await new Promise((resolve) => setTimeout(resolve, lockPollMs));
  }
  const unlock = () => fs.rmSync(lockFile, { force: true });
  process.on('exit', unlock);
  return () => {
    process.removeListener('exit', unlock);
    unlock();
  };
}

function hintFor(output) {
  if (/gyp ERR|prebuild-install|node-gyp/.test(output)) {
    return 'No prebuilt SQLite fits here: a C++ compiler, make and python3 are needed to build it.';
  }
  if (/ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ECONNREFUSED|ECONNRESET|network/.test(output)) {
    return 'npm cannot reach its registry: check the connection and the proxy settings.';
  }
  return 'Run npm ci by hand to see more.';
}

/** The npm that runs us if one does, else the one on PATH. On a terminal it speaks for itself, else only if it fails. */
async function npm(args) {
  const own = process.env.npm_execpath || '';
  const program = /npm-cli\.[cm]?js$/.test(own) ? [node, own] : ['npm'];
  let output = '';
  const keep = (chunk) => {
    output = (output + chunk).slice(-maxKeptOutput);
  };
  const started = (child) => {
    if (child.pid !== undefined) fs.renameSync(writeLock(child.pid), lockFile);
    for (const stream of [child.stdout, child.stderr]) if (stream) stream.on('data', keep);
  };
  const stdio = onTerminal ? ['inherit', 2, 2] : ['ignore', 'pipe', 'pipe'];
  const code = await run(program.concat(args), { started, spawn: { stdio } });
  if (code === 0) return;
  process.stderr.write(output);
  fail(`npm ${args[0]} ended with ${code}`, hintFor(output), code > 128 ? code : 1);
}

async function installDependencies() {
  if (whyStale() === '') return;
  const unlock = await lockTree();
  // Whoever held the lock before us may have done it already.
  const reason = whyStale();
  if (reason !== '') {
    const begin = Date.now();
    if (whyPackagesDiffer() !== '') {
      say(`installing the locked dependencies with npm ci: ${reason}`);
      await npm(['ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund']);
    }
    const binding = whyBindingFails();
    if (binding !== '') {
      say(`rebuilding better-sqlite3 with npm rebuild: ${binding}`);
      await npm(['rebuild', 'better-sqlite3']);
    }
    const left = whyStale();
    if (left !== '') {
      const hint = 'Is ignore-scripts, omit or nodedir set in your npm configuration?';
      fail(`npm left the dependencies incomplete: ${left}`, hint, 1);
    }
    say(`dependencies ready in ${Math.round((Date.now() - begin) / 1000)} s`);
  }
  unlock();
}

async function main() {
  checkNodeVersion();
  const name = process.argv[2] || '';
  const args = process.argv.slice(3);
  const target = Object.prototype.hasOwnProperty.call(targets, name) ? targets[name] : null;
  if (target === null) {
    fail(
      `unknown target ${JSON.stringify(name)}`,
      `node scripts/bootstrap.mjs ${Object.keys(targets).join('|')} [ARGUMENT…]`,
      2,
    );
  }
  await installDependencies();
  // Before the target, so that a fetch of 45 MB is seen as such and not as a slow test.
  if (target.needsCli && !args.includes('--help')) {
    const code = await run([node, '--import', 'tsx', 'src/server/ensure-cli.ts'], {
      spawn: { stdio: ['ignore', 2, 2] },
    });
    if (code !== 0) process.exit(code);
  }
  process.exit(await run(target.command.concat(args), {}));
}

main().catch((error) => fail(error.message, 'Please report this.', 1));
