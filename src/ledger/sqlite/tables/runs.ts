/** Table `runs`: which runs asked to be told of an operation, and of how many changes each has not been told. */
import type { Database } from 'better-sqlite3';
import type { FollowingRun, RunReference } from '../../../ports/ledger.ts';

interface Row {
  workflow_id: string;
  run_id: string;
  untold: number;
}

export function runsTable(db: Database) {
  const of = db.prepare<[string], Row>(
    `SELECT workflow_id, run_id, untold FROM runs WHERE operation_id = ?
     ORDER BY untold > 0 DESC, workflow_id LIMIT 100`,
  );
  const has = db.prepare<[string, string, string]>(
    'SELECT 1 FROM runs WHERE operation_id = ? AND workflow_id = ? AND run_id = ?',
  );
  // A run that is noted reads the ledger afterwards: what was recorded before need not be told to it.
  const note = db.prepare<[string, string, string]>(
    `INSERT INTO runs (operation_id, workflow_id, run_id) VALUES (?, ?, ?)
     ON CONFLICT (operation_id, workflow_id) DO UPDATE SET run_id = excluded.run_id, untold = 0`,
  );
  const inherit = db.prepare<[string, string]>(
    `INSERT INTO runs (operation_id, workflow_id, run_id) SELECT ?, workflow_id, run_id FROM runs WHERE operation_id = ?
     ON CONFLICT (operation_id, workflow_id) DO NOTHING`,
  );
  // Another run under the asker's workflow id did not ask: it may have replaced one that was terminated.
  const untold = db.prepare<[string, string | null, string | null]>(
    `UPDATE runs SET untold = untold + 1
     WHERE operation_id = ? AND (workflow_id IS NOT ? OR run_id IS NOT ?)`,
  );
  const told = db.prepare<[string, string, number]>(
    'UPDATE runs SET untold = 0 WHERE operation_id = ? AND workflow_id = ? AND untold = ?',
  );
  return {
    /** At most 100, those not told first. */
    of: (operationId: string): FollowingRun[] =>
      of.all(operationId).map((row) => ({ workflowId: row.workflow_id, runId: row.run_id, untold: row.untold })),
    has: (operationId: string, run: RunReference) => has.get(operationId, run.workflowId, run.runId) !== undefined,
    note: (operationId: string, run: RunReference) => note.run(operationId, run.workflowId, run.runId),
    /** Who was to be told of `from` is to be told of what follows it. */
    inherit: (operationId: string, from: string) => inherit.run(operationId, from),
    /** One more change that every run but the one that asked for it has to be told of. */
    noteChange: (operationId: string, asker: RunReference | null) =>
      untold.run(operationId, asker?.workflowId ?? null, asker?.runId ?? null),
    /** Nothing is noted where another change came meanwhile. */
    noteTold: (operationId: string, workflowId: string, changes: number) => told.run(operationId, workflowId, changes),
  };
}
