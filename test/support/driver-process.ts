/** One process of the application driver at a state directory, for races of its use cases at one barrier. */
import type { CaseInput } from '../../src/core/case.ts';
import type { Resolution } from '../../src/core/records.ts';
import { resolve, revise, withdraw } from '../../src/operations/change.ts';
import { decide } from '../../src/operations/decide.ts';
import { propose } from '../../src/operations/propose.ts';
import { reconcile } from '../../src/operations/reconcile.ts';
import { readState } from '../../src/operations/state.ts';
import { noCrashPoints } from '../../src/ports/crash-points.ts';
import { openPorts, type OpenPorts } from '../../src/worker/open-ports.ts';
import { prepareStateDirectory } from '../../src/worker/state-directory.ts';
import { answerLines } from './reply-process.ts';

export type DriverCommand =
  | { readonly do: 'open'; readonly directory: string }
  | {
      readonly do: 'decide';
      readonly operationId: string;
      readonly approved: boolean;
      readonly reviewer: string;
      readonly notBeforeMs?: number;
    }
  | { readonly do: 'revise'; readonly caseId: string; readonly operationId: string; readonly body: string }
  | { readonly do: 'withdraw'; readonly operationId: string }
  | { readonly do: 'propose'; readonly content: CaseInput }
  | { readonly do: 'resolve'; readonly operationId: string; readonly resolution: Resolution }
  | { readonly do: 'reconcile'; readonly operationId: string }
  /** What a look at the clock brings about: an expiry, where the time has come. */
  | { readonly do: 'read'; readonly operationId: string; readonly notBeforeMs: number };

let ports: OpenPorts | null = null;
const executor = `command:${process.pid}`;

/** The barrier of a deadline is the clock. */
async function until(ms: number): Promise<void> {
  while (Date.now() < ms) await new Promise((turn) => setImmediate(turn));
}

async function run(command: DriverCommand): Promise<unknown> {
  if (command.do === 'open') {
    ports?.close();
    ports = openPorts(prepareStateDirectory(command.directory), { crash: noCrashPoints });
    return ports.ledger.ledgerId;
  }
  if (!ports) throw new Error('nothing is open');
  const by = { caseId: null, via: 'command' } as const;
  switch (command.do) {
    case 'decide': {
      const { operationId, approved, reviewer, notBeforeMs = 0 } = command;
      await until(notBeforeMs);
      return decide(ports, { operationId, approved, reviewer }, { ...by, requestId: executor });
    }
    case 'revise': {
      const { operationId: expectedOperationId, body, caseId } = command;
      return revise(ports, { expectedOperationId, revisedBy: 'ed', body }, { caseId, executor, via: 'command' });
    }
    case 'withdraw':
      return withdraw(ports, { operationId: command.operationId, by: 'drafter', reason: 'not needed' }, by);
    case 'propose':
      return propose(ports, command.content, { executor, run: null });
    case 'resolve': {
      const { operationId, resolution } = command;
      const reference = resolution === 'effect_happened' ? { reference: 'row 7' } : {};
      return resolve(ports, { operationId, resolution, operator: 'olga', reason: 'looked', ...reference }, by);
    }
    case 'reconcile':
      return reconcile(ports, command.operationId, { executor, askAboutSettled: true });
    case 'read': {
      await until(command.notBeforeMs);
      const { operationId } = command;
      const asked = { operationId, knownOperationId: operationId, head: null, attemptEnded: false };
      return (await readState(ports, { ...asked, executor, run: null })).status;
    }
  }
}

await answerLines(run);
