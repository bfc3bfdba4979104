/** The approval counts, its receipt is lost with the worker, and a new worker finds out what happened. */
import { changed, count, fingerprints, rows, stateOf, type Fingerprints } from '../databases.ts';
import { recordedIdentity } from '../expectations.ts';
import { bounds, within, type Service } from '../processes.ts';
import type { Stage } from '../stage.ts';
import { runResult, runStatus, signalApproval } from '../temporal.ts';
import { reviewId } from './names.ts';
import { countersignWorker } from './workers.ts';

const receiptLost = (stage: Stage, worker: Service) =>
  stage.step('The approval that counts, and a lost receipt', async (scene) => {
    const { ledger } = scene.scratch.review;
    await signalApproval(scene, reviewId, { operationId: recordedIdentity, approved: true, reviewer: 'alice' });
    const exit = scene.observe('lost.worker', (await within(bounds.exit, 'its exit', worker.exited)) ?? 'a signal');
    const decisions = scene.observe('lost.decisions', count(ledger, 'decisions'));
    return {
      happened: `Alice approved. The worker (pid ${worker.pid ?? 0}) recorded the effect and died before it could tell anybody.`,
      proof: `the worker exited ${exit}, as armed with --crash-at receiver.committed; decisions in the ledger: ${decisions}.`,
    };
  });

const inBetween = (stage: Stage) =>
  stage.step('In between', async (scene) => {
    const { ledger, receiver } = scene.scratch.review;
    const run = scene.observe('between.run', await runStatus(scene, reviewId));
    const state = scene.observe('between.state', stateOf(ledger, recordedIdentity));
    const effects = scene.observe('between.effects', count(receiver, 'effects'));
    return {
      happened: 'No worker runs. The effect happened, and nobody but the receiver knows.',
      proof: `Temporal says ${run}; the ledger says ${state}; effects at the receiver: ${effects}.`,
    };
  });

const recovered = (stage: Stage) =>
  stage.step('A new worker', async (scene) => {
    const { ledger, receiver } = scene.scratch.review;
    const worker = await countersignWorker(scene);
    stage.workers.push(worker);
    const { result } = await runResult(scene, reviewId);
    const status = scene.observe('recovered.status', result.status);
    const looks = rows<{ finding: string }>(ledger, 'SELECT DISTINCT finding FROM observations');
    const finding = scene.observe('recovered.finding', looks.map((look) => look.finding).join(', '));
    const effects = scene.observe('recovered.effects', count(receiver, 'effects'));
    const attempts = scene.observe('recovered.attempts', count(ledger, 'attempts'));
    const held = rows<{ hash: string }>(receiver, 'SELECT payload_sha256 AS hash FROM effects')[0]?.hash ?? 'none';
    scene.observe('recovered.bytes', recordedIdentity === `op-v1-${held}`);
    return {
      happened: `The new worker (pid ${worker.pid ?? 0}) did not send again; the run asked the receiver and ended: ${status}.`,
      proof: `the look found it ${finding}; effects: ${effects}; attempts: ${attempts}; its bytes hash to ${held.slice(0, 8)}….`,
    };
  });

export interface Unchanged {
  readonly before: Fingerprints;
  readonly after: Fingerprints;
}

const again = (stage: Stage) =>
  stage.step('The same approval again', async (scene) => {
    const { review } = scene.scratch;
    const before = fingerprints(review);
    const { exitCode, answer } = await scene.countersign(review, 'approve', recordedIdentity, '--reviewer', 'alice');
    const after = fingerprints(review);
    const exit = scene.observe('again.exit', exitCode);
    const outcome = scene.observe('again.outcome', answer.outcome ?? 'nothing');
    const differ = scene.observe('again.changes', changed(before, after).length);
    const unchanged: Unchanged = { before, after };
    return {
      unchanged,
      happened: `It was answered ${outcome} (exit ${exit}), and nothing was written.`,
      proof: `of ${Object.keys(after).length} tables in both databases ${differ} differ from before, by the digests of all their rows.`,
    };
  });

const declineNow = (stage: Stage) =>
  stage.step('A decision against it, too late', async (scene) => {
    const { review } = scene.scratch;
    const { exitCode, answer } = await scene.countersign(
      review,
      ...['decline', recordedIdentity, '--reviewer', 'bob', '--reason', 'changed my mind'],
    );
    const exit = scene.observe('decline.exit', exitCode);
    const outcome = scene.observe('decline.outcome', answer.outcome ?? 'nothing');
    const onRecord = rows<{ approved: number; reviewer: string }>(review.ledger, 'SELECT * FROM decisions');
    const stands = onRecord.map(({ approved, reviewer }) => `${approved ? 'approved' : 'declined'} by ${reviewer}`);
    const decision = scene.observe('decline.decision', stands.join(', '));
    const effects = scene.observe('decline.effects', count(review.receiver, 'effects'));
    return {
      happened: `Bob declined what Alice had approved: ${outcome} (exit ${exit}). The first decision stands.`,
      proof: `decisions in the ledger: ${decision}; effects at the receiver: ${effects}.`,
    };
  });

/** `worker`: the armed one. Ends with no worker left. */
export async function tellLostReceipt(stage: Stage, worker: Service): Promise<void> {
  await receiptLost(stage, worker);
  await inBetween(stage);
}

/** Leaves a worker running. Returns both databases around the repeated approval. */
export async function tellRecovery(stage: Stage): Promise<Unchanged> {
  await recovered(stage);
  const { unchanged } = await again(stage);
  await declineNow(stage);
  return unchanged;
}
