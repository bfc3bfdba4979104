/** The worker process of the benchmark: the bare workflow and the product side by side, with the same limits. */
import { fileURLToPath } from 'node:url';
import { NativeConnection, Worker } from '@temporalio/worker';
import { noCrashPoints } from '../src/ports/crash-points.ts';
import { createLogger, installRuntime } from '../src/worker/logging.ts';
import { prepareStateDirectory } from '../src/worker/state-directory.ts';
import { createWorker, workerLimits } from '../src/worker/worker.ts';
import { bareActivities } from './bare/activities.ts';

const [address = '', stateDir = ''] = process.argv.slice(2);
process.env['COUNTERSIGN_LOG_LEVEL'] = 'warn';
installRuntime(createLogger('bench'));
const paths = prepareStateDirectory(stateDir);
const connection = await NativeConnection.connect({ address });
const bare = await Worker.create({
  ...workerLimits,
  connection,
  taskQueue: 'bare',
  workflowsPath: fileURLToPath(new URL('bare/workflows.ts', import.meta.url)),
  activities: { ...bareActivities(`${paths.directory}/bare.db`) },
});
const product = await createWorker({
  paths,
  connection: { address, namespace: 'default', connectionOptions: { address }, source: 'environment' },
  crash: noCrashPoints,
});
const running = Promise.all([bare.run(), product.run()]);
process.once('disconnect', () => {
  bare.shutdown();
  product.worker.shutdown();
});
process.send?.('ready');
await running;
await connection.close();
