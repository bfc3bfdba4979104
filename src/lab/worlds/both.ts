/** The product: begun and decided with its own command line, carried out by its worker on a Temporal server. */
import { WorkflowIdConflictPolicy, WorkflowIdReusePolicy, type Client } from '@temporalio/client';
import { ExperimentFault } from '../experiment.ts';
import { taskQueue, workflowIdOf, workflowType } from '../../worker/runs.ts';
import { EngineWorld } from './engine.ts';
import {
  answered,
  begun,
  contentOf,
  decisionArgs,
  rests,
  revised,
  run,
  setObject,
  storedState,
  told,
} from './product.ts';
import { isFinal } from '../../core/states.ts';
import { approve, type Change, type Choice, type GivenCase, type Shown, type Told } from './world.ts';

export class BothWorld extends EngineWorld {
  async startRun(given: GivenCase, workflowId: string): Promise<string> {
    const client: Client = this.x.client;
    const handle = await client.workflow.start(workflowType, {
      workflowId,
      taskQueue,
      args: [given],
      workflowTaskTimeout: '5 seconds',
      workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
      workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
    });
    this.noteRun(workflowId, handle.firstExecutionRunId);
    this.x.note('engine', 'run-started', { caseId: given.caseId, workflowId });
    return handle.firstExecutionRunId;
  }

  async begin(given: GivenCase, { workflowId = workflowIdOf(given.caseId) } = {}): Promise<Shown> {
    const { answer, code } = await run(this.x, ['begin', this.x.file('case.json', given)]);
    if (!answer.proposal) throw new ExperimentFault(`begin was answered ${answer.outcome ?? code ?? 'nothing'}.`);
    await this.noteRuns(workflowId);
    return this.noteShown(given, contentOf(given, answer.proposal), workflowId);
  }

  private async noteRuns(workflowId: string): Promise<void> {
    const { runId } = await this.x.client.workflow.getHandle(workflowId).describe();
    this.noteRun(workflowId, runId);
  }

  async submit(given: GivenCase): Promise<string> {
    const workflowId = workflowIdOf(given.caseId);
    await this.startRun(given, workflowId);
    return workflowId;
  }

  async look(given: GivenCase): Promise<Shown> {
    const answer = await this.x.until('a proposal is shown', async () => {
      const { answer: now } = await run(this.x, ['show', given.caseId]);
      return now.proposal ?? null;
    });
    return this.noteShown(given, contentOf(given, answer), workflowIdOf(given.caseId));
  }

  async decide(shown: Shown, choice: Choice): Promise<Told> {
    this.noteAsked(shown, choice);
    const args = decisionArgs(shown.contentId, choice);
    return this.noteTold(shown, choice, told(await answered(this.x.command([...args, '--no-wait']))));
  }

  async revise(shown: Shown, change: Change): Promise<Shown> {
    return this.noteShown(shown, await revised(this, shown, change), shown.workflowId);
  }

  changeObject(objectId: string, change: { version?: number; permitted?: boolean }): Promise<void> {
    return setObject(this.x, objectId, change);
  }

  private async rests({ contentId, workflowId }: Shown, sinceMs: number): Promise<boolean> {
    const stored = storedState(this.x, contentId);
    const nobody = this.worker === null;
    // A run that needs a person, or that is over, moves no more.
    const runOver = await this.runRests(workflowId, () => Promise.resolve(nobody));
    if (runOver || stored === null) return runOver;
    if (nobody) return true;
    return !isFinal(stored.state) && rests(stored, sinceMs);
  }

  async settle(shown: readonly Shown[]): Promise<void> {
    for (const one of shown) {
      let last = '';
      let sinceMs = Date.now();
      await this.x.until(`${one.contentId} rests`, async () => {
        const state = storedState(this.x, one.contentId)?.state ?? '';
        if (state !== last) sinceMs = Date.now();
        last = state;
        return (await this.rests(one, Date.now() - sinceMs)) ? true : null;
      });
    }
  }

  async lookedInVain({ contentId }: Shown): Promise<void> {
    await this.x.until('a look has found nothing, and the outcome is unknown', () =>
      this.x.lookedInVain() && storedState(this.x, contentId)?.state === 'Unknown' ? true : null,
    );
  }

  /** Whether a worker starts on what there is now. */
  private async workerStarts(): Promise<boolean> {
    if (this.worker) return true;
    try {
      await this.carry();
      return true;
    } catch (thrown) {
      this.x.note('engine', 'worker-refused', { why: String(thrown).slice(0, 300) });
      return false;
    }
  }

  async again(given: GivenCase): Promise<void> {
    const content = (await this.workerStarts()) ? await begun(this.x, given) : null;
    const shown = content ? this.noteShown(given, content, workflowIdOf(given.caseId)) : this.asRead(given);
    if (content) await this.noteRuns(shown.workflowId);
    await this.decide(shown, approve);
    if (content) await this.settle([shown]);
  }

  async refusedAtBegin(given: GivenCase): Promise<void> {
    if (await begun(this.x, given)) throw new ExperimentFault('The case was not refused.');
  }

  /** The ledger needs no run: the work is done by a command, and the run learns of it when it can. */
  async finishStuck({ contentId }: Shown): Promise<void> {
    this.x.note('person', 'ran-a-command', { command: 'countersign --driver application sweep' });
    const { exitCode, stderr } = await this.x.commandWithoutEngine(['sweep']).ended;
    if (exitCode !== 0)
      throw new ExperimentFault(`The sweep ended with ${exitCode ?? 'a signal'}: ${stderr.slice(-300)}`);
    await this.x.until('the operation is final', () => {
      const stored = storedState(this.x, contentId);
      return stored && isFinal(stored.state) ? true : null;
    });
  }
}
