/** A case begins, its source changes, and two approvals that must not count do not count. */
import { count, stateOf } from '../databases.ts';
import { recordedIdentity } from '../expectations.ts';
import type { Service } from '../processes.ts';
import type { Stage } from '../stage.ts';
import { StoryFault } from '../story-fault.ts';
import { refusal, runStatus, signalApproval } from '../temporal.ts';
import { reviewId } from './names.ts';
import { countersignWorker } from './workers.ts';

/** The worker is armed from its start; it has no effect to send until an approval counts. */
const begin = (stage: Stage): Promise<{ readonly worker: Service; readonly operationId: string }> =>
  stage.step('Begin', async (scene) => {
    const { review } = scene.scratch;
    // Both at once: `begin` waits for a worker.
    const [worker, { pid, exitCode, answer }] = await Promise.all([
      countersignWorker(scene, '--crash-at', 'receiver.committed'),
      scene.countersign(review, 'begin', scene.scratch.caseFile('T-1042-first.json'), '--wait', '90'),
    ]);
    const exit = scene.observe('begin.exit', exitCode);
    const outcome = scene.observe('begin.outcome', answer.outcome ?? 'nothing');
    const { operationId } = answer;
    if (operationId === undefined) throw new StoryFault('begin answered no operation identity');
    const run = scene.observe('begin.run', await runStatus(scene, reviewId));
    return {
      worker,
      operationId,
      happened: `Case T-1042 is proposed as ${operationId}. The command (pid ${pid ?? 0}) has ended; the proposal waits.`,
      proof: `it answered ${outcome} and exited ${exit}; Temporal says ${run}; the ledger says ${stateOf(review.ledger, operationId)}.`,
    };
  });

const sourceChanges = (stage: Stage, first: string) =>
  stage.step('The source changes: HOLD-7 is now at version 2', async (scene) => {
    const evidence = scene.scratch.caseFile('T-1042-evidence.json');
    const { exitCode, answer } = await scene.countersign(
      scene.scratch.review,
      ...['revise', 'T-1042', '--expected', first, '--by', 'drafter', '--evidence-file', evidence],
    );
    const exit = scene.observe('source.exit', exitCode);
    const now = scene.observe('source.identity', answer.operationId ?? 'none');
    const known = now === recordedIdentity ? 'equal to' : 'different from';
    return {
      happened: `Other evidence is another proposal: ${now}. The quotation did not change.`,
      proof: `the command exited ${exit}; the identity is ${known} the one that the second implementation recorded.`,
    };
  });

const staleApproval = (stage: Stage, first: string) =>
  stage.step('A stale approval', async (scene) => {
    const { ledger, receiver } = scene.scratch.review;
    await signalApproval(scene, reviewId, { operationId: first, approved: true, reviewer: 'alice' });
    const { outcome } = await refusal(scene, reviewId, 1);
    scene.observe('stale.refusal', outcome);
    const decisions = scene.observe('stale.decisions', count(ledger, 'decisions'));
    const effects = scene.observe('stale.effects', count(receiver, 'effects'));
    return {
      happened:
        'Alice approved the first proposal, from a page she had left open. The server took the signal; it is refused.',
      proof: `the status query shows ${outcome}; decisions in the ledger: ${decisions}; effects at the receiver: ${effects}.`,
    };
  });

const approvalWithoutBoolean = (stage: Stage) =>
  stage.step('An approval that does not say whether', async (scene) => {
    const { ledger, receiver } = scene.scratch.review;
    await signalApproval(scene, reviewId, { operationId: recordedIdentity, reviewer: 'alice' });
    const { outcome, why } = await refusal(scene, reviewId, 2);
    scene.observe('no-boolean.refusal', outcome);
    const decisions = scene.observe('no-boolean.decisions', count(ledger, 'decisions'));
    const effects = scene.observe('no-boolean.effects', count(receiver, 'effects'));
    return {
      happened: 'The right proposal, but without `approved`. Leaving it out is not consent.',
      proof: `the status query shows ${outcome} (${why}); decisions: ${decisions}; effects: ${effects}.`,
    };
  });

/** Returns the worker that will lose the receipt. */
export async function tellRefusals(stage: Stage): Promise<Service> {
  const { operationId, worker } = await begin(stage);
  await sourceChanges(stage, operationId);
  await staleApproval(stage, operationId);
  await approvalWithoutBoolean(stage);
  return worker;
}
