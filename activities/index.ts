/** The use cases as Temporal activities. They add what only Temporal knows: the run, the heartbeat, the failure type. */
import { activityInfo, heartbeat } from '@temporalio/activity';
import type { ApprovalMessage, ResolutionMessage, WithdrawalMessage } from '../src/core/messages.ts';
import {
  resolve,
  revise,
  withdraw,
  type ResolveResult,
  type ReviseResult,
  type WithdrawResult,
} from '../src/operations/change.ts';
import { decide, type DecideResult } from '../src/operations/decide.ts';
import { execute, type ExecuteAnswer } from '../src/operations/execute.ts';
import type { Ports } from '../src/operations/ports.ts';
import { propose, type ProposeAnswer } from '../src/operations/propose.ts';
import { reconcile, type ReconcileAnswer } from '../src/operations/reconcile.ts';
import { readState, type ReadStateInput, type RunState } from '../src/operations/state.ts';
import type { RunReference, Via } from '../src/ports/ledger.ts';
import { asApplicationFailure } from './failures.ts';

export interface ActivityOptions {
  /** Whether the server has the contract's search attributes; a run must not set them where it does not. */
  readonly searchAttributes: boolean;
}

export interface CaseReference {
  readonly caseId: string;
}

export interface Activities {
  propose(input: unknown): Promise<ProposeAnswer & { readonly searchAttributes: boolean }>;
  decide(
    input: CaseReference & { message: ApprovalMessage; via: Via; requestId: string | null },
  ): Promise<DecideResult>;
  revise(input: CaseReference & { message: unknown }): Promise<ReviseResult>;
  withdraw(input: CaseReference & { message: WithdrawalMessage }): Promise<WithdrawResult>;
  resolve(input: CaseReference & { message: ResolutionMessage }): Promise<ResolveResult>;
  readState(
    input: Pick<ReadStateInput, 'operationId' | 'knownOperationId' | 'attemptEnded'>,
  ): Promise<RunState & { readonly searchAttributes: boolean }>;
  execute(input: { operationId: string }): Promise<Pick<ExecuteAnswer, 'outcome' | 'why' | 'receipt'>>;
  reconcile(input: { operationId: string }): Promise<Pick<ReconcileAnswer, 'outcome' | 'finding'>>;
}

/** How often a running attempt says that its worker is alive; well below the workflow's heartbeat timeout. */
const heartbeatEveryMs = 500;

function currentRun(): RunReference {
  const { workflowExecution } = activityInfo();
  // Activities of this package are only ever scheduled by workflows; standalone activities have no run to report to.
  if (!workflowExecution) throw new Error('This activity belongs to a workflow run.');
  return { workflowId: workflowExecution.workflowId, runId: workflowExecution.runId };
}

const executorOf = (run: RunReference): string => `run:${run.runId}`;

async function alive<T>(act: () => Promise<T>): Promise<T> {
  heartbeat();
  const timer = setInterval(() => heartbeat(), heartbeatEveryMs);
  try {
    return await act();
  } finally {
    clearInterval(timer);
  }
}

async function translated<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (thrown) {
    throw asApplicationFailure(thrown);
  }
}

/** The activities of `reviewOperation` over the given ports. Register the result with a worker. */
export function createActivities(ports: Ports, { searchAttributes }: ActivityOptions): Activities {
  return {
    propose: (input) =>
      translated(async () => {
        const run = currentRun();
        return { ...(await propose(ports, input, { executor: executorOf(run), run })), searchAttributes };
      }),
    decide: ({ message, ...by }) => translated(() => decide(ports, message, by)),
    revise: ({ message, caseId }) =>
      translated(() => revise(ports, message, { caseId, executor: executorOf(currentRun()), via: 'update' })),
    withdraw: ({ message, caseId }) => translated(() => withdraw(ports, message, { caseId, via: 'update' })),
    resolve: ({ message, caseId }) => translated(() => resolve(ports, message, { caseId, via: 'update' })),
    readState: (input) =>
      translated(async () => {
        const run = currentRun();
        const state = await readState(ports, { ...input, executor: executorOf(run), run });
        return { ...state, searchAttributes };
      }),
    execute: ({ operationId }) =>
      translated(() =>
        alive(async () => {
          const { outcome, why, receipt } = await execute(ports, operationId, executorOf(currentRun()));
          ports.crash.reach('execute.result-reported');
          return { outcome, why, receipt };
        }),
      ),
    reconcile: ({ operationId }) =>
      translated(() =>
        alive(async () => {
          const executor = executorOf(currentRun());
          const { outcome, finding } = await reconcile(ports, operationId, { executor, askAboutSettled: false });
          return { outcome, finding };
        }),
      ),
  };
}
