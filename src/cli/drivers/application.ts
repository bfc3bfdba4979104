/** The driver without an engine: this very process goes on with the operation, as far as it can. */
import { drive } from '../../operations/drive.ts';
import { propose } from '../../operations/propose.ts';
import { presentStatus } from '../../core/presentation.ts';
import { holdsObject } from '../../core/states.ts';
import { CountersignError } from '../../core/errors.ts';
import type { Context } from '../context.ts';
import type { Driver } from './driver.ts';

export function applicationDriver(context: Context): Driver {
  const { executor } = context;
  return {
    async begin(content) {
      const answer = await propose(context.ports(), content, { executor, run: null });
      return { ...answer, workflowId: null, runId: null };
    },
    async follow(operation, { waitMs }) {
      const ports = context.ports();
      if (waitMs === 0) {
        const view = await ports.ledger.view(operation.operationId);
        if (!view) throw new CountersignError('not_found');
        return { status: presentStatus(view, executor), claim: null, why: null, told: null };
      }
      const { status, claim, why, next } = await drive(ports, operation.operationId, executor);
      const held = next.step === 'await_object';
      const inProgress = next.step === 'await_evidence' && status.state === 'Executing';
      return {
        status,
        claim: claim ?? (held ? 'overlap' : inProgress ? 'in_progress' : null),
        why: why ?? (held ? `${next.heldBy} holds the object` : null),
        told: null,
      };
    },
    tell: () => Promise.resolve(null),
    passing: () =>
      Promise.resolve({
        // Without an engine nobody is at work unless a lease says so: an undecided operation waits for a person.
        alive: () => Promise.resolve(true),
        pass: async (operation) => {
          if (operation.state !== 'Approved' && !holdsObject(operation.state)) return 'nothing';
          await drive(context.ports(), operation.operationId, executor);
          return 'driven';
        },
      }),
    schedule: () =>
      Promise.reject(
        new CountersignError('usage', {
          message: 'Without Temporal there is no schedule.',
          hint: 'Let cron or systemd run `countersign --driver application sweep`.',
        }),
      ),
    close: () => Promise.resolve(),
  };
}
