/** Transaction `admit`: a case becomes a recorded proposal, or the answer says what stands in its way. */
import type { CaseInput, OperationIdentity } from '../../../core/case.ts';
import { judgeAdmission } from '../../../core/admission.ts';
import type { ObjectReference } from '../../../core/case.ts';
import type { AdmitAnswer, AdmitInput, RunReference } from '../../../ports/ledger.ts';
import type { Store } from '../store.ts';

/** The object of a case: named, or the case itself at version 1 in scope `default` (contract, section 2). */
function objectOf(input: CaseInput): ObjectReference {
  const { object } = input;
  if (!object) return { id: input.caseId, version: 1, scope: 'default' };
  return { id: object.id, version: object.version ?? 1, scope: object.scope ?? 'default' };
}

interface NewProposal {
  readonly case: CaseInput;
  readonly identity: OperationIdentity;
  readonly run: RunReference | null;
  readonly humanEdited: boolean;
  readonly revisionOf: string | null;
}

/** Writes the proposal with its object and event; shared by admission and revision. */
export function insertProposal(store: Store, proposal: NewProposal, nowMs: number): void {
  const { case: input, identity, run } = proposal;
  const object = objectOf(input);
  const eventId = input.eventId ?? identity.operationId;
  const ttl = store.rules(input).decisionTtlSeconds;
  if (!store.objects.get(object.id)) {
    store.objects.put({ objectId: object.id, version: object.version, scope: object.scope, permitted: true });
  }
  store.operations.insert({
    operationId: identity.operationId,
    caseId: input.caseId,
    action: input.action,
    body: input.body,
    evidence: input.evidence,
    policy: input.policy,
    checks: input.checks ?? [],
    object,
    objectExplicit: input.object !== undefined,
    evidenceId: identity.evidenceId,
    policyId: identity.policyId,
    eventId,
    proposedBy: input.proposedBy ?? null,
    proposedAtMs: nowMs,
    humanEdited: proposal.humanEdited,
    expiresAtMs: input.expiresAt === undefined ? null : Date.parse(input.expiresAt),
    decideByMs: ttl === null ? null : nowMs + ttl * 1000,
    workflowVersion: input.workflowVersion ?? 1,
    revisionOf: proposal.revisionOf,
    workflowId: run?.workflowId ?? null,
    runId: run?.runId ?? null,
  });
  if (run) store.runs.note(identity.operationId, run);
  if (store.deliveries.owner(eventId) === null) store.deliveries.insert(eventId, identity.operationId, nowMs);
  store.journal.append(
    {
      subject: identity.operationId,
      actor: input.proposedBy ?? 'unnamed',
      what: 'proposed',
      detail: { state: 'Pending', caseId: input.caseId, eventId, revisionOf: proposal.revisionOf },
    },
    nowMs,
  );
}

export function admit(store: Store, input: AdmitInput): AdmitAnswer {
  const nowMs = store.now();
  const { case: content, identity } = input;
  const object = objectOf(content);
  const eventId = content.eventId ?? identity.operationId;
  const known = store.operations.get(identity.operationId);
  const open = store.operations.openOfCase(content.caseId);
  const eventOwner = store.deliveries.owner(eventId);
  const verdict = judgeAdmission({
    operationId: identity.operationId,
    workflowVersion: content.workflowVersion ?? 1,
    object,
    expiresAtMs: content.expiresAt === undefined ? null : Date.parse(content.expiresAt),
    eventOwner,
    known,
    open,
    stored: store.objects.get(object.id),
    nowMs,
  });

  const { outcome, event } = verdict;
  if (outcome === 'duplicate') {
    // A new event that brought known content is noted, so that it cannot later stand for another operation.
    if (eventOwner === null) {
      store.deliveries.insert(eventId, identity.operationId, nowMs);
      const actor = content.proposedBy ?? 'unnamed';
      store.journal.append(
        { subject: identity.operationId, actor, what: 'delivered again', detail: { eventId } },
        nowMs,
      );
    }
    return { outcome, view: store.reread(identity.operationId, nowMs) };
  }
  if (outcome === 'admitted' || event !== null) {
    insertProposal(store, { case: content, identity, run: input.run, humanEdited: false, revisionOf: null }, nowMs);
    const { operation } = store.reread(identity.operationId, nowMs);
    if (event !== null) {
      const state = store.move(operation, event);
      store.journal.append(
        { subject: operation.operationId, actor: 'ledger', what: outcome, detail: { state } },
        nowMs,
      );
    }
    store.settings.crash.reach('propose.before-commit');
    return { outcome, view: store.reread(identity.operationId, nowMs) };
  }
  const inTheWay = outcome === 'event_conflict' ? eventOwner : (open ?? known)?.operationId;
  store.journal.appendOnce(
    {
      subject: inTheWay ?? 'ledger',
      actor: content.proposedBy ?? 'unnamed',
      what: `admission refused: ${outcome}`,
      detail: { caseId: content.caseId, operationId: identity.operationId, eventId },
    },
    nowMs,
  );
  return { outcome, view: inTheWay ? store.reread(inTheWay, nowMs) : null };
}
