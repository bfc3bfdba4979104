/** Use case `uncertainty`: since when an outcome is not known, when it is asked about next, and what it blocks. */
import { isoTime } from '../core/presentation.ts';
import { nextLookAtMs } from '../core/recovery.ts';
import type { OperationView } from '../core/records.ts';
import type { Ports } from './ports.ts';

export interface ShownUncertainty {
  /** The first claim: any attempt since then may be the one that had the effect. */
  readonly since: string;
  readonly ageSeconds: number;
  /** How often the receiver was asked. */
  readonly looks: number;
  /** From when on the next look is due; whether somebody takes it then is up to the run, or to the next sweep. */
  readonly nextLookAt: string;
  /** The first operations that wait for the object, oldest first; `blockedCount` is how many there are. */
  readonly blocks: readonly string[];
  readonly blockedCount: number;
}

/** How many blocked operations are named; the count says how many there are. */
const mostNamed = 20;

/** `null` for an operation that is not Unknown. Throws store errors. */
export async function uncertaintyOf(
  ports: Pick<Ports, 'ledger' | 'recovery'>,
  view: OperationView,
): Promise<ShownUncertainty | null> {
  const [first] = view.attempts;
  if (view.operation.state !== 'Unknown' || !first) return null;
  const { operationId } = view.operation;
  const { looks, blocks, blockedCount } = await ports.ledger.uncertainty(operationId, mostNamed);
  return {
    since: isoTime(first.claimedAtMs),
    ageSeconds: Math.floor((view.ledgerTimeMs - first.claimedAtMs) / 1000),
    looks,
    nextLookAt: isoTime(nextLookAtMs(view, ports.recovery)),
    blocks,
    blockedCount,
  };
}
