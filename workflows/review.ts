/** What one run knows: the proposal, the last state it read from the ledger, and what it refused. No module state. */
import { ApplicationFailure, workflowInfo } from '@temporalio/workflow';
import type { AdmitOutcome } from '../src/core/outcomes.ts';
import type { Proposal, Status } from '../src/core/presentation.ts';
import type { State } from '../activities/index.ts';
import type { PreparedAnswer, Refusal, RunStatus } from './messages.ts';

/** What a run hands to its successor when its history has grown long. */
export interface Carried {
  readonly operationId: string;
  readonly refusals: readonly Refusal[];
  readonly head: State['head'] | null;
}

const refusalsShown = 20;

export class Review {
  /** The case this run reviews; known with the first proposal. */
  caseId: string | null = null;
  proposal: Proposal | null = null;
  admission: AdmitOutcome = 'duplicate';
  status: Status | null = null;
  /** What the ledger last showed of itself; shown again with each question. */
  head: State['head'] | null;
  /** Why there will never be a proposal. */
  failure: ApplicationFailure | null = null;
  /** Something changed that the main loop must ask the ledger about. */
  woken = false;
  /** What the ledger has just said in answer to something else: the main loop need not ask again. */
  latest: State | null = null;
  cancelled = false;
  refusals: Refusal[];
  private queue: Promise<unknown> = Promise.resolve();

  constructor(carried: Carried | null) {
    this.refusals = [...(carried?.refusals ?? [])];
    this.head = carried?.head ?? null;
  }

  get settled(): boolean {
    return this.proposal !== null || this.failure !== null;
  }

  /** Something changed; whatever the ledger said before is old. */
  wake(latest: State | null = null): void {
    this.latest = latest;
    this.woken = true;
  }

  /** Handles messages one after the other, in the order they arrived: the first one is asked about first. */
  inTurn<T>(act: () => Promise<T>): Promise<T> {
    const turn = this.queue.then(act);
    this.queue = turn.catch(() => undefined);
    return turn;
  }

  refuse(refusal: Omit<Refusal, 'at'>): void {
    this.refusals = [...this.refusals, { ...refusal, at: new Date().toISOString() }].slice(-refusalsShown);
  }

  prepared(): PreparedAnswer {
    if (this.failure) throw this.failure;
    if (!this.proposal || !this.status) throw ApplicationFailure.nonRetryable('There is no proposal yet.', 'internal');
    const { admission } = this;
    // Only the first who asks began the case; whoever asks later finds it there.
    if (admission === 'admitted') this.admission = 'duplicate';
    return { ...this.proposal, admission, state: this.status.state };
  }

  runStatus(): RunStatus {
    return { ...(this.status ?? {}), refusals: this.refusals };
  }

  /** Names one request to decide, the same for its retries and for a run that continues or was reset. */
  requestId(updateId: string): string {
    const { workflowId, firstExecutionRunId } = workflowInfo();
    return `${workflowId}/${firstExecutionRunId}/${updateId}`;
  }
}
