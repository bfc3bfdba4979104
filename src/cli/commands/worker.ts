/** Command `worker`: runs the activities and the workflow until it is stopped. */
import process from 'node:process';
import { ExitCodes } from '../../core/outcomes.ts';
import { connectionSettings } from '../../server/index.ts';
import { parseArming } from '../../worker/crash.ts';
import type { ReceiverKind } from '../../worker/embedded-receiver.ts';
import { runWorkerProcess } from '../../worker/main.ts';
import { action, wholeNumber } from '../command.ts';
import type { Embedding } from '../context.ts';

interface WorkerOptions {
  readonly taskQueue: string;
  readonly crashAt?: string;
  readonly leaseMs?: string;
  readonly receiver?: ReceiverKind;
}

const around = ({ crash, recovery, receiver, drafter, worker: embedding }: Embedding) => ({
  ...(crash ? { crash } : {}),
  ...(recovery ? { recovery } : {}),
  ...(receiver ? { receiver } : {}),
  ...(drafter ? { drafter } : {}),
  ...(embedding ? { embedding } : {}),
});

const run = action<WorkerOptions, []>(async ({ context }, { taskQueue, crashAt, leaseMs, receiver }) => {
  const paths = context.paths();
  const connection = connectionSettings(context.env, context.stateDir);
  await runWorkerProcess({
    paths,
    connection,
    taskQueue,
    arming: crashAt === undefined ? null : parseArming(crashAt),
    ...around(context.embedding),
    ...(leaseMs === undefined ? {} : { recovery: { leaseMs: wholeNumber('--lease-ms', leaseMs, 1, 86_400_000) } }),
    ...(receiver === undefined ? {} : { receiverKind: receiver }),
    ready: () => {
      const { address, namespace } = connection;
      context.out.answer(
        { ready: true, pid: process.pid, temporalAddress: address, namespace, taskQueue },
        () => `Worker runs on task queue ${taskQueue} of ${address}, namespace ${namespace} (pid ${process.pid}).`,
      );
      process.send?.({ ready: true });
    },
  });
  return ExitCodes.done;
});

/** Ends the process itself: the connections of a worker that could not be made would keep it alive for good. */
export async function worker(...given: unknown[]): Promise<void> {
  await run(...given);
  process.exit();
}
