/**
 * One run reviews one case: proposal, revisions, decision, effect, outcome. It only asks and waits: the ledger decides,
 * and after anything at all, failures included, the run reads the ledger's state and goes on from there.
 */
import {
  allHandlersFinished,
  CancellationScope,
  CancelledFailure,
  condition,
  continueAsNew,
  isCancellation,
  log,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import type { NextStep } from '../src/core/next-step.ts';
import type { Result } from '../src/core/presentation.ts';
import { holdsObject } from '../src/core/states.ts';
import type { State } from '../activities/index.ts';
import { execute, ledger, reconcile } from './activities.ts';
import { admit } from './admission.ts';
import { registerHandlers } from './handlers.ts';
import { Review, type Carried } from './review.ts';
import { Shown } from './visibility.ts';

/** What the run before this one handed over. Nobody else can: a run that was merely started takes one case. */
function carriedOver(args: readonly unknown[]): Carried | null {
  if (workflowInfo().continuedFromExecutionRunId === undefined) return null;
  const [, second] = args;
  if (typeof second !== 'object' || second === null) return null;
  const { operationId, refusals, head } = second as Partial<Carried>;
  if (typeof operationId !== 'string' || !Array.isArray(refusals)) return null;
  return { operationId, refusals, head: head ?? null };
}

const waitsFor: Readonly<Record<NextStep['step'], string>> = {
  await_decision: 'waits for a decision',
  execute: 'approved, about to be executed',
  await_object: 'approved, waits until the object is free',
  reconcile: 'asks the receiver what happened',
  await_evidence: 'the outcome is not known yet; it will be asked again',
  finished: 'settled',
};

class Loop {
  private readonly review: Review;
  private readonly shown = new Shown();
  /** Attempts in a row that changed nothing: the next one waits longer, so a persistent fault is no busy loop. */
  private fruitless = 0;
  private attemptEnded = false;

  constructor(review: Review) {
    this.review = review;
  }

  async read(operationId: string): Promise<State> {
    const { review } = this;
    review.woken = false;
    const knownOperationId = review.proposal?.operationId ?? null;
    const told = review.latest;
    review.latest = null;
    const { attemptEnded } = this;
    const state =
      told ??
      (await review.inTurn(() => {
        // Whoever had the turn before may have noted something: what is read now is newer.
        review.latest = null;
        return ledger.readState({ operationId, knownOperationId, head: review.head, attemptEnded });
      }));
    review.head = state.head;
    review.status = state.status;
    if (state.proposal) review.proposal = state.proposal;
    review.caseId = state.status.caseId;
    // A state that lasts only until the next step is not worth a write at the server.
    if (review.proposal && state.next.step !== 'execute' && state.next.step !== 'reconcile') {
      this.shown.show(review.proposal, state.status, waitsFor[state.next.step], state.searchAttributes);
    }
    return state;
  }

  /** Waits until woken or until `delayMs` is over; `null`: until woken. Cancellation and a long history wake, too. */
  private async wait(delayMs: number | null): Promise<void> {
    const { review } = this;
    const due = (): boolean => review.woken || review.cancelled || workflowInfo().continueAsNewSuggested;
    if (delayMs === null) await condition(due);
    else await condition(due, Math.max(1, Math.ceil(delayMs)));
  }

  private async execute(operationId: string): Promise<void> {
    if (this.fruitless > 0) await this.wait(Math.min(60_000, 500 * 2 ** Math.min(this.fruitless, 10)));
    this.fruitless += 1;
    this.attemptEnded = false;
    try {
      const { outcome, receipt } = await execute({ operationId });
      if (outcome === 'claimed' && receipt !== null) this.fruitless = 0;
    } catch (thrown) {
      // How far it came is not known here; the ledger and the receiver know.
      this.attemptEnded = true;
      log.warn('The attempt ended without a receipt; the receiver will be asked.', {
        operationId,
        error: String(thrown),
      });
    }
  }

  async act(operationId: string, next: NextStep): Promise<void> {
    switch (next.step) {
      case 'await_decision':
        return this.wait(next.delayMs);
      case 'await_object':
        return this.wait(null);
      case 'await_evidence':
        return this.wait(next.delayMs);
      case 'execute':
        return this.execute(operationId);
      case 'reconcile':
        this.fruitless = 0;
        this.attemptEnded = false;
        await reconcile({ operationId });
        return undefined;
      case 'finished':
        return undefined;
    }
  }
}

/**
 * Ends the run and leaves the ledger as it is. After a claim the receiver is asked first, and an effect that turns out
 * to have happened is the run's result: nobody is to be told "cancelled" of it.
 */
async function endCancelled(review: Review, loop: Loop, { status }: State): Promise<Result> {
  const claimed = holdsObject(status.state);
  if (claimed) await reconcile({ operationId: status.operationId });
  const { state, result } = claimed ? (await loop.read(status.operationId)).status : status;
  await condition(allHandlersFinished);
  if (result) return result;
  throw new CancelledFailure(
    `The review of ${review.caseId ?? 'the case'} was cancelled; its operation stays ${state}.`,
  );
}

/**
 * Waits for a workflow task in which nothing is answered: the successor must not start in one that answers an update,
 * whose caller could be left without the answer.
 */
async function quietTask(): Promise<void> {
  do {
    await condition(allHandlersFinished);
    await sleep(1);
  } while (!allHandlersFinished());
}

async function run(review: Review, args: readonly unknown[], carried: Carried | null): Promise<Result> {
  let operationId = carried?.operationId ?? (await admit(review, args));
  const loop = new Loop(review);
  for (;;) {
    const state = await loop.read(operationId);
    operationId = state.status.operationId;
    if (state.next.step === 'finished' && state.status.result) {
      await condition(allHandlersFinished);
      return state.status.result;
    }
    const { cancelled } = review;
    if (cancelled) return endCancelled(review, loop, state);
    await loop.act(operationId, state.next);
    if (!workflowInfo().continueAsNewSuggested) continue;
    await quietTask();
    // A cancellation is of this run; its successor would not know of it.
    if (!review.cancelled) {
      await continueAsNew<(input: unknown, carried: Carried) => Promise<Result>>(args[0], {
        operationId,
        refusals: review.refusals,
        head: review.head,
      });
    }
  }
}

/**
 * Workflow type `reviewOperation`; argument: one case (contract, section 2). Result: contract, section 3.
 * No message of any shape fails the workflow task, and no message but a recorded decision moves the operation.
 */
export async function reviewOperation(...args: unknown[]): Promise<Result> {
  const carried = carriedOver(args);
  const review = new Review(carried);
  registerHandlers(review);
  const scope = CancellationScope.current();
  scope.cancelRequested.catch((thrown: unknown) => {
    if (isCancellation(thrown)) review.cancelled = true;
  });
  return CancellationScope.nonCancellable(() => run(review, args, carried));
}
