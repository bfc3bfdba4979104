/** The message definitions of `reviewOperation`: import them in a client to signal, update and query by type. */
import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { ApprovalMessage, ResolutionMessage, RevisionMessage, WithdrawalMessage } from '../src/core/messages.ts';
import type { AdmitOutcome } from '../src/core/outcomes.ts';
import type { Decision, Proposal, Status } from '../src/core/presentation.ts';
import type { State } from '../src/core/states.ts';

export interface PreparedAnswer extends Proposal {
  readonly admission: AdmitOutcome;
  readonly state: State;
}

export interface DecideReply {
  readonly outcome: 'recorded' | 'repeated';
  readonly operationId: string;
  readonly decision: Decision | null;
  readonly headHash: string | null;
}

export interface ChangeReply {
  readonly outcome: string;
  readonly state: State | null;
}

/** A message that changed nothing, as `status` shows it. */
export interface Refusal {
  readonly message: string;
  readonly outcome: string;
  readonly operationId: string | null;
  readonly by: string | null;
  readonly why: string;
  /** Workflow time, ISO 8601 UTC. */
  readonly at: string;
}

export interface RunStatus extends Partial<Status> {
  readonly refusals: readonly Refusal[];
}

export const approvalSignal = defineSignal<[ApprovalMessage]>('approval');
export const recheckSignal = defineSignal('recheck');
/** Not for clients: what a signal of any other name becomes, with that name as its first argument. */
export const unknownSignal = defineSignal<[string, ...unknown[]]>('unknown');
export const decideUpdate = defineUpdate<DecideReply, [ApprovalMessage]>('decide');
export const preparedUpdate = defineUpdate<PreparedAnswer>('prepared');
export const reviseUpdate = defineUpdate<Proposal, [RevisionMessage]>('revise');
export const withdrawUpdate = defineUpdate<ChangeReply, [WithdrawalMessage]>('withdraw');
export const resolveUpdate = defineUpdate<ChangeReply, [ResolutionMessage]>('resolve');
export const proposalQuery = defineQuery<Proposal | null>('proposal');
export const statusQuery = defineQuery<RunStatus>('status');
