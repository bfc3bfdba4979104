/** What the story asks of Temporal, through its own CLI. */
import type { Scene } from './scene.ts';

const statusPrefix = 'WORKFLOW_EXECUTION_STATUS_';

/** Temporal's word for where a run is: RUNNING, COMPLETED, … */
export async function runStatus(scene: Scene, workflowId: string): Promise<string> {
  const described = await scene.temporal<{ workflowExecutionInfo: { status: string } }>(
    ...['workflow', 'describe', '--workflow-id', workflowId],
  );
  return described.workflowExecutionInfo.status.replace(statusPrefix, '');
}

export interface Start {
  readonly workflowId: string;
  readonly type: string;
  readonly taskQueue: string;
  readonly inputFile: string;
}

export async function startRun(scene: Scene, { workflowId, type, taskQueue, inputFile }: Start): Promise<void> {
  const names = ['--type', type, '--task-queue', taskQueue, '--workflow-id', workflowId];
  await scene.temporal('workflow', 'start', ...names, '--input-file', inputFile);
}

export async function signalApproval(scene: Scene, workflowId: string, message: object): Promise<void> {
  const input = JSON.stringify(message);
  await scene.temporal('workflow', 'signal', '--workflow-id', workflowId, '--name', 'approval', '--input', input);
}

interface Proposed {
  readonly operationId: string;
}

/** The proposal that an update answers; it waits until there is one. */
export async function update(scene: Scene, workflowId: string, name: string, inputFile?: string): Promise<Proposed> {
  const input = inputFile === undefined ? [] : ['--input-file', inputFile];
  const { result } = await scene.temporal<{ result: Proposed }>(
    ...['workflow', 'update', 'execute', '--workflow-id', workflowId, '--name', name, ...input],
  );
  return result;
}

interface Refusal {
  readonly outcome: string;
  readonly why: string;
}

/** The `number`-th refusal that the run's status shows, once it is there. */
export function refusal(scene: Scene, workflowId: string, number: number): Promise<Refusal> {
  return scene.until(`refusal ${number} of ${workflowId}`, async () => {
    const { queryResult } = await scene.temporal<{ queryResult: { refusals: Refusal[] }[] }>(
      ...['workflow', 'query', '--workflow-id', workflowId, '--type', 'status'],
    );
    return queryResult[0]?.refusals[number - 1] ?? null;
  });
}

export interface RunResult {
  readonly status: string;
  readonly result: { readonly status: string; readonly effectCount: number };
}

/** Waits until the run has ended. */
export const runResult = (scene: Scene, workflowId: string): Promise<RunResult> =>
  scene.temporal<RunResult>('workflow', 'result', '--workflow-id', workflowId);
