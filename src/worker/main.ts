/** A worker process: runs until it is told to stop, tells when it is ready, sweeps once at its start. */
import type { Logger } from 'pino';
import type { RecoverySettings } from '../core/recovery.ts';
import { ExitCodes } from '../core/outcomes.ts';
import { sweep, type SweepAnswer } from '../operations/sweep.ts';
import type { ConnectionSettings } from '../server/index.ts';
import { armedCrashPoints, type Arming } from './crash.ts';
import type { ReceiverKind } from './embedded-receiver.ts';
import { createLogger, installRuntime } from './logging.ts';
import { passingToRuns } from './runs.ts';
import { serverFault } from './server-fault.ts';
import type { StatePaths } from './state-directory.ts';
import { leaveParent, stopWhenTold } from './until-told.ts';
import { createWorker, type RunningWorker, type WorkerEmbedding } from './worker.ts';
import type { CrashPoints } from '../ports/crash-points.ts';
import type { Drafter } from '../ports/drafter.ts';
import type { Receiver } from '../ports/receiver.ts';

export interface WorkerProcess {
  readonly paths: StatePaths;
  readonly connection: ConnectionSettings;
  readonly taskQueue: string;
  readonly arming: Arming | null;
  readonly recovery?: Partial<RecoverySettings>;
  readonly receiverKind?: ReceiverKind;
  /** In place of what `arming` says. */
  readonly crash?: CrashPoints;
  readonly receiver?: (embedded: Receiver) => Receiver;
  readonly drafter?: Drafter;
  readonly embedding?: WorkerEmbedding;
  readonly ready: () => void;
}

/** The sweep at worker start looks at no more than this many operations in one go. */
const sweepLimit = 1_000;

async function sweepAtStart(running: RunningWorker, taskQueue: string, logger: Logger): Promise<void> {
  const { client, ports, worker } = running;
  try {
    const passing = passingToRuns(client, ports.ledger, taskQueue);
    for (let from: number | null = null; ;) {
      const { swept, next, ...counts }: SweepAnswer = await sweep(ports, passing, { limit: sweepLimit, from });
      logger.info({ ...counts, passedOn: swept.length }, 'swept at start');
      if (next === null || worker.getState() !== 'RUNNING') return;
      from = next;
    }
  } catch (thrown) {
    logger.warn({ error: String(thrown) }, 'the sweep at start failed; run `countersign sweep`');
  }
}

/** Resolves when the worker has stopped. Throws catalogue errors when it cannot start. */
export async function runWorkerProcess(options: WorkerProcess): Promise<void> {
  const logger = createLogger('countersign-worker');
  const { arming } = options;
  if (arming) logger.warn({ ...arming }, 'ARMED: this worker fails deliberately at a crash point');
  installRuntime(logger);
  const armed = armedCrashPoints(arming, {
    exitCode: ExitCodes.workerLostReceipt,
    pauseMarker: `${options.paths.directory}/paused-at-crash-point`,
  });
  const crash = options.crash ?? armed;
  const running = await createWorker({ ...options, crash }).catch((thrown: unknown) => {
    throw serverFault(thrown, options.connection);
  });
  // Started by `up`: ends with it, however that ends.
  stopWhenTold(running.worker);
  const done = running.run();
  // Awaited below; a worker that fails during the sweep must not count as an unhandled rejection until then.
  done.catch(() => undefined);
  options.ready();
  logger.info({ taskQueue: options.taskQueue, searchAttributes: running.searchAttributes }, 'worker runs');
  await sweepAtStart(running, options.taskQueue, logger);
  await done;
  leaveParent();
}
