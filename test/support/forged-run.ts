/**
 * A run that nobody's code stands behind: whoever reaches the namespace can speak for a workflow, and have a worker's
 * activities called with anything at all. Speaks to the server's own interface, as an attacker would.
 */
import { randomUUID } from 'node:crypto';
import { NativeConnection, Worker } from '@temporalio/worker';
import { workflowBundle } from '../../src/worker/bundle.ts';
import type { Environment } from './temporal.ts';
import { jsonPayload, valueOf } from './temporal.ts';

type Service = Environment['connection']['workflowService'];
type Task = Awaited<ReturnType<Service['pollWorkflowTaskQueue']>>;
type Command = NonNullable<Parameters<Service['respondWorkflowTaskCompleted']>[0]['commands']>[number];

/** CommandType of the server's interface. */
const scheduleActivity = 1 as never;
const continueAsNew = 10 as never;

export interface ActivityEnd {
  /** The type of the failure; `null`: it answered. */
  readonly failure: string | null;
  readonly answer: unknown;
}

export class ForgedRun {
  readonly workflowId = `forged/${randomUUID()}`;
  private readonly at: Environment;
  private readonly taskQueue = `forged-${randomUUID()}`;
  private activities = 0;

  private constructor(at: Environment) {
    this.at = at;
  }

  static async start(at: Environment): Promise<ForgedRun> {
    const run = new ForgedRun(at);
    await at.client.workflow.start('forged', { ...at.startOptions([], run.workflowId), taskQueue: run.taskQueue });
    return run;
  }

  private async task(): Promise<Task> {
    const { namespace } = this.at.settings;
    const taskQueue = { name: this.taskQueue };
    const { connection } = this.at;
    // A poll without a deadline is refused by the server.
    return connection.withDeadline(Date.now() + 60_000, () =>
      connection.workflowService.pollWorkflowTaskQueue({ namespace, taskQueue, identity: 'forger' }),
    );
  }

  private async respond({ taskToken }: Task, commands: Command[]): Promise<void> {
    const { namespace } = this.at.settings;
    const answer = { namespace, taskToken, identity: 'forger', commands };
    await this.at.connection.workflowService.respondWorkflowTaskCompleted(answer);
  }

  /** Has the worker's activity called once with this input, and waits for its end. */
  async activity(name: string, input: unknown): Promise<ActivityEnd> {
    const task = await this.open();
    this.activities += 1;
    const attributes = {
      activityId: String(this.activities),
      activityType: { name },
      taskQueue: { name: this.at.taskQueue },
      input: { payloads: [jsonPayload(input)] },
      startToCloseTimeout: { seconds: 30 as unknown as Long },
      retryPolicy: { maximumAttempts: 1 },
    };
    await this.respond(task, [{ commandType: scheduleActivity, scheduleActivityTaskCommandAttributes: attributes }]);
    this.pending = await this.task();
    const last = this.pending.history?.events?.findLast(
      (event) => event.activityTaskCompletedEventAttributes ?? event.activityTaskFailedEventAttributes,
    );
    const failed = last?.activityTaskFailedEventAttributes?.failure;
    if (failed) return { failure: failed.applicationFailureInfo?.type ?? 'unnamed', answer: null };
    const [answer] = last?.activityTaskCompletedEventAttributes?.result?.payloads ?? [];
    return { failure: null, answer: answer && valueOf(answer) };
  }

  /** Goes on as a run of another type, with arguments that only a run before it could have given. */
  async becomes(workflowType: string, args: readonly unknown[]): Promise<void> {
    const attributes = {
      workflowType: { name: workflowType },
      taskQueue: { name: this.at.taskQueue },
      input: { payloads: args.map(jsonPayload) },
    };
    await this.respond(await this.open(), [
      { commandType: continueAsNew, continueAsNewWorkflowExecutionCommandAttributes: attributes },
    ]);
  }

  private pending: Task | null = null;

  private async open(): Promise<Task> {
    const task = this.pending ?? (await this.task());
    this.pending = null;
    return task;
  }
}

export interface ForgingWorker {
  readonly stop: () => Promise<void>;
}

/** A worker with the true workflow and made-up activities. */
export async function forgingWorker(
  where: { readonly address: string; readonly namespace: string; readonly taskQueue: string },
  activities: Readonly<Record<string, (...args: never[]) => Promise<unknown>>>,
): Promise<ForgingWorker> {
  const { address, namespace, taskQueue } = where;
  const connection = await NativeConnection.connect({ address });
  const worker = await Worker.create({
    connection,
    namespace,
    taskQueue,
    workflowBundle: await workflowBundle(),
    activities: { ...activities },
    stickyQueueScheduleToStartTimeout: '1 second',
  });
  const ended = worker.run();
  return {
    stop: async () => {
      if (worker.getState() === 'RUNNING') worker.shutdown();
      await ended;
      await connection.close();
    },
  };
}
