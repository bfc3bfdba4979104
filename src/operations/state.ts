/** Use case `readState`: what the ledger says of a run's operation now, and what the run does next. */
import { errorCode } from '../core/errors.ts';
import { nextStep, type NextStep } from '../core/next-step.ts';
import { presentProposal, presentStatus, type Proposal, type Status } from '../core/presentation.ts';
import { rulesFor } from '../core/rules.ts';
import type { OperationView } from '../core/records.ts';
import { holdsObject, isFinal } from '../core/states.ts';
import type { RunReference } from '../ports/ledger.ts';
import type { ReceiverStatus } from '../ports/receiver.ts';
import type { Ports } from './ports.ts';
import { known } from './reading.ts';
import { witnessRun, type Head } from './witness.ts';

export interface ReadStateInput {
  readonly operationId: string;
  readonly executor: string;
  /** The run that reads; noted in the ledger so that it can be told of changes. */
  readonly run: RunReference | null;
  /** The proposal the reader has already; another one is sent whole, the same one is not, to save history space. */
  readonly knownOperationId: string | null;
  /** What the reader was last told; a ledger that lacks it is an older copy. */
  readonly head: Head | null;
  /** Whether the reader knows that its own attempt ended without a receipt. */
  readonly attemptEnded: boolean;
}

export interface RunState {
  readonly status: Status;
  readonly next: NextStep;
  /** The newest revision of what was asked for; `null` where the reader has it already. */
  readonly proposal: Proposal | null;
  /** To be shown again with the next question. */
  readonly head: Head;
}

async function receiverNow(ports: Ports): Promise<ReceiverStatus | null> {
  try {
    return await ports.receiver.describe();
  } catch (thrown) {
    if (errorCode(thrown) === null) throw thrown;
    return null;
  }
}

/**
 * The newest revision, with what time or the object has brought about. A revision by somebody else may come between two
 * reads, so the end of the chain is looked for until it is one.
 */
async function newestOf(ports: Ports, operationId: string, run: RunReference | null): Promise<OperationView> {
  for (let asked = operationId; ;) {
    const followed = known(await ports.ledger.follow(asked), asked);
    const { operation } = followed;
    const mayEnd = operation.state === 'Pending' || (operation.state === 'Approved' && operation.expiresAtMs !== null);
    const view = mayEnd ? ((await ports.ledger.settle(operation.operationId, run)) ?? followed) : followed;
    if (view.operation.state !== operation.state) await ports.wake([operation.operationId]);
    if (view.operation.revisedTo === null) return view;
    asked = view.operation.revisedTo;
  }
}

/**
 * The newest revision, with the run that reads it noted: what is recorded from here on is told to it. What came between
 * the read and the note was told to others only, so it is read once more.
 */
async function newestFor(ports: Ports, operationId: string, run: RunReference | null): Promise<OperationView> {
  for (;;) {
    const view = await newestOf(ports, operationId, run);
    const { operation } = view;
    if (!run || isFinal(operation.state)) return view;
    if (operation.workflowId === run.workflowId && operation.runId === run.runId) return view;
    if (!(await ports.ledger.noteRun(operation.operationId, run))) return view;
  }
}

/** Follows revisions to the newest one and applies what time or the object has brought about. Throws `not_found`. */
export async function readState(ports: Ports, input: ReadStateInput): Promise<RunState> {
  await witnessRun(ports.ledger, input.head, input.executor);
  const view = await newestFor(ports, input.operationId, input.run);
  const { operation } = view;
  const receiver = holdsObject(operation.state) ? await receiverNow(ports) : null;
  const next = nextStep({
    view,
    declaration: receiver?.declaration ?? null,
    receiverSequence: receiver?.sequence ?? null,
    rules: rulesFor(operation, ports.minimums),
    settings: ports.recovery,
    // A newer attempt is somebody else's: the end of one's own says nothing of it.
    attemptEnded: input.attemptEnded && view.attempts.at(-1)?.executor === input.executor,
  });
  return {
    status: presentStatus(view, input.executor),
    next,
    proposal: operation.operationId === input.knownOperationId ? null : presentProposal(operation),
    head: { operationId: operation.operationId, hash: view.headHash, generation: view.generation },
  };
}
