/** The same story the wrong way: a random key per attempt, and Temporal's ordinary retries. */
import { count, rows } from '../databases.ts';
import { bounds, within } from '../processes.ts';
import type { Scene } from '../scene.ts';
import type { Stage } from '../stage.ts';
import { runResult, signalApproval, startRun } from '../temporal.ts';
import type { Lines } from '../told.ts';
import { naiveId } from './names.ts';
import { naiveWorker } from './workers.ts';

const title = 'THE WRONG WAY, to compare: the same story with a random key per attempt';

async function act(scene: Scene): Promise<Lines> {
  const { receiver } = scene.scratch.naive;
  const first = await naiveWorker(scene, 'receiver.committed');
  const inputFile = scene.scratch.caseFile('T-1042.json');
  await startRun(scene, { workflowId: naiveId, type: 'recordWithRandomKey', taskQueue: 'naive', inputFile });
  await signalApproval(scene, naiveId, { approved: true });
  const exit = scene.observe('naive.worker', (await within(bounds.exit, 'its exit', first.exited)) ?? 'a signal');
  const second = await naiveWorker(scene);
  const { status, result } = await runResult(scene, naiveId);
  await second.stop();
  scene.observe('naive.status', status);
  scene.observe('naive.claim', result.effectCount);
  const effects = scene.observe('naive.effects', count(receiver, 'effects'));
  const payloads = rows(receiver, 'SELECT DISTINCT payload_sha256 FROM effects').length;
  scene.observe('naive.payloads', payloads);
  return {
    happened: `The worker lost the receipt (exit ${exit}). Temporal retried, as it should; the new attempt made a new key.`,
    proof: `Temporal says ${status}, the run reports ${result.effectCount} effect; the receiver, made as before, holds ${effects}, with ${payloads} payload.`,
  };
}

/** Begins at once, in its own processes, beside what is told meanwhile. Returns what tells it. */
export function beginNaive(stage: Stage): () => Promise<unknown> {
  const performing = stage.perform(title, act);
  // A failure is reported when it is told.
  performing.catch(() => undefined);
  return () => stage.tell(title, performing);
}
