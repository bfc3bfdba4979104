/** The platform arms: the workflow of common samples, started, signalled and asked by a client. */
import {
  QueryNotRegisteredError,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
} from '@temporalio/client';
import type { CaseInput } from '../../core/case.ts';
import { ExperimentFault } from '../experiment.ts';
import { approvalSignal, editSignal, shownQuery } from '../platform/workflow.ts';
import { platformQueue } from '../platform/queue.ts';
import { EngineWorld } from './engine.ts';
import { approve, type Change, type Choice, type GivenCase, type Shown, type Told } from './world.ts';

const workflowType = 'platformReview';
const workflowIdOf = (caseId: string): string => `review/${caseId}`;

export class PlatformWorld extends EngineWorld {
  async startRun(given: GivenCase, workflowId: string): Promise<string> {
    const { caseId } = given;
    try {
      const handle = await this.x.client.workflow.start(workflowType, {
        workflowId,
        taskQueue: platformQueue,
        args: [given],
        workflowTaskTimeout: '5 seconds',
      });
      this.noteRun(workflowId, handle.firstExecutionRunId);
      this.x.note('engine', 'run-started', { caseId, workflowId });
      return handle.firstExecutionRunId;
    } catch (thrown) {
      if (!(thrown instanceof WorkflowExecutionAlreadyStartedError)) throw thrown;
      this.x.note('engine', 'run-start-refused', { caseId, workflowId, why: 'already started' });
      return (await this.x.client.workflow.getHandle(workflowId).describe()).runId;
    }
  }

  async begin(given: GivenCase, { workflowId = workflowIdOf(given.caseId) } = {}): Promise<Shown> {
    await this.startRun(given, workflowId);
    return this.lookAt(given, workflowId);
  }

  async submit(given: GivenCase): Promise<string> {
    const workflowId = workflowIdOf(given.caseId);
    await this.startRun(given, workflowId);
    return workflowId;
  }

  look(given: GivenCase): Promise<Shown> {
    return this.lookAt(given, workflowIdOf(given.caseId));
  }

  private async lookAt(given: GivenCase, workflowId: string): Promise<Shown> {
    const content = await this.x.until('a proposal is shown', async () => (await this.shown(workflowId)).content);
    return this.noteShown(given, content, workflowId);
  }

  private shown(workflowId: string): Promise<{ phase: string; content: CaseInput | null }> {
    return this.x.client.workflow.getHandle(workflowId).query(shownQuery);
  }

  /** `null` where the run cannot be asked: its code does not fit its history. */
  private async phaseOf(workflowId: string): Promise<string | null> {
    try {
      return (await this.shown(workflowId)).phase;
    } catch (thrown) {
      if (thrown instanceof QueryNotRegisteredError) return null;
      throw thrown;
    }
  }

  async decide(shown: Shown, choice: Choice): Promise<Told> {
    this.noteAsked(shown, choice);
    const handle = this.x.client.workflow.getHandle(shown.workflowId);
    try {
      await handle.signal(approvalSignal, choice);
      return this.noteTold(shown, choice, { acknowledged: true, said: 'signal accepted' });
    } catch (thrown) {
      if (!(thrown instanceof WorkflowNotFoundError)) throw thrown;
      return this.noteTold(shown, choice, { acknowledged: false, said: 'the run is over or gone' });
    }
  }

  async revise(shown: Shown, change: Change): Promise<Shown> {
    const { workflowId } = shown;
    await this.x.client.workflow.getHandle(workflowId).signal(editSignal, change);
    const wanted = JSON.stringify({ ...shown.content, ...change });
    const content = await this.x.until('the edit is shown', async () => {
      const { content: now } = await this.shown(workflowId);
      return now && JSON.stringify(now) === wanted ? now : null;
    });
    return this.noteShown(shown, content, workflowId);
  }

  /** Nothing here knows of objects: the change happens, and nobody is told. */
  changeObject(objectId: string, change: object): Promise<void> {
    this.x.note('fault', 'object-changed', { objectId, change: JSON.stringify(change) });
    return Promise.resolve();
  }

  async settle(shown: readonly Shown[]): Promise<void> {
    for (const { workflowId } of shown) {
      await this.x.until(`the runs of ${workflowId} rest`, async () => {
        const rests = await this.runRests(workflowId, async (id) => {
          if (this.worker === null) return true;
          return (await this.phaseOf(id)) === 'waiting';
        });
        return rests ? true : null;
      });
    }
  }

  lookedInVain(): Promise<void> {
    return Promise.reject(new ExperimentFault('Nobody asks the destination here.'));
  }

  async again(given: GivenCase): Promise<void> {
    const shown = await this.begin(given);
    await this.decide(shown, approve);
    await this.settle([shown]);
  }

  refusedAtBegin(): Promise<void> {
    return Promise.reject(new ExperimentFault('Nothing is refused here.'));
  }

  async finishStuck(shown: Shown): Promise<void> {
    this.x.note('person', 'rolled-the-deploy-back');
    await this.rest();
    await this.carry();
    await this.settle([shown]);
  }
}
