/**
 * The handlers of a run. They take anything, check the shape, ask the ledger, and never throw but a typed refusal: an
 * ordinary error would fail the workflow task, which is retried for ever and blocks every later message.
 */
import { ValueError } from '@temporalio/common';
import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  condition,
  currentUpdateInfo,
  setHandler,
} from '@temporalio/workflow';
import type { State } from '../activities/index.ts';
import type { Parsed } from '../src/core/messages.ts';
import { parseApproval, parseResolution, parseRevision, parseWithdrawal } from '../src/core/messages.ts';
import { ledger } from './activities.ts';
import {
  approvalSignal,
  decideUpdate,
  preparedUpdate,
  proposalQuery,
  recheckSignal,
  resolveUpdate,
  reviseUpdate,
  statusQuery,
  unknownSignal,
  withdrawUpdate,
  type DecideReply,
} from './messages.ts';
import type { Review } from './review.ts';

/** A refusal as the caller of an update sees it: `type` is the outcome, the details say what stands now. */
function refusal(outcome: string, message: string, details: Readonly<Record<string, unknown>>): ApplicationFailure {
  return ApplicationFailure.create({ message, type: outcome, nonRetryable: true, details: [details] });
}

/**
 * What an activity reported, or why it could not be asked, as a failure of the message itself. JSON can be read in any
 * depth, but not written: such an input is refused here, because nobody behind this can be asked about it.
 */
export function typed(thrown: unknown): ApplicationFailure {
  const cause = thrown instanceof ActivityFailure ? thrown.cause : thrown;
  if (cause instanceof ApplicationFailure) return cause;
  if (cause instanceof ValueError) {
    return refusal('malformed_input', 'The input cannot be passed on: it is nested too deep.', { pointer: '' });
  }
  return refusal('internal', cause instanceof Error ? cause.message : String(cause), {});
}

/** The value of a well-shaped message. Throws the typed refusal of any other. */
function accepted<T>(parsed: Parsed<T>): T {
  if (parsed.ok) return parsed.value;
  const { pointer, message } = parsed;
  throw refusal('malformed_input', `${pointer || 'The message'} ${message}.`, { pointer });
}

/** Shape check of an update: runs before the update is accepted, so a refused one leaves no trace in the history. */
function validator<T>(parse: (args: readonly unknown[]) => Parsed<T>) {
  return (...args: unknown[]): void => {
    accepted(parse(args));
  };
}

/**
 * Runs a handler's work in turn, once there is a proposal, and out of reach of a cancellation of the run. Afterwards the
 * main loop looks at the ledger again, unless `act` noted what the ledger had to say.
 */
function afterProposal<T>(
  review: Review,
  act: (caseId: string, note: (latest: State | null) => void) => Promise<T>,
): Promise<T> {
  return CancellationScope.nonCancellable(() =>
    review.inTurn(async () => {
      await condition(() => review.settled);
      if (review.failure) throw review.failure;
      let latest: State | null = null;
      try {
        return await act(review.caseId ?? '', (state) => (latest = state));
      } catch (thrown) {
        throw typed(thrown);
      } finally {
        review.wake(latest);
      }
    }),
  );
}

async function decide(
  review: Review,
  args: readonly unknown[],
  by: { via: 'signal' | 'update'; requestId: string | null },
): Promise<DecideReply> {
  const message = accepted(parseApproval(args));
  return afterProposal(review, async (caseId, note) => {
    const answer = await ledger.decide({ message, caseId, head: review.head, ...by });
    const { outcome, decision, headHash, why, state, currentOperationId } = answer;
    note(answer.next);
    if (outcome === 'recorded' || outcome === 'repeated') {
      return { outcome, operationId: message.operationId, decision, headHash };
    }
    const text = why ?? `The decision was refused: ${outcome}.`;
    throw refusal(outcome, text, { operationId: message.operationId, currentOperationId, state, decision, why: text });
  });
}

/** What a refused message said of itself, as far as it can be read. */
function claimed(args: readonly unknown[], key: string): string | null {
  const value = args[0];
  if (typeof value !== 'object' || value === null) return null;
  const field = (value as Record<string, unknown>)[key];
  return typeof field === 'string' ? field.slice(0, 200) : null;
}

