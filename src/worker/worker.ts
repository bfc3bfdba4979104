/** Puts a worker together: connection, ledger, receiver, activities, workflow bundle. */
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker';
import { createActivities } from '../../activities/index.ts';
import { CountersignError } from '../core/errors.ts';
import type { RecoverySettings } from '../core/recovery.ts';
import type { CrashPoints } from '../ports/crash-points.ts';
import type { Drafter } from '../ports/drafter.ts';
import type { Receiver } from '../ports/receiver.ts';
import type { ConnectionSettings } from '../server/index.ts';
import { witnessAtStart } from '../operations/witness.ts';
import { payloadConverterPath, workflowBundle } from './bundle.ts';
import type { ReceiverKind } from './embedded-receiver.ts';
import { openPorts, type OpenPorts } from './open-ports.ts';
import { passingToRuns, taskQueue, tellRuns } from './runs.ts';
import { hasSearchAttributes } from './search-attributes.ts';
import type { StatePaths } from './state-directory.ts';

export interface WorkerSettings {
  readonly paths: StatePaths;
  readonly connection: ConnectionSettings;
  readonly crash: CrashPoints;
  readonly recovery?: Partial<RecoverySettings>;
  /** The receiver to use, made from the embedded one. Default: the embedded one itself. */
  readonly receiver?: (embedded: Receiver) => Receiver;
  readonly receiverKind?: ReceiverKind;
  /** Writes the body of cases that come without one. Default: nobody, and such a case is malformed. */
  readonly drafter?: Drafter;
  readonly taskQueue?: string;
  readonly identity?: string;
  readonly embedding?: WorkerEmbedding;
}

/** What a program that embeds this worker adds to it: interceptors and sinks of its own, to observe what runs. */
export interface WorkerEmbedding {
  /** Modules of workflow interceptors, bundled beside this package's own. */
  readonly interceptorModules?: readonly string[];
  /** Called with the finished options; what it returns is what the worker is made with. */
  readonly options?: (options: WorkerOptions) => WorkerOptions;
}

export interface RunningWorker {
  readonly worker: Worker;
  readonly client: Client;
  readonly ports: OpenPorts;
  readonly searchAttributes: boolean;
  /** Runs until `worker.shutdown()`; then closes everything. */
  run(): Promise<void>;
}

/** Every limit is written out: the defaults favour throughput over noticing a dead worker. */
export const workerLimits = {
  // A killed worker leaves its sticky queue behind; tasks sent there wait this long before another worker gets them.
  stickyQueueScheduleToStartTimeout: '1 second',
  // The default of 0 drops a running activity at shutdown.
  shutdownGraceTime: '10 seconds',
  maxCachedWorkflows: 1_000,
  maxConcurrentActivityTaskExecutions: 100,
  maxConcurrentLocalActivityExecutions: 100,
} as const satisfies Partial<WorkerOptions>;

async function connect(settings: ConnectionSettings) {
  try {
    const [native, connection] = await Promise.all([
      NativeConnection.connect(settings.connectionOptions),
      Connection.connect({ ...settings.connectionOptions, connectTimeout: '10 seconds' }),
    ]);
    return { native, connection };
  } catch (cause) {
    throw new CountersignError('server_unavailable', {
      message: `The Temporal server at ${settings.address} cannot be reached.`,
      cause,
    });
  }
}

/** Opens everything a worker needs. Throws catalogue errors; the returned worker has not started to poll yet. */
export async function createWorker(settings: WorkerSettings): Promise<RunningWorker> {
  const { namespace } = settings.connection;
  const queue = settings.taskQueue ?? taskQueue;
  // A ledger that cannot be relied on must stop the worker before it takes a task.
  let wake: OpenPorts['wake'] = () => Promise.resolve();
  const ports = openPorts(settings.paths, {
    crash: settings.crash,
    ...(settings.recovery ? { recovery: settings.recovery } : {}),
    ...(settings.receiver ? { receiver: settings.receiver } : {}),
    ...(settings.receiverKind ? { receiverKind: settings.receiverKind } : {}),
    ...(settings.drafter ? { drafter: settings.drafter } : {}),
    wake: (operationIds) => wake(operationIds),
  });
  try {
    await witnessAtStart(ports);
    const [{ native, connection }, bundle] = await Promise.all([
      connect(settings.connection),
      workflowBundle(settings.embedding?.interceptorModules),
    ]);
    const client = new Client({ connection, namespace, dataConverter: { payloadConverterPath } });
    wake = async (operationIds) => {
      for (const operationId of operationIds) await tellRuns(client, ports.ledger, operationId, 'untold');
    };
    const searchAttributes = await hasSearchAttributes(connection, namespace);
    const extend = settings.embedding?.options ?? ((options: WorkerOptions): WorkerOptions => options);
    const options: WorkerOptions = {
      ...workerLimits,
      connection: native,
      namespace,
      taskQueue: queue,
      workflowBundle: bundle,
      activities: {
        ...createActivities(ports, { searchAttributes, passing: passingToRuns(client, ports.ledger, queue) }),
      },
      dataConverter: { payloadConverterPath },
      ...(settings.identity === undefined ? {} : { identity: settings.identity }),
    };
    const worker = await Worker.create(extend(options));
    const close = async (): Promise<void> => {
      ports.close();
      await connection.close();
      await native.close();
    };
    return { worker, client, ports, searchAttributes, run: () => worker.run().finally(close) };
  } catch (thrown) {
    ports.close();
    throw thrown;
  }
}
