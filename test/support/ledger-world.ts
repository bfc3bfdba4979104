/** A ledger and the people around it, in few words: what the tests of every ledger say in their sentences. */
import type { CaseInput } from '../../src/core/case.ts';
import type { Finding, OperationView, ReceiverAnswer, Resolution } from '../../src/core/records.ts';
import type { ReceiverDeclaration, RecoverySettings } from '../../src/core/recovery.ts';
import type { DeploymentMinimums } from '../../src/core/rules.ts';
import type { State } from '../../src/core/states.ts';
import { identify } from '../../src/identity/index.ts';
import type {
  ClaimAnswer,
  DecideInput,
  EvidenceAnswer,
  Ledger,
  ObserveInput,
  ResolveInput,
  ReviseInput,
  RunReference,
  WithdrawInput,
} from '../../src/ports/ledger.ts';
import type { ManualClock } from './clock.ts';

/** What a test needs of a store besides the port. */
export interface LedgerHarness {
  readonly ledger: Ledger;
  readonly clock: ManualClock;
  /** The whole content, to compare before and after. */
  dump(): unknown;
  /** Another handle on the same store, as another process has one. */
  reopen(settings: { minimums?: DeploymentMinimums }): Ledger;
}

export interface LedgerSettings {
  readonly recovery?: RecoverySettings;
  readonly minimums?: DeploymentMinimums;
}
export type MakeLedger = (settings?: LedgerSettings) => LedgerHarness;

export const leaseMs = 5_000;
export const recovery: RecoverySettings = {
  leaseMs,
  longestLeaseMs: 60_000,
  attemptLimit: 3,
  firstLookAgainMs: 1_000,
  longestLookAgainMs: 60_000,
};

/** The T-1042 case in short. Every case has an object of its own unless one is named. */
export function sampleCase(over: Partial<CaseInput> = {}): CaseInput {
  return {
    caseId: 'T-1042',
    action: 'record_support_review',
    body: 'the draft',
    evidence: [{ sourceId: 'KB-311', version: 3, quotation: 'quoted' }],
    policy: { label: 'support-review/1' },
    proposedBy: 'drafter',
    ...over,
  };
}

/** What the embedded receiver declares. */
export const embedded: ReceiverDeclaration = {
  receiverId: 'receiver-1',
  deduplicates: true,
  lookup: 'authoritative',
  retentionMs: null,
};

export class World {
  readonly ledger: Ledger;
  readonly clock: ManualClock;
  readonly harness: LedgerHarness;
  receiver: ReceiverDeclaration = embedded;
  /** How far the receiver says it has come. */
  sequence: number | null = 0;

  constructor(harness: LedgerHarness) {
    this.harness = harness;
    this.ledger = harness.ledger;
    this.clock = harness.clock;
  }

  admit(over: Partial<CaseInput> = {}, run: RunReference | null = null) {
    const content = sampleCase(over);
    return this.ledger.admit({ case: content, identity: identify(content), run });
  }

  /** The identity of a proposal that must be admitted. */
  async propose(over: Partial<CaseInput> = {}, run: RunReference | null = null): Promise<string> {
    const { outcome, view } = await this.admit(over, run);
    if (outcome !== 'admitted' || !view) throw new Error(`not admitted: ${outcome}`);
    return view.operation.operationId;
  }

  decide(operationId: string, over: Partial<DecideInput> = {}) {
    return this.ledger.decide({
      caseId: null,
      operationId,
      approved: true,
      reviewer: 'rita',
      reason: null,
      signature: null,
      requestId: null,
      via: 'command',
      ...over,
    });
  }

  /** Proposed and approved. */
  async approved(over: Partial<CaseInput> = {}, run: RunReference | null = null): Promise<string> {
    const operationId = await this.propose(over, run);
    const { outcome } = await this.decide(operationId);
    if (outcome !== 'recorded') throw new Error(`not approved: ${outcome}`);
    return operationId;
  }

