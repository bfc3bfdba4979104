/** For teams that run the review in a worker of their own: bundle, converter, and the parts a worker is made of. */
export { payloadConverterPath, workflowBundle, workflowsPath } from './bundle.ts';
export type { Drafter } from '../ports/drafter.ts';
export { openPorts, type OpenOptions, type OpenPorts } from './open-ports.ts';
export { beginRun, taskQueue, workflowIdOf, workflowType } from './runs.ts';
export { prepareStateDirectory, type StatePaths } from './state-directory.ts';
export { createWorker, workerLimits, type RunningWorker, type WorkerSettings } from './worker.ts';
