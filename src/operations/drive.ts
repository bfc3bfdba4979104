/**
 * The application driver's way on: one process takes an operation as far as it can go now and says where it stopped.
 * No engine waits for anything; somebody runs the next command.
 */
import { CountersignError } from '../core/errors.ts';
import type { NextStep } from '../core/next-step.ts';
import type { ClaimOutcome } from '../core/outcomes.ts';
import type { Status } from '../core/presentation.ts';
import { execute, type ExecuteAnswer } from './execute.ts';
import type { Ports } from './ports.ts';
import { reconcile } from './reconcile.ts';
import { readState } from './state.ts';

export interface DriveAnswer {
  readonly status: Status;
  /** Where it stopped: `finished`, or what it would have to wait for. */
  readonly next: NextStep;
  /** The last claim's outcome; `null` where none was tried. */
  readonly claim: ClaimOutcome | null;
  readonly why: string | null;
}

/** A claim, a look and a re-claim with its look: more steps in one go would only repeat what just failed. */
const mostSteps = 4;

/**
 * One attempt; `answer` is `null` when it claimed and then failed: unless its receipt is recorded, only the receiver knows
 * whether the effect happened. What fails before the claim is thrown. `before`: how many attempts there were.
 */
async function attempt(
  ports: Ports,
  operationId: string,
  by: { readonly executor: string; readonly before: number },
): Promise<{ answer: ExecuteAnswer | null; why: string | null }> {
  try {
    const answer = await execute(ports, operationId, by.executor);
    return { answer, why: answer.why };
  } catch (thrown) {
    const last = (await ports.ledger.view(operationId))?.attempts.at(-1);
    const claimed = last !== undefined && last.attempt > by.before && last.executor === by.executor;
    if (!claimed) throw thrown;
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    const how = last.answer === null ? 'the attempt ended without a receipt' : 'the attempt failed after its receipt';
    return { answer: null, why: `${how}: ${message}` };
  }
}

/**
 * Executes, asks or claims again, as the ledger says. An attempt of somebody else whose lease runs is asked about, but
 * its absence is not recorded: it may still be on its way.
 */
export async function drive(ports: Ports, operationId: string, executor: string): Promise<DriveAnswer> {
  let claim: ClaimOutcome | null = null;
  let why: string | null = null;
  let current = operationId;
  let attemptEnded = false;
  for (let step = 0; ; step += 1) {
    const state = await readState(ports, {
      operationId: current,
      knownOperationId: current,
      head: null,
      executor,
      run: null,
      attemptEnded,
    });
    current = state.status.operationId;
    const { next } = state;
    const foundMeanwhile = next.step === 'await_evidence' && state.status.state === 'Executing';
    if (foundMeanwhile && (await holdsEffect(ports, current))) {
      await reconcile(ports, current, { executor, askAboutSettled: false });
      continue;
    }
    const goesOn = next.step === 'execute' || next.step === 'reconcile';
    if (!goesOn || step >= mostSteps) return { status: state.status, next, claim, why };
    if (next.step === 'execute') {
      const { answer, why: said } = await attempt(ports, current, { executor, before: state.status.attempts });
      claim = answer?.outcome ?? 'claimed';
      why = said;
      attemptEnded = answer === null;
      if (answer && claim !== 'claimed' && claim !== 'completed') return { status: answer.status, next, claim, why };
    } else {
      attemptEnded = false;
      await reconcile(ports, current, { executor, askAboutSettled: false });
    }
  }
}

/** One look that stores nothing: only what it finds is worth recording. */
async function holdsEffect(ports: Ports, operationId: string): Promise<boolean> {
  try {
    const { payloadSha256 } = await ports.receiver.lookup(operationId);
    return payloadSha256 !== null;
  } catch (thrown) {
    if (thrown instanceof CountersignError) return false;
    throw thrown;
  }
}