function noteRefusal(review: Review, message: string, args: readonly unknown[], thrown: unknown): void {
  const failure = typed(thrown);
  review.refuse({
    message,
    outcome: failure.type ?? 'internal',
    operationId: claimed(args, 'operationId') ?? claimed(args, 'expectedOperationId'),
    by: claimed(args, 'reviewer') ?? claimed(args, 'by') ?? claimed(args, 'revisedBy') ?? claimed(args, 'operator'),
    why: failure.message.slice(0, 500),
  });
}

/** Lets a refusal reach the caller, and the status. */
async function noted<T>(review: Review, message: string, args: readonly unknown[], act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (thrown) {
    noteRefusal(review, message, args, thrown);
    throw typed(thrown);
  }
}

function registerSignals(review: Review): void {
  setHandler(
    approvalSignal,
    async (...args: unknown[]) => {
      try {
        await noted(review, 'approval', args, () => decide(review, args, { via: 'signal', requestId: null }));
      } catch {
        // A signal has no answer: the refusal stands in the status.
      }
    },
    { description: 'A reviewer approves or declines one operation identity; refusals show in the status query.' },
  );
  setHandler(recheckSignal, () => review.wake(), { description: 'Reads the ledger again.' });
  setHandler(
    unknownSignal,
    (name: unknown, ...args: unknown[]) =>
      noteRefusal(
        review,
        typeof name === 'string' ? name.slice(0, 200) : 'unknown',
        args,
        refusal('malformed_input', 'There is no such signal.', {}),
      ),
    { description: 'Where a signal of any other name ends up: it changes nothing and shows in the status.' },
  );
}

function registerChanges(review: Review): void {
  setHandler(
    reviseUpdate,
    (...args: unknown[]) =>
      noted(review, 'revise', args, () => {
        const message = accepted(parseRevision(args));
        return afterProposal(review, async (caseId) => {
          const { outcome, proposal, status, currentOperationId } = await ledger.revise({ message, caseId });
          if (outcome === 'revised' && proposal && status) {
            review.proposal = proposal;
            review.status = status;
            return proposal;
          }
          throw refusal(outcome, `The revision was refused: ${outcome}.`, { currentOperationId, state: status?.state });
        });
      }),
    { validator: validator(parseRevision), description: 'Replaces the pending proposal by an edited one.' },
  );
  setHandler(
    withdrawUpdate,
    (...args: unknown[]) =>
      noted(review, 'withdraw', args, () => {
        const message = accepted(parseWithdrawal(args));
        return afterProposal(review, async (caseId) => {
          const { outcome, state, currentOperationId } = await ledger.withdraw({ message, caseId });
          if (outcome === 'withdrawn') return { outcome, state };
          throw refusal(outcome, `The withdrawal was refused: ${outcome}.`, { currentOperationId, state });
        });
      }),
    { validator: validator(parseWithdrawal), description: 'Takes the proposal back before its claim.' },
  );
  setHandler(
    resolveUpdate,
    (...args: unknown[]) =>
      noted(review, 'resolve', args, () => {
        const message = accepted(parseResolution(args));
        return afterProposal(review, async (caseId) => {
          const { outcome, state } = await ledger.resolve({ message, caseId });
          if (outcome === 'resolved') return { outcome, state };
          throw refusal(outcome, `The resolution was refused: ${outcome}.`, { state });
        });
      }),
    {
      validator: validator(parseResolution),
      description: 'An operator settles an operation whose outcome is unknown.',
    },
  );
}

/** Registers every handler. Must be called before the first await of the run: messages may be in its first task. */
export function registerHandlers(review: Review): void {
  registerSignals(review);
  registerChanges(review);
  setHandler(
    decideUpdate,
    (...args: unknown[]) =>
      noted(review, 'decide', args, () =>
        decide(review, args, { via: 'update', requestId: review.requestId(currentUpdateInfo()?.id ?? '') }),
      ),
    { validator: validator(parseApproval), description: 'As approval, answered when the decision is recorded.' },
  );
  setHandler(
    preparedUpdate,
    async () => {
      await CancellationScope.nonCancellable(() => condition(() => review.settled));
      return review.prepared();
    },
    { description: 'Answers the proposal as soon as it is recorded.' },
  );
  setHandler(proposalQuery, () => review.proposal, { description: 'The current proposal, whole, in canonical text.' });
  setHandler(statusQuery, () => review.runStatus(), { description: 'State, decision, attempts, refusals and result.' });
}
