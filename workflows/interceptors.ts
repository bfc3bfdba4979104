/**
 * Makes a run that was reset read the ledger: what its history said after that point is gone, and nobody will say it
 * again, while the ledger has gone on. A new seed is how the SDK hears of a reset, each time it replays it.
 *
 * Passes signals of any other name to one handler that notes them as refused. A default signal handler cannot do that:
 * with one set, the SDK fails the workflow task at a name that begins with its reserved prefix, again and again.
 * A worker that does not load this ignores such signals, and leaves a reset run to a sweep or a `recheck`.
 */
import { defaultPayloadConverter } from '@temporalio/common';
import type { WorkflowInterceptorsFactory } from '@temporalio/workflow';
import { approvalSignal, recheckSignal, unknownSignal } from './messages.ts';

/** As the SDK hands a signal of that name over: a job knows its own kind. */
const recheck = () => ({
  variant: 'signalWorkflow' as const,
  signalWorkflow: { signalName: recheckSignal.name, input: [], headers: {} },
});

/**
 * The SDK's own state, because it hands a new seed to nobody: the same array until a reset brings another. Without it a
 * reset run is not noticed, and nothing else is lost.
 */
const seedNow = (): unknown =>
  (globalThis as { __TEMPORAL_ACTIVATOR__?: { randomnessSeed?: unknown } }).__TEMPORAL_ACTIVATOR__?.randomnessSeed ??
  null;

const handled: readonly string[] = [approvalSignal.name, recheckSignal.name, unknownSignal.name];

export const interceptors: WorkflowInterceptorsFactory = () => {
  let seed: unknown = null;
  return {
    internals: [
      {
        activate(input, next) {
          for (const { signalWorkflow: signal } of input.activation.jobs ?? []) {
            const name = signal?.signalName ?? '';
            if (!signal || handled.includes(name)) continue;
            signal.signalName = unknownSignal.name;
            signal.input = [defaultPayloadConverter.toPayload(name), ...(signal.input ?? [])];
          }
          const now = seedNow();
          if (seed !== null && now !== seed) input.activation.jobs?.push(recheck());
          seed = now;
          next(input);
        },
      },
    ],
  };
};
