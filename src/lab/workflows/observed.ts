/** Tells the worker’s process when workflow code begins, and whether it begins again from history. Adds no command. */
import { proxySinks, workflowInfo, type Sinks, type WorkflowInterceptorsFactory } from '@temporalio/workflow';

export interface LabSinks extends Sinks {
  lab: { started(replaying: boolean): void };
}

export const interceptors: WorkflowInterceptorsFactory = () => ({
  inbound: [
    {
      execute(input, next) {
        proxySinks<LabSinks>().lab.started(workflowInfo().unsafe.isReplaying);
        return next(input);
      },
    },
  ],
});
