/** What differs between the two drivers on the command line. Everything else is the same code on the same ledger. */
import type { GivenCase } from '../../core/case.ts';
import type { AdmitOutcome, ClaimOutcome } from '../../core/outcomes.ts';
import type { Proposal, Status } from '../../core/presentation.ts';
import type { OperationRecord } from '../../core/records.ts';
import type { Passing } from '../../operations/sweep.ts';

export interface Begun {
  readonly outcome: AdmitOutcome;
  /** Of the content that was handed in; `null`: it has no body, and none was drafted because another case was in the way. */
  readonly operationId: string | null;
  readonly proposal: Proposal | null;
  readonly status: Status | null;
  readonly workflowId: string | null;
  readonly runId: string | null;
}

export interface Followed {
  readonly status: Status;
  /** The last claim's outcome, where this process claimed. */
  readonly claim: ClaimOutcome | null;
  readonly why: string | null;
  /** Whether the run knows; `null` without runs. */
  readonly told: boolean | null;
}

export interface FollowOptions {
  /** How long to wait for the outcome, in milliseconds; 0: not at all. */
  readonly waitMs: number;
  /** Whether this command's decision is the one that brought the outcome about: then the run's writing is its own. */
  readonly decidedHere: boolean;
}

export interface Driver {
  begin(content: GivenCase, waitMs: number): Promise<Begun>;
  /** After an approval was recorded: brings about, or waits for, its outcome. */
  follow(operation: OperationRecord, options: FollowOptions): Promise<Followed>;
  /** After any other change was recorded: tells the run. `null`: there are none. */
  tell(operation: OperationRecord): Promise<boolean | null>;
  passing(): Promise<Passing>;
  /** Sweeps every so many minutes from now on; `null`: no more. Throws `usage` where there is no engine to do it. */
  schedule(everyMinutes: number | null, limit: number): Promise<'created' | 'updated' | 'removed' | 'absent'>;
  close(): Promise<void>;
}
