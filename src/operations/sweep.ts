/**
 * Use case `sweep`: finds what nobody is at work on and passes it on. Nothing polls per run; this is run at worker
 * start, on a schedule, or by hand, over a bounded batch, oldest first.
 */
import { nextLookAtMs } from '../core/recovery.ts';
import type { OperationRecord, OperationView } from '../core/records.ts';
import { openStates } from '../core/states.ts';
import type { Ports } from './ports.ts';
import { everyOperation } from './reading.ts';

export type Passed = 'told' | 'started' | 'driven' | 'nothing' | 'unreachable';

/** How a driver passes an operation on. `alive`: whether somebody is at work on it (a run exists). */
export interface Passing {
  /** Makes sure that somebody is at work on it and knows of every change. */
  pass(operation: OperationRecord): Promise<Passed>;
  alive(operation: OperationRecord): Promise<boolean>;
}

export interface Swept {
  readonly operationId: string;
  readonly caseId: string;
  readonly state: string;
  readonly reason: 'not told' | 'no run' | 'object is free' | 'look is due';
  readonly result: Passed;
}

export interface SweepAnswer {
  readonly looked: number;
  readonly swept: readonly Swept[];
  /** Whether the bound was reached and another sweep would find more. */
  readonly more: boolean;
}

function due(view: OperationView, ports: Ports): Swept['reason'] | null {
  const { operation, heldBy } = view;
  switch (operation.state) {
    case 'Approved':
      return heldBy === null ? 'object is free' : null;
    case 'Executing':
      return view.ledgerTimeMs >= (view.attempts.at(-1)?.leaseUntilMs ?? 0) ? 'look is due' : null;
    case 'Unknown':
      return view.ledgerTimeMs >= nextLookAtMs(view, ports.recovery) ? 'look is due' : null;
    default:
      return null;
  }
}

/** `limit`: the most operations looked at in one sweep. Sequential, so the rate is bounded by the answers. */
export async function sweep(ports: Ports, passing: Passing, limit: number): Promise<SweepAnswer> {
  const swept: Swept[] = [];
  const seen = new Set<string>();
  const pass = async (operation: OperationRecord, reason: Swept['reason']): Promise<void> => {
    const { operationId, caseId, state } = operation;
    swept.push({ operationId, caseId, state, reason, result: await passing.pass(operation) });
  };
  for await (const operation of everyOperation(ports.ledger, { untold: true })) {
    if (seen.size >= limit) return { looked: seen.size, swept, more: true };
    seen.add(operation.operationId);
    await pass(operation, 'not told');
  }
  for await (const operation of everyOperation(ports.ledger, { states: openStates })) {
    if (seen.has(operation.operationId)) continue;
    if (seen.size >= limit) return { looked: seen.size, swept, more: true };
    seen.add(operation.operationId);
    if (!(await passing.alive(operation))) {
      await pass(operation, 'no run');
      continue;
    }
    const view = await ports.ledger.view(operation.operationId);
    const reason = view && due(view, ports);
    if (reason) await pass(operation, reason);
  }
  return { looked: seen.size, swept, more: false };
}
