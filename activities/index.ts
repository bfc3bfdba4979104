/** The use cases as Temporal activities. They add what only Temporal knows: the run, the heartbeat, the failure type. */
import { activityInfo, heartbeat } from '@temporalio/activity';
import type { ApprovalMessage, ResolutionMessage, WithdrawalMessage } from '../src/core/messages.ts';
import { parseApproval, parseResolution, parseWithdrawal } from '../src/core/messages.ts';
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
import { draft } from '../src/operations/draft.ts';
import type { Ports } from '../src/operations/ports.ts';
import { propose, type ProposeAnswer } from '../src/operations/propose.ts';
import { reconcile, type ReconcileAnswer } from '../src/operations/reconcile.ts';
import { readState, type ReadStateInput, type RunState } from '../src/operations/state.ts';
import { witnessRun, type Head } from '../src/operations/witness.ts';
import { sweep, type Passing } from '../src/operations/sweep.ts';
import type { RunReference, Via } from '../src/ports/ledger.ts';
import { accepted, asApplicationFailure } from './failures.ts';

export interface ActivityOptions {
  /** Whether the server has the contract's search attributes; a run must not set them where it does not. */
  readonly searchAttributes: boolean;
  /** How a sweep passes operations on: to their runs. */
  readonly passing: Passing;
}

/** What a scheduled sweep reports; the operations themselves are in the ledger. */
export interface SweepCounts {
  readonly looked: number;
  readonly passedOn: number;
  readonly more: boolean;
  /** Where to go on where there is more. */
  readonly next: number | null;
}

/** What a run is told of its operation. */
export type State = RunState & { readonly searchAttributes: boolean };

export interface CaseReference {
  readonly caseId: string;
}

export interface Activities {
  /** Has a case without a body drafted, so that `propose` finds the text; a model may take its time. */
  draft(input: unknown): Promise<void>;
  /** `state`: what follows now, so that a run need not ask again; `null` where nothing was recorded. */
  propose(input: unknown): Promise<ProposeAnswer & { readonly state: State | null }>;
  decide(
    input: CaseReference & { message: ApprovalMessage; via: Via; requestId: string | null; head: Head | null },
  ): Promise<DecideResult & { readonly next: State | null }>;
  revise(input: CaseReference & { message: unknown }): Promise<ReviseResult>;
  withdraw(input: CaseReference & { message: WithdrawalMessage }): Promise<WithdrawResult>;
  resolve(input: CaseReference & { message: ResolutionMessage }): Promise<ResolveResult>;
  readState(input: Pick<ReadStateInput, 'operationId' | 'knownOperationId' | 'head' | 'attemptEnded'>): Promise<State>;
  execute(input: { operationId: string }): Promise<Pick<ExecuteAnswer, 'outcome' | 'why' | 'receipt'>>;
  sweep(input: { limit: number; from: number | null }): Promise<SweepCounts>;
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

/** The same for every attempt of one activity: another call of it has another id. */
function thisRequest(): string {
  const { runId } = currentRun();
  return `${runId}/${activityInfo().activityId}`;
}

const executorOf = (run: RunReference): string => `run:${run.runId}`;

async function alive<T>(act: () => Promise<T>): Promise<T> {
  // None at the start: most attempts end before the first one, and each costs the server a write.
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
export function createActivities(ports: Ports, { searchAttributes, passing }: ActivityOptions): Activities {
  /** Without `how`, for an operation that the run has just been told of. */
  async function stateOf(operationId: string, how?: Partial<ReadStateInput>): Promise<State> {
    const run = currentRun();
    const asked = { knownOperationId: operationId, head: null, attemptEnded: false, ...how };
    return { ...(await readState(ports, { ...asked, operationId, executor: executorOf(run), run })), searchAttributes };
  }

  return {
    draft: (input) => translated(() => alive(() => draft(ports, input))),
    propose: (input) =>
      translated(async () => {
        const run = currentRun();
        const answer = await propose(ports, input, { executor: executorOf(run), run });
        return { ...answer, state: answer.recorded ? await stateOf(answer.operationId) : null };
      }),
    decide: ({ message: said, head, ...by }) =>
      translated(async () => {
        const message = accepted(parseApproval([said]));
        await witnessRun(ports.ledger, head, executorOf(currentRun()));
        const run = currentRun();
        const decided = await decide(ports, message, { ...by, run });
        // What the run shows may be older than what was decided: then it is given the proposal, too.
        const known = { knownOperationId: head?.operationId ?? null };
        if (decided.outcome === 'expired') await ports.wake([message.operationId]);
        if (decided.outcome !== 'recorded') return { ...decided, next: null };
        const next = await stateOf(message.operationId, known);
        // Told while this run executes, another would only try to claim as well: it is told how that ended.
        if (next.next.step !== 'execute') await ports.wake([message.operationId]);
        return { ...decided, next };
      }),
    revise: ({ message, caseId }) =>
      translated(() => {
        const run = currentRun();
        const by = { executor: executorOf(run), via: 'update', run, requestId: thisRequest() } as const;
        return revise(ports, message, { ...by, caseId });
      }),
    withdraw: ({ message, caseId }) =>
      translated(() =>
        withdraw(ports, accepted(parseWithdrawal([message])), { caseId, via: 'update', run: currentRun() }),
      ),
    resolve: ({ message, caseId }) =>
      translated(() =>
        resolve(ports, accepted(parseResolution([message])), { caseId, via: 'update', run: currentRun() }),
      ),
    readState: (input) => translated(() => stateOf(input.operationId, input)),
    execute: ({ operationId }) =>
      translated(() =>
        alive(async () => {
          const run = currentRun();
          const { outcome, why, receipt } = await execute(ports, operationId, executorOf(run), run);
          ports.crash.reach('execute.result-reported');
          return { outcome, why, receipt };
        }),
      ),
    sweep: (bounds) =>
      translated(() =>
        alive(async () => {
          const { swept, ...counts } = await sweep(ports, passing, bounds);
          return { ...counts, passedOn: swept.length };
        }),
      ),
    reconcile: ({ operationId }) =>
      translated(() =>
        alive(async () => {
          const run = currentRun();
          const options = { executor: executorOf(run), askAboutSettled: false, run };
          const { outcome, finding } = await reconcile(ports, operationId, options);
          return { outcome, finding };
        }),
      ),
  };
}
