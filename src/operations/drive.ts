/**
 * The application driver's way on: one process takes an operation as far as it can go now and says where it stopped.
 * No engine waits for anything; somebody runs the next command.
 */
import { CountersignError } from '../core/errors.ts';
import type { NextStep } from '../core/next-step.ts';
import type { ClaimOutcome } from '../core/outcomes.ts';
import type { Status } from '../core/presentation.ts';
import { execute } from './execute.ts';
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
 * Executes, asks or claims again, as the ledger says. An attempt of somebody else whose lease runs is asked about, but
 * its absence is not recorded: it may still be on its way.
 */
export async function drive(ports: Ports, operationId: string, executor: string): Promise<DriveAnswer> {
  let claim: ClaimOutcome | null = null;
  let why: string | null = null;
  let current = operationId;
  for (let step = 0; ; step += 1) {
    const state = await readState(ports, {
      operationId: current,
      knownOperationId: current,
      head: null,
      executor,
      run: null,
      attemptEnded: false,
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
      const answer = await execute(ports, current, executor);
      claim = answer.outcome;
      why = answer.why;
      if (claim !== 'claimed' && claim !== 'completed') return { status: answer.status, next, claim, why };
    } else {
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
