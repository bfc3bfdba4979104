/** Approval to result on one development server: the bare workflow against `reviewOperation`, alternating. */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { identify } from '../src/identity/index.ts';
import { payloadConverterPath } from '../src/worker/bundle.ts';
import { approvalSignal, decideUpdate, preparedUpdate } from '../workflows/messages.ts';
import { goSignal } from './bare/workflows.ts';
import { benchCase } from './cases.ts';
import { percentile, timed } from './statistics.ts';

export interface Sequential {
  readonly bare: number[];
  /** From sending the update to its answer: the decision is recorded. */
  readonly answered: number[];
  /** From sending the update to the workflow's result. */
  readonly settled: number[];
}

export interface TemporalNumbers {
  readonly sequential: Sequential;
  /** Operations per second, all approved together by signal. */
  readonly throughput: { readonly bare: number[]; readonly product: number[] };
}

async function startWorker(address: string, stateDir: string) {
  const worker = fork(fileURLToPath(new URL('worker.ts', import.meta.url)), [address, stateDir], {
    execArgv: ['--import', 'tsx'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const gone = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  await new Promise<void>((resolve, reject) => {
    worker.once('message', () => resolve());
    worker.once('exit', (code) => reject(new Error(`The benchmark's worker ended with exit code ${code ?? 'none'}.`)));
  });
  return async (): Promise<void> => {
    worker.disconnect();
    await gone;
  };
}

const startBare = (client: Client, key: string) =>
  client.workflow.start('bare', { workflowId: `bare/${key}`, taskQueue: 'bare', args: [key] });

async function startReview(
  client: Client,
  key: string,
): Promise<{ handle: WorkflowHandle; approval: Parameters<typeof approve>[1] }> {
  const content = benchCase(key);
  const handle = await client.workflow.start('reviewOperation', {
    workflowId: `review/${key}`,
    taskQueue: 'countersign',
    args: [content],
  });
  await handle.executeUpdate(preparedUpdate);
  return { handle, approval: { operationId: identify(content).operationId, approved: true, reviewer: 'bench' } };
}

const approve = (handle: WorkflowHandle, approval: { operationId: string; approved: boolean; reviewer: string }) =>
  handle.executeUpdate(decideUpdate, { args: [approval] });

async function sequential(client: Client, rounds: number, warmUp: number): Promise<Sequential> {
  const numbers: Sequential = { bare: [], answered: [], settled: [] };
  for (let round = 0; round < warmUp + rounds; round += 1) {
    const bare = await startBare(client, `s${round}`);
    // A first task must not be part of the measurement of either.
    await bare.query('__temporal_workflow_metadata');
    const bareMs = await timed(async () => {
      await bare.signal(goSignal);
      await bare.result();
    });
    const { handle, approval } = await startReview(client, `s${round}`);
    const start = performance.now();
    await approve(handle, approval);
    const answeredMs = performance.now() - start;
    await handle.result();
    const settledMs = performance.now() - start;
    if (round < warmUp) continue;
    numbers.bare.push(bareMs);
    numbers.answered.push(answeredMs);
    numbers.settled.push(settledMs);
  }
  return numbers;
}

/** Operations per second of `count` operations that are all waiting before the first approval is sent. */
async function together<T>(
  count: number,
  prepare: (index: number) => Promise<T>,
  go: (prepared: T) => Promise<unknown>,
): Promise<number> {
  const waiting: T[] = [];
  for (let from = 0; from < count; from += 25) {
    const size = Math.min(25, count - from);
    waiting.push(...(await Promise.all(Array.from({ length: size }, (_, index) => prepare(from + index)))));
  }
  const ms = await timed(() => Promise.all(waiting.map(go)));
  return count / (ms / 1000);
}

async function throughput(client: Client, count: number, repeats: number): Promise<TemporalNumbers['throughput']> {
  const numbers = { bare: [] as number[], product: [] as number[] };
  for (let repeat = 0; repeat < repeats; repeat += 1) {
    numbers.bare.push(
      await together(
        count,
        (index) => startBare(client, `t${repeat}-${index}`),
        async (handle) => {
          await handle.signal(goSignal);
          await handle.result();
        },
      ),
    );
    numbers.product.push(
      await together(
        count,
        (index) => startReview(client, `t${repeat}-${index}`),
        async ({ handle, approval }) => {
          await handle.signal(approvalSignal, approval);
          await handle.result();
        },
      ),
    );
  }
  return numbers;
}

export interface TemporalPlan {
  readonly rounds: number;
  readonly warmUp: number;
  readonly together: number;
  readonly repeats: number;
  readonly progress: (text: string) => void;
}

export async function measureTemporal(address: string, stateDir: string, plan: TemporalPlan): Promise<TemporalNumbers> {
  const stop = await startWorker(address, stateDir);
  const connection = await Connection.connect({ address });
  try {
    const client = new Client({ connection, dataConverter: { payloadConverterPath } });
    plan.progress(`${plan.rounds} approvals one after the other, alternating with the bare workflow`);
    const one = await sequential(client, plan.rounds, plan.warmUp);
    plan.progress(`${plan.together} approved together, ${plan.repeats} times each`);
    return { sequential: one, throughput: await throughput(client, plan.together, plan.repeats) };
  } finally {
    await connection.close();
    await stop();
  }
}

export const p50 = (samples: readonly number[]): number => percentile(samples, 0.5);
export const p99 = (samples: readonly number[]): number => percentile(samples, 0.99);
