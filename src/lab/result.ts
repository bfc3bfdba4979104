/** The shapes of `result.json`: what the report, the matrix and docs/guarantees.md are made from. */
import type { Detail } from './journal.ts';
import type { ArmName, Lane, PromiseName, Verdict } from './names.ts';

export interface Judgement {
  readonly verdict: Verdict;
  /** Why, in one sentence that names what was read. */
  readonly why: string;
}

/** Counted from the journal and the databases. */
export interface RanAgain {
  /** Times a worker ran the workflow's code again from its history. */
  readonly workflowReplays: number;
  /** Attempts of activities that carry out the effect or ask about it, all workers together. */
  readonly activityAttempts: number;
  readonly receiverWrites: number;
  readonly receiverLooks: number;
  readonly modelCalls: number;
}

export interface Observed {
  /** Effects the receiver recorded; `byContent`: for each content, how many. */
  readonly effects: {
    readonly total: number;
    readonly byIdentity: number;
    readonly byContent: Readonly<Record<string, number>>;
  };
  /** The final state each authority shows; `null` where the arm has no such authority. */
  readonly shown: { readonly engine: string | null; readonly ledger: string | null; readonly receiver: string };
  /** What approvers were told, in order. */
  readonly told: readonly string[];
  readonly ranAgain: RanAgain;
  /** What a person had to do beside deciding; empty: nothing. */
  readonly person: readonly string[];
  /** Milliseconds from the fault (without one: from the first decision) until nothing moved any more; `null`: never. */
  readonly settledMs: number | null;
}

export interface TimelineEvent {
  /** Milliseconds since the experiment began. */
  readonly ms: number;
  readonly lane: Lane;
  readonly what: string;
  readonly detail: Readonly<Record<string, Detail>>;
}

interface CellBase {
  readonly situation: string;
  readonly arm: ArmName;
}

/** An experiment that was carried out. */
export interface RunCell extends CellBase {
  readonly applicable: true;
  readonly repetition: number;
  readonly seed: number;
  readonly verdict: Verdict;
  readonly judgements: Readonly<Record<PromiseName, Judgement>>;
  readonly observed: Observed;
  readonly timeline: readonly TimelineEvent[];
  readonly seconds: number;
  /** Why the experiment did not come to its end, where it did not. */
  readonly trouble: string | null;
}

/** What this arm cannot express; never counted as held. */
export interface AbsentCell extends CellBase {
  readonly applicable: false;
  readonly reason: string;
}

export type Cell = RunCell | AbsentCell;

export interface SituationInfo {
  readonly name: string;
  /** A heading. */
  readonly title: string;
  /** The exact fault, or what exactly is done where nothing fails. */
  readonly fault: string;
  /** What the situations of one group have in common. */
  readonly group: string;
}

export interface LabResult {
  readonly format: 'countersign.lab.v1';
  readonly run: string;
  readonly startedAt: string;
  readonly seconds: number;
  readonly seed: number;
  readonly repeat: number;
  readonly mutant: string | null;
  readonly machine: Readonly<Record<string, Detail>>;
  readonly versions: Readonly<Record<string, string>>;
  readonly situations: readonly SituationInfo[];
  readonly arms: readonly { readonly name: ArmName; readonly title: string }[];
  readonly promises: readonly { readonly name: PromiseName; readonly title: string }[];
  readonly cells: readonly Cell[];
}
