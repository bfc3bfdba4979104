/**
 * The application's own record of what was proposed, decided, claimed, attempted and observed. Every method is one
 * whole transaction, committed before its promise resolves. Methods answer outcomes (core/outcomes.ts) and throw
 * catalogue errors (core/errors.ts) when the store, or its time, cannot be relied on.
 */
import type { CaseInput, OperationIdentity } from '../core/case.ts';
import type {
  AdmitOutcome,
  ClaimOutcome,
  DecideOutcome,
  ResolveOutcome,
  ReviseOutcome,
  WithdrawOutcome,
} from '../core/outcomes.ts';
import type { ReceiverDeclaration } from '../core/recovery.ts';
import type {
  AttemptRecord,
  DecisionRecord,
  DraftRecord,
  Finding,
  JournalRecord,
  ObjectRecord,
  ObservationRecord,
  OperationRecord,
  OperationSummary,
  OperationView,
  Resolution,
} from '../core/records.ts';
import type { State } from '../core/states.ts';

/**
 * How a change arrives. `command`: written here first (command line, desk, application driver); `signal` and `update`:
 * asked for by a run.
 */
export type Via = 'signal' | 'update' | 'command';

/** The workflow run that reviews an operation, so that it can be told or started again. */
export interface RunReference {
  readonly workflowId: string;
  readonly runId: string;
}

/** A run that asked to be told of an operation. `untold`: how many changes it has not been told of. */
export interface FollowingRun extends RunReference {
  readonly untold: number;
}

/**
 * Who asks for a change, where that is a run: it knows of the change, and every other run of the operation is noted as
 * not told. Default: nobody, so that all of them are.
 */
interface Asked {
  readonly run?: RunReference | null;
}

export interface AdmitInput {
  readonly case: CaseInput;
  readonly identity: OperationIdentity;
  readonly run: RunReference | null;
}

export interface AdmitAnswer {
  readonly outcome: AdmitOutcome;
  /** The operation the answer is about: the admitted one, the stored duplicate, or the one that is in the way. */
  readonly view: OperationView | null;
}

export interface DecideInput extends Asked {
  /** Where given, an operation of another case counts as unknown: a stale tab cannot answer for a different case. */
  readonly caseId: string | null;
  readonly operationId: string;
  readonly approved: boolean;
  readonly reviewer: string;
  readonly reason: string | null;
  readonly signature: string | null;
  readonly requestId: string | null;
  readonly via: Via;
}

export interface DecideAnswer {
  readonly outcome: DecideOutcome;
  readonly why: string | null;
  /** The decision on record, if any: the one just written, the repeated one, or the one that stands against this. */
  readonly decision: DecisionRecord | null;
  readonly state: State | null;
  /** What is under review in the case now. */
  readonly currentOperationId: string | null;
  readonly headHash: string | null;
}

export interface ReviseInput extends Asked {
  readonly caseId: string;
  readonly expectedOperationId: string;
  readonly revisedBy: string;
  /** Names this one request; its own retry is answered `revised` again, anybody else by what stands now. */
  readonly requestId: string | null;
  readonly via: Via;
  /** Makes the revised case and its identity from the stored one; called inside the transaction, so synchronous. */
  readonly revise: (stored: OperationRecord) => { readonly case: CaseInput; readonly identity: OperationIdentity };
}

export interface ReviseAnswer {
  readonly outcome: ReviseOutcome;
  readonly view: OperationView | null;
  readonly currentOperationId: string | null;
}

export interface WithdrawInput extends Asked {
  readonly caseId: string | null;
  readonly operationId: string;
  readonly by: string;
  readonly reason: string;
  readonly via: Via;
}

export interface WithdrawAnswer {
  readonly outcome: WithdrawOutcome;
  readonly state: State | null;
  readonly currentOperationId: string | null;
}

export interface ClaimInput extends Asked {
  readonly operationId: string;
  readonly declaration: ReceiverDeclaration;
  readonly receiverSequence: number | null;
  readonly executor: string;
}

export interface ClaimAnswer {
  readonly outcome: ClaimOutcome;
  readonly why: string | null;
  readonly view: OperationView | null;
  /** Present exactly when `claimed`: the fence, and what the receiver keeps to recognise an older ledger copy. */
  readonly claim: {
    readonly attempt: AttemptRecord;
    readonly ledgerSequence: number;
    readonly ledgerHash: string;
  } | null;
}

export interface CompleteInput extends Asked {
  readonly operationId: string;
  readonly attempt: number;
  readonly answer: 'created' | 'exists' | 'conflict';
  readonly receiverId: string;
  readonly receiverSequence: number | null;
}

/** `unblocked`: operations that waited for the object this one held, oldest first; their runs are noted as not told. */
export interface EvidenceAnswer {
  readonly view: OperationView;
  readonly unblocked: readonly OperationRecord[];
}

export interface ObserveInput extends Asked {
  readonly operationId: string;
  /** The attempt the look is about: the number of attempts when the receiver was asked. */
  readonly attempt: number;
  readonly declaration: ReceiverDeclaration | null;
  readonly receiverId: string;
  readonly receiverSequence: number | null;
  /**
   * How far the receiver was seen to have come before it was asked; left out: as far as it is known to have come now,
   * which somebody else's receipt may have raised since.
   */
  readonly lastSeenSequence?: number | null;
  readonly finding: Finding;
  readonly actor: string;
}

