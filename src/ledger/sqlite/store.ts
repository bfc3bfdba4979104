/** What every transaction of the SQLite ledger works with: prepared tables, ledger time, and how a view is read. */
import { randomUUID } from 'node:crypto';
import type { Database } from 'better-sqlite3';
import { isUnderstood } from '../../core/admission.ts';
import { CountersignError } from '../../core/errors.ts';
import type { RecoverySettings } from '../../core/recovery.ts';
import type { OperationRecord, OperationView } from '../../core/records.ts';
import type { DeploymentMinimums, Rules } from '../../core/rules.ts';
import { rulesFor } from '../../core/rules.ts';
import type { Event, State } from '../../core/states.ts';
import { nextState } from '../../core/states.ts';
import type { Clock } from '../../ports/clock.ts';
import type { CrashPoints } from '../../ports/crash-points.ts';
import { attemptsTable } from './tables/attempts.ts';
import { decisionsTable } from './tables/decisions.ts';
import { deliveriesTable } from './tables/deliveries.ts';
import { draftsTable } from './tables/drafts.ts';
import { journalTable } from './tables/journal.ts';
import { objectsTable } from './tables/objects.ts';
import { observationsTable } from './tables/observations.ts';
import { operationsTable } from './tables/operations.ts';
import { receiversTable } from './tables/receivers.ts';
import { resolutionsTable } from './tables/resolutions.ts';
import { restorationsTable } from './tables/restorations.ts';
import { runsTable } from './tables/runs.ts';
import { summariesTable } from './tables/summaries.ts';

export interface StoreSettings {
  readonly clock: Clock;
  readonly crash: CrashPoints;
  readonly recovery: RecoverySettings;
  /** What the deployment demands, by action. */
  readonly minimums: DeploymentMinimums;
}

/** A clock this far behind the newest entry is refused; a smaller step back is taken as that entry's time. */
const toleratedStepBackMs = 5 * 60_000;

function readLedgerId(db: Database): string {
  db.prepare(`INSERT OR IGNORE INTO meta (key, value) VALUES ('ledger_id', ?)`).run(`ledger-${randomUUID()}`);
  const row = db.prepare<[], { value: string }>(`SELECT value FROM meta WHERE key = 'ledger_id'`).get();
  if (!row) throw new CountersignError('ledger_damaged', { message: 'The ledger has no id.' });
  return row.value;
}

/** Throws `unsupported_workflow_version`; then only evidence and its proposer move the operation. */
export function refuseUnsupported(operation: OperationRecord): void {
  if (isUnderstood(operation)) return;
  throw new CountersignError('unsupported_workflow_version', {
    message: `${operation.operationId} was proposed for workflow version ${operation.workflowVersion}, which this program does not understand.`,
  });
}

/** The settings, tables and reads that transactions share. */
export function createStore(db: Database, settings: StoreSettings) {
  const existing = db.prepare<[], { value: string }>(`SELECT value FROM meta WHERE key = 'ledger_id'`).get();
  const ledgerId = existing?.value ?? readLedgerId(db);
  const tables = {
    objects: objectsTable(db),
    operations: operationsTable(db),
    decisions: decisionsTable(db),
    deliveries: deliveriesTable(db),
    drafts: draftsTable(db),
    attempts: attemptsTable(db),
    observations: observationsTable(db),
    resolutions: resolutionsTable(db),
    receivers: receiversTable(db),
    restorations: restorationsTable(db),
    runs: runsTable(db),
    summaries: summariesTable(db),
    journal: journalTable(db, ledgerId),
  };

  function now(): number {
    const clockMs = settings.clock.now();
    const lastMs = tables.journal.lastAtMs() ?? clockMs;
    if (clockMs < lastMs - toleratedStepBackMs) {
      throw new CountersignError('clock_behind', {
        message: `The clock says ${new Date(clockMs).toISOString()}; the newest ledger entry is of ${new Date(lastMs).toISOString()}.`,
      });
    }
    return Math.max(clockMs, lastMs);
  }

  function viewOf(operation: OperationRecord, nowMs: number): OperationView {
    const attempts = operation.attempts === 0 ? [] : tables.attempts.of(operation.operationId);
    const sentTo = attempts.at(-1)?.receiverId;
    return {
      operation,
      decision: tables.decisions.get(operation.operationId),
      attempts,
      observations: tables.observations.recent(operation.operationId),
      resolutions: operation.attempts === 0 ? [] : tables.resolutions.of(operation.operationId),
      object: tables.objects.get(operation.object.id),
      heldBy: tables.operations.holder(operation.object.id, operation.operationId),
      headHash: tables.journal.headHash(operation.operationId),
      generation: tables.restorations.generation(),
      lastReceiverSequence: sentTo === undefined ? null : tables.receivers.lastSequence(sentTo),
      ledgerTimeMs: nowMs,
    };
  }

  /** Reads again after a write of the same transaction. */
  function reread(operationId: string, nowMs: number): OperationView {
    const operation = tables.operations.get(operationId);
    if (!operation)
      throw new CountersignError('internal', { message: `${operationId} vanished within a transaction.` });
    return viewOf(operation, nowMs);
  }

  /** Moves an operation along the table of core/states.ts, and nowhere else. Returns the state it left it in. */
  function move(operation: OperationRecord, event: Event): State {
    const state = nextState(operation.state, event);
    if (state === null) {
      throw new CountersignError('internal', { message: `${event} is not an event of state ${operation.state}.` });
    }
    const counts = event === 'claim' || event === 'reclaim' ? 1 : 0;
    // Everything happens in one immediate transaction, so nobody can have been faster; a miss is a fault.
    if (!tables.operations.move(operation, state, operation.attempts + counts)) {
      throw new CountersignError('internal', { message: `${operation.operationId} changed within a transaction.` });
    }
    return state;
  }

  const rules = (operation: { policy: OperationRecord['policy']; action: string }): Rules =>
    rulesFor(operation, settings.minimums);

  return { ledgerId, settings, ...tables, now, viewOf, reread, move, rules };
}

export type Store = ReturnType<typeof createStore>;
