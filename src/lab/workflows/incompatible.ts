/** A careless deploy: workflow code that begins with one step more than the runs that are waiting have recorded. */
import { sleep, type WorkflowInterceptorsFactory } from '@temporalio/workflow';

export const interceptors: WorkflowInterceptorsFactory = () => ({
  inbound: [
    {
      async execute(input, next) {
        await sleep(1);
        return next(input);
      },
    },
  ],
});
