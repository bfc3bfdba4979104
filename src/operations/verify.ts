/**
 * Use case `verify`: reads every record again and names what does not fit. It trusts nothing that it can compute:
 * identities from stored bytes, chains from their records, states from the journal, effects from the receiver.
 */
import { errorCode } from '../core/errors.ts';
import type { JournalRecord, OperationRecord } from '../core/records.ts';
import { chainStart, journalHash } from '../identity/journal.ts';
import { recomputeIdentity } from './content.ts';
import type { Ports } from './ports.ts';
import { everyOperation } from './reading.ts';

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

async function recordFaults(ports: Ports, operation: OperationRecord): Promise<(string | null)[]> {
  const { operationId, state } = operation;
  const [view, chain] = await Promise.all([ports.ledger.view(operationId), ports.ledger.journal(operationId)]);
  const { decision = null, attempts = [], resolutions = [] } = view ?? {};
  const claims = chain.filter(({ what }) => what === 'claimed' || what === 'claimed again').length;
  const said = stateInJournal(chain);
  const approvals = chain.filter(({ what }) => what === 'approved').length;
  const evidence =
    attempts.some(({ answer }) => answer === 'created' || answer === 'exists') ||
    (await ports.ledger.observations(operationId)).some(({ finding }) => finding === 'matching') ||
    resolutions.some(({ resolution }) => resolution === 'effect_happened');
  const claimed = operation.attempts > 0;
  return [
    said === state ? null : `it is ${state}, but its journal says ${said ?? 'nothing'}`,
    claims === operation.attempts && attempts.length === claims
      ? null
      : `it counts ${operation.attempts} attempts, its journal ${claims}`,
    claimed && (decision?.approved !== true || approvals !== 1) ? 'it was claimed without one recorded approval' : null,
    state === 'Completed' && !evidence ? 'it is Completed without recorded evidence' : null,
    state === 'Declined' && decision?.approved !== false ? 'it is Declined without a recorded decision' : null,
  ];
}

/** A Completed operation whose effect the receiver does not hold, unless only an operator said that it happened. */
async function effectFault(ports: Ports, operation: OperationRecord): Promise<string | null> {
  const view = await ports.ledger.view(operation.operationId);
  const byOperator = view?.resolutions.some(({ resolution }) => resolution === 'effect_happened') ?? false;
  const { payloadSha256 } = await ports.receiver.lookup(operation.operationId);
  if (payloadSha256 === null) return byOperator ? null : 'it is Completed, but the receiver holds no effect of it';
  return operation.operationId.endsWith(payloadSha256) ? null : 'the receiver holds another payload under its identity';
}

async function receiverFaults(ports: Ports): Promise<{ effects: number | null; faults: Fault[] }> {
  const listed = ports.receiver.effects?.();
  if (!listed) return { effects: null, faults: [] };
  const faults: Fault[] = [];
  let effects = 0;
  for await (const effect of listed) {
    effects += 1;
    const note = (fault: string): number => faults.push({ subject: effect.operationId, fault });
    const view = await ports.ledger.view(effect.operationId);
    if (effect.payloadSha256 !== effect.recomputedSha256) note('the stored effect was changed after it was written');
    if (!view) note('the receiver holds an effect of an operation that the ledger does not have');
    else if (view.operation.attempts === 0) note('the receiver holds an effect, but the operation was never claimed');
  }
  return { effects, faults };
}

/** `progress` is told how many operations have been read. Changes nothing. Throws store errors. */
export async function verify(
  ports: Ports,
  progress: (operations: number) => void = () => undefined,
): Promise<VerifyAnswer> {
  const { ledger } = ports;
  const faults: Fault[] = (await ledger.checkFile()).map((fault) => ({ subject: 'ledger', fault }));
  let journalRecords = 0;
  for (const subject of await ledger.subjects()) {
    const chain = await ledger.journal(subject);
    journalRecords += chain.length;
    const fault = chainFault(ledger.ledgerId, chain);
    if (fault !== null) faults.push({ subject, fault });
  }
  let operations = 0;
  for await (const operation of everyOperation(ledger)) {
    operations += 1;
    progress(operations);
    const found = [
      identityFault(operation),
      ...(await recordFaults(ports, operation)),
      operation.state === 'Completed' ? await effectFault(ports, operation) : null,
    ];
    for (const fault of found) if (fault !== null) faults.push({ subject: operation.operationId, fault });
  }
  const receiver = await receiverFaults(ports);
  return { operations, journalRecords, effects: receiver.effects, faults: [...faults, ...receiver.faults] };
}
