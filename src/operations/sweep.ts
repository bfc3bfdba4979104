/**
 * Use case `sweep`: finds what nobody is at work on and passes it on. Nothing polls per run; this is run at worker
 * start, on a schedule, or by hand, over a bounded batch at a bounded rate, oldest first.
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

export interface SweepBounds {
  /** The most operations looked at in one sweep. */
  readonly limit: number;
  /** The most operations looked at in a second; each costs the server a question or two. Default 200. */
  readonly perSecond?: number;
  /** Waits so many milliseconds. */
  readonly wait?: (ms: number) => Promise<void>;
}

export const defaultPerSecond = 200;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

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

/** One operation after the other: first those whose runs were not told, then every open one. */
export async function sweep(ports: Ports, passing: Passing, bounds: SweepBounds): Promise<SweepAnswer> {
  const { limit, perSecond = defaultPerSecond, wait = pause } = bounds;
  const swept: Swept[] = [];
  const seen = new Set<string>();
  /** `false`: the bound is reached. */
  const next = async ({ operationId }: OperationRecord): Promise<boolean> => {
    if (seen.size >= limit) return false;
    if (seen.size > 0) await wait(1_000 / perSecond);
    seen.add(operationId);
    return true;
  };
  const pass = async (operation: OperationRecord, reason: Swept['reason']): Promise<void> => {
    const { operationId, caseId, state } = operation;
    swept.push({ operationId, caseId, state, reason, result: await passing.pass(operation) });
  };
  for await (const operation of everyOperation(ports.ledger, { untold: true })) {
    if (!(await next(operation))) return { looked: seen.size, swept, more: true };
    await pass(operation, 'not told');
  }
  for await (const operation of everyOperation(ports.ledger, { states: openStates })) {
    if (seen.has(operation.operationId)) continue;
    if (!(await next(operation))) return { looked: seen.size, swept, more: true };
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
