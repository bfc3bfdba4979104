/** What arms with an engine have in common: workers, runs, and Temporal's own ways to run something again. */
import { randomUUID } from 'node:crypto';
import { WorkflowNotFoundError } from '@temporalio/client';
import type { Service } from '../../cli/demo/processes.ts';
import { ExperimentFault, type Child } from '../experiment.ts';
import type { Fault } from '../settings.ts';
import { existsSync, writeFileSync } from 'node:fs';
import { World, type GivenCase, type Shown } from './world.ts';

type Worker = Service & { readonly child: Child };

export abstract class EngineWorld extends World {
  protected worker: Worker | null = null;

  abstract startRun(given: GivenCase, workflowId: string): Promise<string>;

  /** What a person does about runs that no worker can go on with. */
  abstract finishStuck(shown: Shown): Promise<void>;

  async open(): Promise<void> {
    await this.x.startServer();
  }

  async carry(fault: Fault | null = null): Promise<void> {
    if (this.worker) throw new ExperimentFault('A worker runs already.');
    this.worker = await this.x.worker(fault);
  }

  /** The next deploy's worker, whose workflow code does not fit what waiting runs have recorded. */
  async carryIncompatible(): Promise<void> {
    this.worker = await this.x.worker(null, true);
  }

  async rest(): Promise<void> {
    const { worker } = this;
    this.worker = null;
    await worker?.stop();
    this.x.note('engine', 'worker-ended');
  }

  private get running(): Worker {
    if (!this.worker) throw new ExperimentFault('No worker runs.');
    return this.worker;
  }

  async reached(): Promise<void> {
    const { child } = this.running;
    await this.x.until('the worker stands at the fault', () => (existsSync(child.reached) ? true : null));
  }

  async kill(): Promise<void> {
    const worker = this.running;
    await this.reached();
    worker.kill('SIGKILL');
    await worker.exited;
    this.worker = null;
    this.x.note('fault', 'worker-killed', { worker: worker.child.by });
  }

  async died(): Promise<void> {
    const worker = this.running;
    const code = await this.x.until('the worker ends by its fault', () =>
      Promise.race([worker.exited, new Promise<null>((resolve) => setTimeout(() => resolve(null), 20))]),
    );
    if (code !== 42) throw new ExperimentFault(`The worker ended with ${code}, not with 42.`);
    this.worker = null;
    this.x.note('fault', 'worker-exited', { worker: worker.child.by, code });
  }

  proceed(): void {
    const { child } = this.running;
    writeFileSync(child.release, '', { mode: 0o600 });
    this.x.note('fault', 'worker-released', { worker: child.by });
  }

  async heldBeside(shown: Shown): Promise<void> {
    const { child, kill } = this.running;
    await this.reached();
    kill('SIGSTOP');
    this.x.note('fault', 'worker-stopped', { worker: child.by, signal: 'SIGSTOP' });
    const { child: other } = await this.x.worker(null);
    await this.x.until('another worker has been answered', () => (this.x.answeredBy(other.by) ? true : null));
    await this.settle([shown]);
    this.proceed();
    kill('SIGCONT');
    await this.x.until('the held attempt has been answered', () => (this.x.answeredBy(child.by) ? true : null));
  }

  async attempted(): Promise<void> {
    await this.x.until('an attempt has ended', () => (this.x.attemptEnded() ? true : null));
  }

  async resume(): Promise<void> {
    // A worker that lives goes on by itself.
    if (!this.worker) await this.carry();
  }

  /** kill -9 of the server while the worker stands at its fault; then the server again, and the worker goes on. */
  async killServer(): Promise<void> {
    await this.reached();
    await this.x.killServer();
    await this.x.startServer();
    this.proceed();
  }

  async loseServerFile(): Promise<void> {
    await this.x.killServer();
    this.x.loseFile('temporal.db');
    await this.x.startServer();
  }

  protected noteRun(workflowId: string, runId: string): void {
    if (!this.x.runs.some((run) => run.runId === runId)) this.x.runs.push({ workflowId, runId });
  }

  /** `workflow reset` to the end of the first workflow task; signals since then are applied again. */
  async reset({ workflowId }: Shown): Promise<void> {
    const { client } = this.x;
    const handle = client.workflow.getHandle(workflowId);
    const { runId } = await handle.describe();
    const { events } = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    const first = events?.find(({ workflowTaskCompletedEventAttributes }) => workflowTaskCompletedEventAttributes);
    if (!first?.eventId) throw new ExperimentFault('The run has no completed workflow task.');
    const answer = await client.workflowService.resetWorkflowExecution({
      namespace: client.options.namespace,
      workflowExecution: { workflowId, runId },
      reason: 'lab',
      requestId: randomUUID(),
      workflowTaskFinishEventId: first.eventId,
    });
    this.noteRun(workflowId, answer.runId);
    this.x.note('fault', 'workflow-reset', { workflowId, runId: answer.runId });
  }

  /** Deletes every run of a case; returns when the server no longer knows them. */
  async deleteRuns({ workflowId }: Shown): Promise<void> {
    const { client } = this.x;
    const { namespace } = client.options;
    for (const { runId } of this.x.runs.filter((run) => run.workflowId === workflowId)) {
      await client.workflowService.deleteWorkflowExecution({ namespace, workflowExecution: { workflowId, runId } });
      await this.x.until('the run is deleted', async () => {
        try {
          await client.workflow.getHandle(workflowId, runId).describe();
          return null;
        } catch (thrown) {
          if (thrown instanceof WorkflowNotFoundError) return true;
          throw thrown;
        }
      });
    }
    this.x.note('fault', 'runs-deleted', { workflowId });
  }

  /** Whether a run waits for nothing but a message, or will never go on by itself. */
  protected async runRests(workflowId: string, waits: (workflowId: string) => Promise<boolean>): Promise<boolean> {
    try {
      const { status, raw } = await this.x.client.workflow.getHandle(workflowId).describe();
      if (status.name !== 'RUNNING') return true;
      // A workflow task that fails again and again needs a person.
      if ((raw.pendingWorkflowTask?.attempt ?? 0) >= 3) return true;
      if ((raw.pendingActivities ?? []).length > 0 || raw.pendingWorkflowTask) return false;
      return await waits(workflowId);
    } catch (thrown) {
      if (thrown instanceof WorkflowNotFoundError) return true;
      throw thrown;
    }
  }
}
