/** What the use cases need from outside. Both drivers pass the same things; only who calls, and from where, differs. */
import type { RecoverySettings } from '../core/recovery.ts';
import type { DeploymentMinimums } from '../core/rules.ts';
import type { CrashPoints } from '../ports/crash-points.ts';
import type { Drafter } from '../ports/drafter.ts';
import type { Ledger } from '../ports/ledger.ts';
import type { Receiver } from '../ports/receiver.ts';

export interface Ports {
  readonly ledger: Ledger;
  readonly receiver: Receiver;
  /** Writes the body of a case that has none; `null`: none is configured, and such a case is malformed. */
  readonly drafter: Drafter | null;
  readonly crash: CrashPoints;
  readonly recovery: RecoverySettings;
  readonly minimums: DeploymentMinimums;
  /**
   * Tells those runs of operations that changed, or may go on now (their object became free), that the ledger notes as
   * not told; operations in this order. Best effort: a run that was not reached is found by `sweep`. The application
   * driver has no runs to tell.
   */
  wake(operationIds: readonly string[]): Promise<void>;
}
