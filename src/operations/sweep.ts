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
  /** Whether the bound was reached before everything was looked at. */
  readonly more: boolean;
  /** Where to go on then (`SweepBounds.from`); another sweep from the start would look at the same ones again. */
  readonly next: number | null;
}

export interface SweepBounds {
  /** The most operations looked at in one sweep. */
  readonly limit: number;
  /** `next` of the sweep that this one goes on after. Default: from the start. */
  readonly from?: number | null;
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

/** One operation after the other: first those whose runs were not told, then every open one, oldest first. */
export async function sweep(ports: Ports, passing: Passing, bounds: SweepBounds): Promise<SweepAnswer> {
  const { limit, from = null, perSecond = defaultPerSecond, wait = pause } = bounds;
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
  const bounded = (after: number): SweepAnswer => ({ looked: seen.size, swept, more: true, next: after });
  if (from === null) {
    for await (const operation of everyOperation(ports.ledger, { untold: true })) {
      // Those that are told now are not found by the next sweep, which comes to the others.
      if (!(await next(operation))) return bounded(0);
      await pass(operation, 'not told');
    }
  }
  let after = from ?? 0;
  for await (const operation of everyOperation(ports.ledger, { states: openStates, after })) {
    if (seen.has(operation.operationId)) continue;
    if (!(await next(operation))) return bounded(after);
    after = operation.sequence;
    if (!(await passing.alive(operation))) {
      await pass(operation, 'no run');
      continue;
    }
    const view = await ports.ledger.view(operation.operationId);
    const reason = view && due(view, ports);
    if (reason) await pass(operation, reason);
  }
  return { looked: seen.size, swept, more: false, next: null };
}
