/** How a run comes to its proposal: the text is drafted where the case has none, then the ledger admits the case. */
import {
  allHandlersFinished,
  ApplicationFailure,
  CancellationScope,
  CancelledFailure,
  condition,
  isCancellation,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { draft, ledger } from './activities.ts';
import { typed } from './handlers.ts';
import type { Review } from './review.ts';

type ProposeAnswer = Awaited<ReturnType<Activities['propose']>>;

function admissionFailure(answer: ProposeAnswer): ApplicationFailure {
  const { outcome, operationId, status } = answer;
  return ApplicationFailure.create({
    type: outcome,
    nonRetryable: true,
    message: `The case was refused: ${outcome}.`,
    details: [{ operationId, currentOperationId: status?.operationId ?? null, state: status?.state ?? null }],
  });
}

/** Shape only: what else is wrong with it is for the activity to say. */
const lacksBody = (input: unknown): boolean =>
  typeof input === 'object' && input !== null && !Array.isArray(input) && !Object.hasOwn(input, 'body');

/**
 * Waits until the ledger holds the text. A model that is slow, or fails for ever, must not keep a cancelled run alive:
 * an answer that comes later is stored all the same, and found by the next run of the case.
 */
async function awaitDraft(review: Review, input: unknown): Promise<void> {
  const asking = new CancellationScope();
  const answered = asking.run(() => draft(input));
  await Promise.race([answered, condition(() => review.cancelled)]);
  if (review.cancelled) asking.cancel();
  await answered;
}

const cancelled = 'The review was cancelled before it had a text; nothing was proposed.';

/** Records the proposal. A case that is refused or malformed ends the run with a failure whose type says why. */
export async function admit(review: Review, args: readonly unknown[]): Promise<string> {
  try {
    if (args.length !== 1) {
      throw ApplicationFailure.nonRetryable(
        `A review takes one case, not ${args.length} arguments.`,
        'malformed_input',
      );
    }
    if (lacksBody(args[0])) await awaitDraft(review, args[0]);
    const answer = await ledger.propose(args[0]);
    if (!answer.recorded) throw admissionFailure(answer);
    review.caseId = answer.proposal?.caseId ?? null;
    review.admission = answer.outcome;
    review.status = answer.status;
    review.latest = answer.state;
    review.proposal = answer.proposal;
    return answer.operationId;
  } catch (thrown) {
    const ended = isCancellation(thrown);
    review.failure = ended ? ApplicationFailure.nonRetryable(cancelled, 'closed') : typed(thrown);
    await condition(allHandlersFinished);
    throw ended ? new CancelledFailure(cancelled) : review.failure;
  }
}
