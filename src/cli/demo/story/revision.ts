/** A second case, with Temporal's own commands: an edited body is a new identity, and approvals of the old are stale. */
import { effectsOf, stateOf } from '../databases.ts';
import { readCase } from '../scratch.ts';
import type { Stage } from '../stage.ts';
import { runResult, signalApproval, startRun, update } from '../temporal.ts';
import { secondId } from './names.ts';

export async function tellRevision(stage: Stage): Promise<void> {
  await stage.step('A revision, in a second case', async (scene) => {
    const { review } = scene.scratch;
    const inputFile = scene.scratch.caseFile('T-1043.json');
    await startRun(scene, { workflowId: secondId, type: 'reviewOperation', taskQueue: 'countersign', inputFile });
    const { operationId: old } = await update(scene, secondId, 'prepared');
    const body = `${readCase('T-1043.json').body} We will write again tomorrow.`;
    const revision = JSON.stringify({ expectedOperationId: old, revisedBy: 'carol', body });
    const revisionFile = scene.scratch.write('revision.json', revision);
    const { operationId: now } = await update(scene, secondId, 'revise', revisionFile);
    scene.observe('revision.new', now !== old);

    const { exitCode, answer } = await scene.countersign(review, 'approve', old, '--reviewer', 'alice');
    const exit = scene.observe('revision.old.exit', exitCode);
    const outcome = scene.observe('revision.old.outcome', answer.outcome ?? 'nothing');
    await signalApproval(scene, secondId, { operationId: now, approved: true, reviewer: 'alice' });
    await runResult(scene, secondId);
    const state = scene.observe('revision.state', stateOf(review.ledger, now));
    const effects = `${effectsOf(review.receiver, old)} and ${effectsOf(review.receiver, now)}`;
    scene.observe('revision.effects', effects);
    return {
      happened: `Carol added a sentence: ${old} became ${now}. The old approval is refused, ${outcome} (exit ${exit}).`,
      proof: `after the new one was approved the ledger says ${state}; effects of the old and the new identity: ${effects}.`,
    };
  });
}