export interface ResolveInput extends Asked {
  readonly caseId: string | null;
  readonly operationId: string;
  readonly resolution: Resolution;
  readonly operator: string;
  readonly reason: string;
  readonly reference: string | null;
  /** Whether the receiver deduplicates: decides what "did not happen" leads to. */
  readonly deduplicates: boolean;
  readonly via: Via;
}

export interface ResolveAnswer {
  readonly outcome: ResolveOutcome;
  readonly state: State | null;
  readonly unblocked: readonly OperationRecord[];
}

/** What somebody outside saw of the ledger: a journal head. */
export interface Witness {
  /** The operation whose chain the head is of. */
  readonly subject: string;
  readonly hash: string;
  /** The ledger's generation then; `null` where the witness keeps none (a receiver). */
  readonly generation: number | null;
  /** Who saw it, for people: `run …`, `receiver …`. */
  readonly source: string;
}

export interface RestoreInput {
  readonly operator: string;
  readonly reason: string;
}

export interface RestoreAnswer {
  /** `false`: nothing was lacking. */
  readonly accepted: boolean;
  readonly generation: number;
}

/** What makes an open outcome visible: how often the receiver was asked, and who waits for the object. */
export interface Uncertainty {
  /** Looks at the receiver on record, of all attempts. */
  readonly looks: number;
  /** Approved operations that cannot be claimed meanwhile, oldest first, no more than asked for. */
  readonly blocks: readonly string[];
  /** How many there are in all. */
  readonly blockedCount: number;
}

/** `draft`: what is stored for the request, if anything. */
export interface DraftAnswer {
  readonly draft: DraftRecord | null;
  readonly ledgerTimeMs: number;
}

export interface ListFilter {
  readonly states?: readonly State[];
  readonly caseId?: string;
  /** Only operations with a run that has not been told of a change; states and case do not count then. */
  readonly untold?: boolean;
  /** Only operations admitted after this sequence number, for paging. */
  readonly after?: number;
  readonly limit: number;
}

export interface Ledger {
  readonly ledgerId: string;
  admit(input: AdmitInput): Promise<AdmitAnswer>;
  decide(input: DecideInput): Promise<DecideAnswer>;
  revise(input: ReviseInput): Promise<ReviseAnswer>;
  withdraw(input: WithdrawInput): Promise<WithdrawAnswer>;
  claim(input: ClaimInput): Promise<ClaimAnswer>;
  /** Stores the receiver's answer to an attempt, however late, and what follows from it. */
  complete(input: CompleteInput): Promise<EvidenceAnswer>;
  /** Stores one look at the receiver, and what follows from it. */
  observe(input: ObserveInput): Promise<EvidenceAnswer>;
  resolve(input: ResolveInput): Promise<ResolveAnswer>;
  /** Applies what time or the object has brought about: expired, superseded or denied before any claim. */
  settle(operationId: string, run?: RunReference | null): Promise<OperationView | null>;
  setObject(object: {
    objectId: string;
    version: number;
    scope?: string;
    permitted?: boolean;
    actor: string;
  }): Promise<ObjectRecord>;
  /**
   * Notes a run that is to be told of the operation from now on, and that it reviews the operation now. `false`: it was
   * noted already. What was recorded before is not told to it: it must read the ledger afterwards.
   */
  noteRun(operationId: string, run: RunReference): Promise<boolean>;
  /**
   * Compares with what somebody saw. A ledger that lacks it was restored from an older copy: `ledger_restored` is thrown
   * now and by every decide and claim, until `acceptRestore` records that a person looked.
   */
  witness(witness: Witness): Promise<void>;
  /** Throws `ledger_restored` while something is lacking. */
  refuseIfSuspect(): Promise<void>;
  acceptRestore(input: RestoreInput): Promise<RestoreAnswer>;
  /** Every subject that has a journal chain. */
  subjects(): Promise<readonly string[]>;
  /** Faults that the store itself finds in its file; empty when it finds none. */
  checkFile(): Promise<readonly string[]>;

  /** Notes that a run was told of so many changes; with one more recorded meanwhile it stays untold. */
  noteTold(operationId: string, workflowId: string, changes: number): Promise<void>;
  /** The runs that asked to be told of an operation, at most 100, those not told first. */
  runs(operationId: string): Promise<readonly FollowingRun[]>;

  /** The draft that is stored for a request. Looks only. */
  draftOf(requestId: string): Promise<DraftAnswer>;
  /** Stores what a drafter answered. The first answer to a request stays, and is what every caller is given. */
  keepDraft(draft: Omit<DraftRecord, 'draftedAtMs'>): Promise<DraftRecord>;
  /** The requests that a draft is stored for. */
  draftRequests(): Promise<readonly string[]>;

  view(operationId: string): Promise<OperationView | null>;
  summary(operationId: string): Promise<OperationSummary | null>;
  /** The operation itself, or the newest revision that followed from it. */
  follow(operationId: string): Promise<OperationView | null>;
  /** The newest operation of the case. */
  current(caseId: string): Promise<OperationView | null>;
  list(filter: ListFilter): Promise<readonly OperationRecord[]>;
  journal(subject: string): Promise<readonly JournalRecord[]>;
  observations(operationId: string): Promise<readonly ObservationRecord[]>;
  /** `limit`: the most operations that are named. Throws `not_found`. */
  uncertainty(operationId: string, limit: number): Promise<Uncertainty>;
  close(): void;
}
