/**
 * Use case `verify`: reads every record again and names what does not fit. It trusts nothing that it can compute:
 * identities from stored bytes, chains from their records, states from the journal, effects from the receiver.
 */
import { errorCode } from '../core/errors.ts';
import type {
  AttemptRecord,
  DecisionRecord,
  DraftRecord,
  JournalRecord,
  ObservationRecord,
  OperationRecord,
  OperationView,
} from '../core/records.ts';
import { chainStart, journalHash } from '../identity/journal.ts';
import { draftDigest } from '../identity/draft.ts';
import { recomputeIdentity } from './content.ts';
import type { Ports } from './ports.ts';
import type { StoredEffect } from '../ports/receiver.ts';
import { everyOperation, viewOf } from './reading.ts';

export interface Fault {
  /** What it is about: an operation id, a journal subject, `receiver` or `ledger`. */
  readonly subject: string;
  readonly fault: string;
}

export interface VerifyAnswer {
  readonly operations: number;
  readonly journalRecords: number;
  readonly effects: number | null;
  readonly faults: readonly Fault[];
}

/** The state that the last state-bearing record of a chain says. */
function stateInJournal(chain: readonly JournalRecord[]): string | null {
  for (const record of [...chain].reverse()) {
    const { state } = JSON.parse(record.detail) as { state?: unknown };
    if (typeof state === 'string') return state;
  }
  return null;
}

function chainFault(ledgerId: string, chain: readonly JournalRecord[]): string | null {
  let previousHash = chainStart;
  for (const [index, record] of chain.entries()) {
    const place = `journal record ${record.sequence}`;
    if (record.subjectSequence !== index + 1) return `${place} is not number ${index + 1} of its chain`;
    if (record.previousHash !== previousHash) return `${place} does not follow the record before it`;
    if (record.hash !== journalHash(ledgerId, record)) return `${place} was changed after it was written`;
    previousHash = record.hash;
  }
  return null;
}

function identityFault(operation: OperationRecord): string | null {
  try {
    recomputeIdentity(operation);
    return null;
  } catch (thrown) {
    if (errorCode(thrown) === null) throw thrown;
    return thrown instanceof Error ? thrown.message : String(thrown);
  }
}

const isReceipt = ({ answer }: AttemptRecord): boolean => answer === 'created' || answer === 'exists';
const isClaim = ({ what }: JournalRecord): boolean => what === 'claimed' || what === 'claimed again';
const against = (kind: 'look' | 'receipt', { what }: JournalRecord): boolean => what.startsWith(`${kind} against `);
const isLook = (entry: JournalRecord): boolean => entry.what.startsWith('look: ') || against('look', entry);

/** The decision stands in its own table and in the journal, which is chained: both must tell the same. */
function decisionFault(decision: DecisionRecord | null, chain: readonly JournalRecord[]): string | null {
  const told = chain.filter(({ what }) => what === 'approved' || what === 'declined');
  const [entry] = told;
  if (decision === null && entry === undefined) return null;
  const same =
    told.length === 1 &&
    entry?.what === (decision?.approved ? 'approved' : 'declined') &&
    entry.actor === decision?.reviewer &&
    entry.atMs === decision.decidedAtMs;
  return same ? null : 'its decision is not the one that its journal tells';
}

/** What each table holds of an operation, against what its journal tells of it. */
function countFaults(
  view: OperationView,
  looks: readonly ObservationRecord[],
  chain: readonly JournalRecord[],
): (string | null)[] {
  const { operation, attempts, resolutions } = view;
  const claims = chain.filter(isClaim).length;
  const lookedFor = chain.filter(isLook).length;
  const words = chain.filter(({ what }) => what.startsWith('resolved: ')).length;
  return [
    claims === operation.attempts && attempts.length === claims
      ? null
      : `it counts ${operation.attempts} attempts, its journal ${claims}, its table ${attempts.length}`,
    lookedFor === looks.length ? null : `its journal tells ${lookedFor} looks, its table holds ${looks.length}`,
    words === resolutions.length
      ? null
      : `its journal tells ${words} resolutions, its table holds ${resolutions.length}`,
  ];
}

async function recordFaults({ ledger }: Ports, view: OperationView): Promise<(string | null)[]> {
  const { operation, decision, attempts, resolutions } = view;
  const { operationId, state } = operation;
  const [looks, chain] = await Promise.all([ledger.observations(operationId), ledger.journal(operationId)]);
  const said = stateInJournal(chain);
  const approvals = chain.filter(({ what }) => what === 'approved').length;
  const evidence =
    attempts.some(isReceipt) ||
    looks.some(({ finding }) => finding === 'matching') ||
    resolutions.some(({ resolution }) => resolution === 'effect_happened');
  const unapproved = operation.attempts > 0 && (decision?.approved !== true || approvals !== 1);
  return [
    said === state ? null : `it is ${state}, but its journal says ${said ?? 'nothing'}`,
    ...countFaults(view, looks, chain),
    unapproved ? 'it was claimed without one recorded approval' : null,
    decisionFault(decision, chain),
    state === 'Completed' && !evidence ? 'it is Completed without recorded evidence' : null,
    state === 'Declined' && decision?.approved !== false ? 'it is Declined without a recorded decision' : null,
  ];
}

/**
 * A Completed operation whose effect the receiver does not hold, unless only an operator said that it happened. A receiver
 * without a look-up is not asked, and an absence is no fault where it is only a look, or the effect may be forgotten.
 */
