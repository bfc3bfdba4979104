// Records for tests of the core: complete, plain, and different from the default only where a test says so.
import type {
  AttemptRecord,
  DecisionRecord,
  ObjectRecord,
  ObservationRecord,
  OperationRecord,
  OperationView,
  ResolutionRecord,
} from '../../src/core/records.ts';
import type { ReceiverDeclaration, RecoverySettings } from '../../src/core/recovery.ts';
import { rulesOf, type Rules } from '../../src/core/rules.ts';

/** Ledger time of every test of the core that does not say otherwise. */
export const nowMs = Date.UTC(2026, 10, 30, 12);

export const operationId = `op-v1-${'a'.repeat(64)}`;
export const otherId = `op-v1-${'b'.repeat(64)}`;

export function operation(over: Partial<OperationRecord> = {}): OperationRecord {
  return {
    operationId,
    sequence: 1,
    caseId: 'T-1042',
    action: 'record_support_review',
    body: 'the draft',
    evidence: [{ sourceId: 'KB-311', version: 3, quotation: 'quoted' }],
    policy: {},
    checks: [],
    object: { id: 'ticket-1042', version: 3, scope: 'blue' },
    objectExplicit: true,
    evidenceId: 'evidence-v1-',
    policyId: 'policy-v1-',
    eventId: operationId,
    proposedBy: 'drafter',
    proposedAtMs: nowMs - 1000,
    humanEdited: false,
    expiresAtMs: null,
    decideByMs: null,
    workflowVersion: 1,
    state: 'Pending',
    attempts: 0,
    revisionOf: null,
    revisedTo: null,
    workflowId: null,
    runId: null,
    ...over,
  };
}

export function decision(over: Partial<DecisionRecord> = {}): DecisionRecord {
  return {
    operationId,
    approved: true,
    reviewer: 'rita',
    reason: null,
    signature: null,
    decidedAtMs: nowMs - 500,
    requestId: null,
    via: 'command',
    ...over,
  };
}

/** The object as the default operation expects it. */
export function object(over: Partial<ObjectRecord> = {}): ObjectRecord {
  return { objectId: 'ticket-1042', version: 3, scope: 'blue', permitted: true, ...over };
}

export function attempt(over: Partial<AttemptRecord> = {}): AttemptRecord {
  return {
    operationId,
    attempt: 1,
    claimedAtMs: nowMs - 10_000,
    leaseUntilMs: nowMs - 5_000,
    receiverId: 'receiver-1',
    receiverSequence: 7,
    executor: 'run:1',
    answer: null,
    answeredAtMs: null,
    ...over,
  };
}

export function observation(over: Partial<ObservationRecord> = {}): ObservationRecord {
  return {
    sequence: 1,
    operationId,
    attempt: 1,
    observedAtMs: nowMs - 4_000,
    receiverId: 'receiver-1',
    receiverSequence: 7,
    finding: 'absent',
    discounted: null,
    contradiction: false,
    ...over,
  };
}

export function resolution(over: Partial<ResolutionRecord> = {}): ResolutionRecord {
  return {
    sequence: 1,
    operationId,
    attempt: 1,
    resolution: 'effect_did_not_happen',
    operator: 'olga',
    reason: 'asked the destination',
    reference: null,
    resolvedAtMs: nowMs - 1_000,
    ...over,
  };
}

/** An approved operation, free to be claimed. */
export function view(over: Partial<Omit<OperationView, 'operation'>> & { operation?: Partial<OperationRecord> } = {}) {
  const { operation: changed = {}, ...rest } = over;
  return {
    operation: operation({ state: 'Approved', ...changed }),
    decision: decision(),
    attempts: [],
    observations: [],
    resolutions: [],
    object: object(),
    heldBy: null,
    headHash: '0'.repeat(64),
    generation: 0,
    lastReceiverSequence: null,
    ledgerTimeMs: nowMs,
    ...rest,
  } satisfies OperationView;
}

/** An Unknown operation whose only attempt's lease is over and which a counting look has shown to be absent. */
export function unknownView(over: Parameters<typeof view>[0] = {}): OperationView {
  const { operation: changed = {}, ...rest } = over;
  return view({
    attempts: [attempt()],
    observations: [observation()],
    ...rest,
    operation: { state: 'Unknown', attempts: 1, ...changed },
  });
}

export function declaration(over: Partial<ReceiverDeclaration> = {}): ReceiverDeclaration {
  return { receiverId: 'receiver-1', deduplicates: true, lookup: 'authoritative', retentionMs: null, ...over };
}

export const settings: RecoverySettings = {
  leaseMs: 5_000,
  longestLeaseMs: 60_000,
  attemptLimit: 3,
  firstLookAgainMs: 1_000,
  longestLookAgainMs: 8_000,
};

export const rules = (over: Partial<Rules> = {}): Rules => ({ ...rulesOf({}), ...over });
