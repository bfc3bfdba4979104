/** Use case `reconcile`: ask the receiver what happened, and store what it says. Read-only at the receiver. */
import { errorCode } from '../core/errors.ts';
import { finalStatus, type FinalStatus } from '../core/next-step.ts';
import { presentStatus, type Status } from '../core/presentation.ts';
import type { Finding, OperationView } from '../core/records.ts';
import type { RunReference } from '../ports/ledger.ts';
import type { Look } from '../ports/receiver.ts';
import type { Ports } from './ports.ts';
import { known } from './reading.ts';

export type ReconcileOutcome = FinalStatus | 'Pending' | 'NoLocalEffectRecorded' | 'Unknown';

export interface ReconcileAnswer {
  readonly outcome: ReconcileOutcome;
  /** What this look showed; `null` where nothing was asked. */
  readonly finding: Finding | null;
  readonly status: Status;
}

export interface ReconcileOptions {
  readonly executor: string;
  /** Whether to ask about a settled operation too; a contradiction is stored and the final state stays. */
  readonly askAboutSettled: boolean;
  /** The run that asks, where one does. */
  readonly run?: RunReference | null;
}

/** The payload is the canonical frame, whose digest is the identity: an equal digest means equal bytes. */
function findingOf(look: Look, operationId: string): Finding {
  if (look.payloadSha256 === null) return 'absent';
  return operationId === `op-v1-${look.payloadSha256}` ? 'matching' : 'conflict';
}

function outcomeOf(view: OperationView, finding: Finding | null): ReconcileOutcome {
  const { state } = view.operation;
  const status = finalStatus(state);
  if (status !== null) return status;
  if (state === 'Pending') return 'Pending';
  if (state === 'Approved') return finding === 'absent' ? 'NoLocalEffectRecorded' : 'Unknown';
  return 'Unknown';
}

async function look(
  ports: Ports,
  view: OperationView,
  { executor, run = null }: ReconcileOptions,
): Promise<{ view: OperationView; finding: Finding }> {
  const { ledger, receiver, crash } = ports;
  const { operationId, attempts } = view.operation;
  let said: { look: Look; declaration: Awaited<ReturnType<typeof receiver.describe>>['declaration'] } | null = null;
  try {
    const { declaration } = await receiver.describe();
    // A receiver without a look-up is never asked: its silence must not be stored as an absence.
    if (declaration.lookup !== 'none') said = { look: await receiver.lookup(operationId), declaration };
  } catch (thrown) {
    // Only "cannot be reached" is a finding; a damaged or foreign receiver must stop the caller.
    const code = errorCode(thrown);
    if (code !== 'receiver_unavailable' && code !== 'ledger_unavailable') throw thrown;
  }
  crash.reach('reconcile.asked');
  const finding = said ? findingOf(said.look, operationId) : 'unavailable';
  const { view: after, unblocked } = await ledger.observe({
    operationId,
    attempt: attempts,
    declaration: said?.declaration ?? null,
    receiverId: said?.look.receiverId ?? view.attempts.at(-1)?.receiverId ?? 'unreached',
    receiverSequence: said?.look.sequence ?? null,
    lastSeenSequence: view.lastReceiverSequence,
    finding,
    actor: executor,
    run,
  });
  const moved = after.operation.state === view.operation.state ? [] : [operationId];
  await ports.wake([...moved, ...unblocked.map((waiting) => waiting.operationId)]);
  return { view: after, finding };
}

/** A final state never changes: it is answered from one read. */
async function settledAnswer(ports: Ports, operationId: string, executor: string): Promise<ReconcileAnswer | null> {
  const summary = await ports.ledger.summary(operationId);
  const outcome = summary && finalStatus(summary.operation.state);
  return outcome ? { outcome, finding: null, status: presentStatus(summary, executor) } : null;
}

/** Outcomes of contract section 5, "reconcile". Throws `not_found` and store errors; may be repeated freely. */
export async function reconcile(
  ports: Ports,
  operationId: string,
  options: ReconcileOptions,
): Promise<ReconcileAnswer> {
  const settledBefore = options.askAboutSettled ? null : await settledAnswer(ports, operationId, options.executor);
  if (settledBefore) return settledBefore;
  const view = known(await ports.ledger.settle(operationId, options.run), operationId);
  const settled = finalStatus(view.operation.state) !== null;
  const ask = view.operation.state !== 'Pending' && (!settled || options.askAboutSettled);
  const asked = ask ? await look(ports, view, options) : { view, finding: null };
  return {
    outcome: outcomeOf(asked.view, asked.finding),
    finding: asked.finding,
    status: presentStatus(asked.view, options.executor),
  };
}