async function effectFault(ports: Ports, view: OperationView): Promise<string | null> {
  const { operation, resolutions, attempts, ledgerTimeMs } = view;
  if (operation.state !== 'Completed') return null;
  const { lookup, retentionMs } = (await ports.receiver.describe()).declaration;
  if (lookup === 'none') return null;
  const forgotten = retentionMs !== null && ledgerTimeMs - (attempts[0]?.claimedAtMs ?? 0) > retentionMs;
  const byOperator = resolutions.some(({ resolution }) => resolution === 'effect_happened');
  const { payloadSha256 } = await ports.receiver.lookup(operation.operationId);
  if (payloadSha256 === null) {
    const excused = byOperator || forgotten || lookup !== 'authoritative';
    return excused ? null : 'it is Completed, but the receiver holds no effect of it';
  }
  return operation.operationId.endsWith(payloadSha256) ? null : 'the receiver holds another payload under its identity';
}

/** An effect needs its own claim, and a state that does not deny it; a contradiction that is on record is told there. */
function claimFault(view: OperationView, chain: readonly JournalRecord[], effect: StoredEffect): string | null {
  const { state, attempts } = view.operation;
  if (attempts === 0) return 'the receiver holds an effect, but the operation was never claimed';
  const onRecord = chain.some((entry) => against('look', entry) || against('receipt', entry));
  if (state === 'Abandoned' && !onRecord) return 'it is Abandoned, but the receiver holds an effect of it';
  // After an accepted restoration the claim may be among what was lost.
  const told = view.generation > 0 || chain.some((entry) => isClaim(entry) && entry.hash === effect.ledgerHash);
  return told ? null : 'the receiver holds an effect of a claim that its journal does not tell';
}

async function receiverFaults(ports: Ports): Promise<{ effects: number | null; faults: Fault[] }> {
  const { ledger, receiver } = ports;
  const listed = receiver.effects?.();
  if (!listed) return { effects: null, faults: [] };
  const faults: Fault[] = [];
  let effects = 0;
  for await (const effect of listed) {
    effects += 1;
    const { operationId } = effect;
    const view = await ledger.view(operationId);
    const found = [
      effect.payloadSha256 === effect.recomputedSha256 ? null : 'the stored effect was changed after it was written',
      view
        ? claimFault(view, await ledger.journal(operationId), effect)
        : 'the receiver holds an effect of an operation that the ledger does not have',
    ];
    for (const fault of found) if (fault !== null) faults.push({ subject: operationId, fault });
  }
  return { effects, faults };
}

/** Every chain, and whether what it is about is there. */
async function chainFaults({ ledger }: Ports): Promise<{ records: number; faults: Fault[] }> {
  const faults: Fault[] = [];
  let records = 0;
  for (const subject of await ledger.subjects()) {
    const chain = await ledger.journal(subject);
    records += chain.length;
    const isGone = subject.startsWith('op-v1-') && (await ledger.summary(subject)) === null;
    const found = [
      chainFault(ledger.ledgerId, chain),
      isGone ? 'the journal tells of an operation that the ledger does not have' : null,
    ];
    for (const fault of found) if (fault !== null) faults.push({ subject, fault });
  }
  return { records, faults };
}

/** What stands in the journal of a draft: the text itself does not, its digest does. */
type ToldDraft = Readonly<Partial<Record<'requestId' | 'caseId' | 'drafter' | 'sha256', unknown>>>;

function draftFault(draft: DraftRecord | null, told: ToldDraft | undefined): string | null {
  if (!draft) return 'the journal tells of a draft that the ledger does not have';
  if (!told) return 'the ledger holds a draft that its journal does not tell';
  const { caseId, drafter, sha256 } = told;
  const same = caseId === draft.caseId && drafter === draft.drafter && sha256 === draftDigest(draft.body);
  return same ? null : 'the stored draft is not the one that the journal tells';
}

async function draftFaults({ ledger }: Ports): Promise<Fault[]> {
  const told = new Map<string, ToldDraft>();
  for (const { what, detail } of await ledger.journal('ledger')) {
    if (what !== 'drafted') continue;
    const entry = JSON.parse(detail) as ToldDraft;
    told.set(String(entry.requestId), entry);
  }
  const faults: Fault[] = [];
  for (const subject of new Set([...(await ledger.draftRequests()), ...told.keys()])) {
    const fault = draftFault((await ledger.draftOf(subject)).draft, told.get(subject));
    if (fault !== null) faults.push({ subject, fault });
  }
  return faults;
}

/** `progress` is told how many operations have been read. Changes nothing. Throws store errors. */
export async function verify(
  ports: Ports,
  progress: (operations: number) => void = () => undefined,
): Promise<VerifyAnswer> {
  const { ledger } = ports;
  const chains = await chainFaults(ports);
  const faults = [
    ...(await ledger.checkFile()).map((fault) => ({ subject: 'ledger', fault })),
    ...chains.faults,
    ...(await draftFaults(ports)),
  ];
  let operations = 0;
  for await (const { operationId } of everyOperation(ledger)) {
    operations += 1;
    progress(operations);
    const view = await viewOf(ledger, operationId);
    const found = [identityFault(view.operation), ...(await recordFaults(ports, view)), await effectFault(ports, view)];
    for (const fault of found) if (fault !== null) faults.push({ subject: operationId, fault });
  }
  const receiver = await receiverFaults(ports);
  return {
    operations,
    journalRecords: chains.records,
    effects: receiver.effects,
    faults: [...faults, ...receiver.faults],
  };
}
