/** `up`: server and worker in the foreground, one per state directory, nothing left behind however it ends. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { freePorts } from '../../src/server/ports.ts';
import type { ProcessRef } from '../../src/server/processes.ts';
import { readRecord } from '../../src/server/record.ts';
import { eventually } from '../support/temporal.ts';
import {
  documentOf,
  processOf,
  runCommand,
  signalProcess,
  stillAlive,
  type Finished,
  type ReadyLine,
  type RunningCommand,
} from '../support/processes.ts';
import { caseFile, listing, Sandbox, sandbox, type Fault } from './sandbox.ts';

const environment = (): Readonly<Record<string, string>> => ({ TEMPORAL_CLI_PATH: inject('temporalCli') });

interface Up {
  readonly command: RunningCommand;
  readonly ready: ReadyLine;
  /** Itself, the server, the server's watchdog and the worker. */
  readonly processes: readonly ProcessRef[];
}

async function up(at: Sandbox, ...args: string[]): Promise<Up> {
  const command = at.start(['--json', 'up', ...args], { env: environment() });
  const ready = await command.readyLine();
  const record = readRecord(at.state);
  if (!record?.watchdog || !command.ref) throw new Error('The record of the server names no processes.');
  const workers = typeof ready.workerPid === 'number' ? [processOf(ready.workerPid)] : [];
  return { command, ready, processes: [command.ref, record.server, record.watchdog, ...workers] };
}

const allGone = (processes: readonly ProcessRef[]): Promise<true> =>
  eventually('every process is gone', () => stillAlive(processes).length === 0);

function faultOf(finished: Finished): Fault {
  return (documentOf(finished) as { error: Fault }).error;
}

/** A command that finds its server by the state directory alone. */
const on = (at: Sandbox, ...args: string[]): Promise<Finished> =>
  runCommand(['--json', '--state', at.state, ...args], { cwd: at.directory, env: environment() });

describe('running', () => {
  let at: Sandbox;
  let running: Up;
  beforeAll(async () => {
    at = new Sandbox();
    running = await up(at);
  });
  afterAll(() => at.close());

  test('it says in one line where it listens, and who works there', () => {
    const { command, ready, processes } = running;

    expect(command.stdout.split('\n')).toHaveLength(2);
    expect(ready).toStrictEqual({
      ready: true,
      temporalAddress: expect.stringMatching(/^127\.0\.0\.1:\d+$/) as string,
      namespace: 'default',
      uiUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) as string,
      state: at.state,
      pid: command.pid,
      workerPid: expect.any(Number) as number,
    });
    expect(processes).toHaveLength(4);
  });

  test('its web page is there', async () => {
    const answer = await fetch(String(running.ready.uiUrl));

    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain('<html');
  });

  test('commands find the server by the state directory: a case is begun and approved', async () => {
    const begun = await on(at, 'begin', at.file('case.json', caseFile()));
    const { operationId } = documentOf(begun) as { operationId: string };

    const approved = await on(at, 'approve', operationId, '--reviewer', 'rosa');

    expect(approved.code).toBe(0);
    expect(documentOf(approved)).toMatchObject({ state: 'Completed', told: true, result: { status: 'Committed' } });
    expect(at.effects()).toContain(operationId);
  });

  test('every file of the state directory is for its owner only', () => {
    const open = Object.entries(listing(at.state)).filter(([, entry]) => !entry.startsWith('600 '));

    expect(open).toStrictEqual([]);
  });

  test('a second one on the same directory is refused, and the first goes on', async () => {
    const second = await on(at, 'up');

    expect(second.code).toBe(69);
    expect(faultOf(second)).toMatchObject({
      code: 'state_locked',
      message: expect.stringContaining(at.state) as string,
    });
    expect(faultOf(second).hint).not.toBe('');
    expect(stillAlive(running.processes)).toHaveLength(4);
  });

  test('doctor finds everything in order, and changes nothing', async () => {
    const before = at.dump();

    const finished = await on(at, 'doctor');

    const { healthy, checks } = documentOf(finished) as {
      healthy: boolean;
      checks: { name: string; result: string }[];
    };
    expect({ code: finished.code, healthy }).toStrictEqual({ code: 0, healthy: true });
    expect(Object.fromEntries(checks.map(({ name, result }) => [name, result]))).toStrictEqual({
      node: 'ok',
      state: 'ok',
      ledger: 'ok',
      receiver: 'ok',
      'temporal CLI': 'ok',
      'temporal server': 'ok',
      'search attributes': 'ok',
      worker: 'ok',
    });
    expect(at.dump()).toStrictEqual(before);
  });

  test('a worker that is killed is started again, and works', async () => {
    const { command, ready } = running;
    const worker = processOf(Number(ready.workerPid));
    const runs = (): number => command.stderr.split('"worker runs"').length - 1;
    const before = runs();

    signalProcess(worker, 'SIGKILL');
    await eventually('another worker runs', () => runs() > before);
    const begun = await on(at, 'begin', at.file('case.json', caseFile()));

    expect(stillAlive([worker])).toStrictEqual([]);
    expect(begun.code).toBe(0);
    expect(documentOf(begun)).toMatchObject({ outcome: 'admitted', state: 'Pending' });
  });
});

test('two with different directories run side by side, at the ports asked for, and each stops by its signal', async () => {
  const first = sandbox();
  const second = sandbox();
  const [port, uiPort] = await freePorts(2);
  const asked = await up(first, '--port', String(port), '--ui-port', String(uiPort));
  const found = await up(second);

  asked.command.kill('SIGINT');
  const interrupted = await asked.command.finished();
  const afterFirst = { first: stillAlive(asked.processes), second: stillAlive(found.processes) };
  found.command.kill('SIGTERM');
  const terminated = await found.command.finished();

  expect(asked.ready).toMatchObject({
    temporalAddress: `127.0.0.1:${port}`,
    uiUrl: `http://127.0.0.1:${uiPort}`,
    state: first.state,
  });
  expect(found.ready.temporalAddress).not.toBe(asked.ready.temporalAddress);
  expect(interrupted).toMatchObject({ code: 0, signal: null });
  expect(terminated).toMatchObject({ code: 0, signal: null });
  expect(afterFirst.second).toHaveLength(4);
  await allGone([...asked.processes, ...found.processes]);
});