  /** The revision replaces the body unless `revise` says otherwise. */
  revise(
    expectedOperationId: string,
    body: string,
    over: Partial<ReviseInput> & { policy?: CaseInput['policy'] } = {},
  ) {
    const { policy, ...rest } = over;
    return this.ledger.revise({
      caseId: 'T-1042',
      expectedOperationId,
      revisedBy: 'rita',
      requestId: null,
      via: 'command',
      revise: (stored) => {
        const content = sampleCase({
          caseId: stored.caseId,
          body,
          policy: policy ?? stored.policy,
          proposedBy: 'rita',
          ...(stored.objectExplicit ? { object: stored.object } : {}),
        });
        return { case: content, identity: identify(content) };
      },
      ...rest,
    });
  }

  withdraw(operationId: string, over: Partial<WithdrawInput> = {}) {
    return this.ledger.withdraw({
      caseId: null,
      operationId,
      by: 'drafter',
      reason: 'not needed',
      via: 'command',
      ...over,
    });
  }

  claim(
    operationId: string,
    over: { declaration?: ReceiverDeclaration; receiverSequence?: number | null; run?: RunReference } = {},
  ) {
    return this.ledger.claim({
      operationId,
      declaration: this.receiver,
      receiverSequence: this.sequence,
      executor: 'worker-1',
      ...over,
    });
  }

  /** Proposed, approved and claimed. */
  async executing(over: Partial<CaseInput> = {}): Promise<string> {
    const operationId = await this.approved(over);
    const { outcome } = await this.claim(operationId);
    if (outcome !== 'claimed') throw new Error(`not claimed: ${outcome}`);
    return operationId;
  }

  complete(
    operationId: string,
    attempt: number,
    answer: ReceiverAnswer = 'created',
    run: RunReference | null = null,
  ): Promise<EvidenceAnswer> {
    const { receiverId } = this.receiver;
    return this.ledger.complete({ operationId, attempt, answer, receiverId, receiverSequence: this.sequence, run });
  }

  observe(
    operationId: string,
    attempt: number,
    finding: Finding,
    over: Partial<Pick<ObserveInput, 'receiverSequence' | 'lastSeenSequence'>> & {
      declaration?: ReceiverDeclaration;
      run?: RunReference;
    } = {},
  ): Promise<EvidenceAnswer> {
    const declaration = over.declaration ?? this.receiver;
    return this.ledger.observe({
      operationId,
      attempt,
      declaration: finding === 'unavailable' ? null : declaration,
      receiverId: declaration.receiverId,
      receiverSequence: over.receiverSequence === undefined ? this.sequence : over.receiverSequence,
      ...(over.lastSeenSequence === undefined ? {} : { lastSeenSequence: over.lastSeenSequence }),
      finding,
      actor: 'worker-1',
      run: over.run ?? null,
    });
  }

  /** Proposed, approved, claimed, and looked for in vain. */
  async unknown(over: Partial<CaseInput> = {}): Promise<string> {
    const operationId = await this.executing(over);
    await this.observe(operationId, 1, 'absent');
    return operationId;
  }

  resolve(operationId: string, resolution: Resolution, over: Partial<ResolveInput> = {}) {
    return this.ledger.resolve({
      caseId: null,
      operationId,
      resolution,
      operator: 'olga',
      reason: 'asked the destination',
      reference: resolution === 'effect_happened' ? 'row 7' : null,
      deduplicates: this.receiver.deduplicates,
      via: 'command',
      ...over,
    });
  }

  async view(operationId: string): Promise<OperationView> {
    const view = await this.ledger.view(operationId);
    if (!view) throw new Error(`no operation ${operationId}`);
    return view;
  }

  async state(operationId: string): Promise<State> {
    return (await this.view(operationId)).operation.state;
  }

  /** What the journal says of a subject, oldest first. */
  async told(subject: string): Promise<string[]> {
    return (await this.ledger.journal(subject)).map(({ what }) => what);
  }
}

/** Time passes; a step like any other. */
export async function later(world: World, ms: number): Promise<void> {
  world.clock.advance(ms);
  return Promise.resolve();
}

/** The fence of a claim that must have been granted. */
export function granted(answer: ClaimAnswer): NonNullable<ClaimAnswer['claim']> {
  if (!answer.claim) throw new Error(`not claimed: ${answer.outcome}`);
  return answer.claim;
}

/** How a contract makes the world of one test. */
export type MakeWorld = (settings?: LedgerSettings) => World;
