/**
 * Passes signals of any other name to one handler that notes them as refused. A default signal handler cannot do that:
 * with one set, the SDK fails the workflow task at a name that begins with its reserved prefix, again and again.
 * A worker that does not load this ignores such signals; nothing else is missing.
 */
import { defaultPayloadConverter } from '@temporalio/common';
import type { WorkflowInterceptorsFactory } from '@temporalio/workflow';
import { approvalSignal, recheckSignal, unknownSignal } from './messages.ts';

const handled: readonly string[] = [approvalSignal.name, recheckSignal.name, unknownSignal.name];

export const interceptors: WorkflowInterceptorsFactory = () => ({
  internals: [
    {
      activate(input, next) {
        for (const { signalWorkflow: signal } of input.activation.jobs ?? []) {
          const name = signal?.signalName ?? '';
          if (!signal || handled.includes(name)) continue;
          signal.signalName = unknownSignal.name;
          signal.input = [defaultPayloadConverter.toPayload(name), ...(signal.input ?? [])];
        }
        next(input);
      },
    },
  ],
});
