/** Command `up`: server and worker in the foreground, one per state directory, both stopped with it. */
import { join } from 'node:path';
import process from 'node:process';
import { CountersignError, errorCode } from '../../core/errors.ts';
import { ExitCodes } from '../../core/outcomes.ts';
import { witnessAtStart } from '../../operations/witness.ts';
import {
  acquireFileLock,
  connectionSettings,
  findTemporalCli,
  startDevServer,
  type DevServer,
} from '../../server/index.ts';
import { nonEmpty, type Context } from '../context.ts';
import { action, wholeNumber } from '../command.ts';
import { superviseWorker, type Supervised } from '../supervise.ts';

interface UpOptions {
  readonly port?: string;
  readonly uiPort?: string;
  /** `false` with --no-worker. */
  readonly worker: boolean;
}

async function lock(directory: string): Promise<() => void> {
  try {
    return await acquireFileLock(join(directory, 'up.lock'), 0);
  } catch (thrown) {
    if (errorCode(thrown) === null) throw thrown;
    throw new CountersignError('state_locked', {
      message: `Another \`countersign up\` uses the state directory ${directory}.`,
      cause: thrown,
    });
  }
}

const portOf = (name: string, text: string | undefined): number | undefined =>
  text === undefined ? undefined : wholeNumber(name, text, 1, 65_535);

interface AskedPorts {
  readonly port: number | undefined;
  readonly uiPort: number | undefined;
}

interface Listening {
  readonly address: string;
  readonly namespace: string;
  readonly uiUrl: string | null;
  readonly server: DevServer | null;
}

/** The server that the environment names, or a development server of this state directory. */
async function listen(context: Context, ports: AskedPorts): Promise<Listening> {
  const given = connectionSettings(context.env, context.stateDir);
  if (given.source === 'environment') {
    return { address: given.address, namespace: given.namespace, uiUrl: null, server: null };
  }
  const log = (line: string): void => context.out.note(line);
  const cli = await findTemporalCli({ env: context.env, log });
  const server = await startDevServer({
    cli,
    stateDir: context.paths().directory,
    ...ports,
    namespace: nonEmpty(context.env['TEMPORAL_NAMESPACE']),
    log,
  });
  return { address: server.address, namespace: server.namespace, uiUrl: server.uiUrl, server };
}

function stopRequested(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve(signal));
  });
}

function announce(context: Context, { address, namespace, uiUrl }: Listening, workerPid: number | null): void {
  const state = context.paths().directory;
  const ready = { ready: true, temporalAddress: address, namespace, uiUrl, state, pid: process.pid, workerPid };
  context.out.answer(ready, () =>
    [
      `Temporal   ${address}, namespace ${namespace}`,
      ...(uiUrl === null ? [] : [`Web UI     ${uiUrl}`]),
      `State      ${state}`,
      ...(workerPid === null ? [] : [`Worker     pid ${workerPid}, task queue countersign`]),
      `Ready. In another terminal: export TEMPORAL_ADDRESS=${address} TEMPORAL_NAMESPACE=${namespace} COUNTERSIGN_STATE=${state}`,
      'Stop with Ctrl-C.',
    ].join('\n'),
  );
}

/** A timer later than anybody waits: without a worker nothing else keeps this process alive. */
const keepAliveMs = 2 ** 30;

export const up = action<UpOptions, []>(async ({ context }, options) => {
  const ports = { port: portOf('--port', options.port), uiPort: portOf('--ui-port', options.uiPort) };
  const stopped = stopRequested();
  const { directory } = context.paths();
  // Opened once before anything is started: a ledger that cannot be relied on must stop `up`, not its worker later.
  await witnessAtStart(context.ports());
  context.close();
  const release = await lock(directory);
  const alive = setInterval(() => undefined, keepAliveMs);
  let listening: Listening | null = null;
  let worker: Supervised | null = null;
  try {
    listening = await listen(context, ports);
    const { server } = listening;
    if (options.worker) {
      const args = ['worker', '--state', directory];
      worker = superviseWorker({ args, log: (line) => context.out.note(line) });
    }
    const ready = await Promise.race([worker ? worker.ready : Promise.resolve(null), stopped]);
    if (typeof ready !== 'string') announce(context, listening, ready);
    const ended = await Promise.race([
      stopped.then(() => null),
      ...(server ? [server.exited.then(() => 'the Temporal server ended by itself')] : []),
      ...(worker ? [worker.ended.then(() => 'the worker does not start')] : []),
    ]);
    if (ended !== null) {
      throw new CountersignError('server_unavailable', {
        message: `Stopped: ${ended}.`,
        hint: `See ${join(directory, 'server.log')} and the messages above.`,
      });
    }
    return ExitCodes.done;
  } finally {
    clearInterval(alive);
    worker?.stop();
    await worker?.ended;
    if (listening?.server?.owned) await listening.server.stop();
    release();
  }
});
