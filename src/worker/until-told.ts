/** How every worker process of this project ends. */
import process from 'node:process';
import type { Worker } from '@temporalio/worker';

/** Stops `worker` on SIGINT and SIGTERM, and with the process that started this one, however that ends. */
export function stopWhenTold(worker: Worker): void {
  const stop = (): void => {
    if (worker.getState() === 'RUNNING') worker.shutdown();
  };
  process.once('SIGINT', stop).once('SIGTERM', stop).once('disconnect', stop);
}

/** Lets a finished process end: an open channel to the one that started it would keep it alive. */
export function leaveParent(): void {
  if (process.connected) process.disconnect();
}

/** Runs `worker` until it is told to stop, says on the channel when it is ready, and closes what it used. */
export async function runUntilTold(worker: Worker, close: () => Promise<void>): Promise<void> {
  stopWhenTold(worker);
  const done = worker.run();
  process.send?.({ ready: true });
  await done;
  await close();
  leaveParent();
}