test('a port that is taken is refused by its number, and nothing is left running', async () => {
  const at = sandbox();
  const port = inject('temporalAddress').split(':')[1];

  const finished = await on(at, 'up', '--port', String(port));

  expect(finished.code).toBe(69);
  expect(faultOf(finished)).toMatchObject({ code: 'server_unavailable' });
  expect(faultOf(finished).message).toContain(String(port));
  expect(readRecord(at.state)).toBeNull();
});

test.each([
  ['--port', '0'],
  ['--port', '65536'],
  ['--ui-port', 'http'],
])('%s %s is no port: refused as usage', async (option, text) => {
  const at = sandbox();

  const finished = await on(at, 'up', option, text);

  expect(finished.code).toBe(2);
  expect(faultOf(finished).message).toContain(`${option} takes a whole number`);
  expect(listing(at.state)).toStrictEqual({});
});

test('up --no-worker is only the server; a worker of its own does the work', async () => {
  const at = sandbox();
  const { command, ready, processes } = await up(at, '--no-worker');
  const worker = at.start(['--json', 'worker'], { env: environment() });
  const works = await worker.readyLine();

  const begun = await on(at, 'begin', at.file('case.json', caseFile()));
  worker.kill('SIGTERM');
  const stopped = await worker.finished();
  command.kill('SIGTERM');

  expect(ready.workerPid).toBeNull();
  expect(works).toMatchObject({ temporalAddress: ready.temporalAddress, taskQueue: 'countersign', pid: worker.pid });
  expect(begun.code).toBe(0);
  expect(stopped).toMatchObject({ code: 0, stdout: expect.stringMatching(/^[^\n]+\n$/) as string });
  expect(await command.finished()).toMatchObject({ code: 0 });
  await allGone(processes);
});

test('a kill -9 leaves nothing running, and the next one takes the directory over', async () => {
  const at = sandbox();
  const killed = await up(at);

  killed.command.kill('SIGKILL');
  await killed.command.finished();
  await allGone(killed.processes);
  const next = await up(at);

  expect(next.ready.state).toBe(at.state);
  expect(stillAlive(next.processes)).toHaveLength(4);
});

test('stopped while its worker is about to be started again, it ends without starting one', async () => {
  const at = sandbox();
  // Text, because with --json it does not say that a worker ended.
  const command = at.start(['up'], { env: environment() });
  await command.until('it is ready', ({ stdout }) => stdout.includes('Ready.'));
  // Its worker says so a moment after it is ready, and is to be killed after that.
  await command.until('its worker runs', ({ stderr }) => stderr.includes('"worker runs"'));
  const pid = Number(/pid (\d+)/.exec(command.stdout)?.[1]);
  const record = readRecord(at.state);
  signalProcess(processOf(pid), 'SIGKILL');
  await command.until('it noticed', ({ stderr }) => stderr.includes('it is started again'));

  command.kill('SIGTERM');

  expect(await command.finished()).toMatchObject({ code: 0, signal: null });
  expect(command.stderr.split('"worker runs"')).toHaveLength(2);
  await allGone([record!.server]);
});

test('a worker that hangs does not keep it from stopping', async () => {
  const at = sandbox();
  const { command, ready, processes } = await up(at);
  const worker = processOf(Number(ready.workerPid));
  signalProcess(worker, 'SIGSTOP');
  // Whatever happens, a stopped process must not outlive the test.
  onTestFinished(() => signalProcess(worker, 'SIGKILL'));

  command.kill('SIGTERM');

  expect(await command.finished()).toMatchObject({ code: 0, signal: null });
  await allGone(processes);
});

test('a server that is killed under it ends it, with where to look', async () => {
  const at = sandbox();
  const { command, processes } = await up(at);
  const record = readRecord(at.state);

  signalProcess(record!.server, 'SIGKILL');

  const { code, stdout } = await command.finished();
  const [, second] = stdout.trim().split('\n');
  const { error } = JSON.parse(String(second)) as { error: Fault };
  expect(code).toBe(69);
  expect(error).toMatchObject({ code: 'server_unavailable', hint: expect.stringContaining('server.log') as string });
  await allGone(processes);
});

test('doctor on a directory that does not exist says what is absent, and makes nothing', async () => {
  const at = sandbox();
  const env = { ...environment(), TEMPORAL_ADDRESS: '127.0.0.1:1' };

  const finished = await runCommand(['--json', '--state', join(at.directory, 'none'), 'doctor'], { env });

  const { checks } = documentOf(finished) as { checks: { name: string; result: string }[] };
  expect(finished.code).toBe(0);
  expect(checks.filter(({ result }) => result === 'absent').map(({ name }) => name)).toStrictEqual([
    'state',
    'temporal server',
  ]);
  expect(listing(at.directory)).toStrictEqual({});
});

test('doctor names a damaged ledger, and exits 69', async () => {
  const at = sandbox();
  await at.proposed();
  at.file('state/ledger.db', 'no database'.repeat(1_000));

  const { code, stdout } = await runCommand(['--state', at.state, 'doctor'], {
    env: { ...environment(), TEMPORAL_ADDRESS: '127.0.0.1:1' },
  });

  expect(code).toBe(69);
  expect(stdout).toContain('[ledger_damaged]');
});
