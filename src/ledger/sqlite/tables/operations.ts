/** Table `operations`: one row per operation identity. Content never changes; preconditions stand in WHERE. */
import type { Database } from 'better-sqlite3';
import type { CheckResult, EvidenceSource, Policy } from '../../../core/case.ts';
import type { OperationRecord } from '../../../core/records.ts';
import type { State } from '../../../core/states.ts';

interface Row {
  sequence: number;
  operation_id: string;
  case_id: string;
  action: string;
  body: Buffer;
  evidence: string;
  policy: string;
  checks: string;
  object_id: string;
  object_version: number;
  object_scope: string;
  object_explicit: number;
  evidence_id: string;
  policy_id: string;
  event_id: string;
  proposed_by: string | null;
  proposed_at_ms: number;
  human_edited: number;
  expires_at_ms: number | null;
  decide_by_ms: number | null;
  workflow_version: number;
  state: State;
  attempts: number;
  revision_of: string | null;
  revised_to: string | null;
  workflow_id: string | null;
  run_id: string | null;
}

const columns = `sequence, operation_id, case_id, action, body, evidence, policy, checks, object_id, object_version,
  object_scope, object_explicit, evidence_id, policy_id, event_id, proposed_by, proposed_at_ms, human_edited,
  expires_at_ms, decide_by_ms, workflow_version, state, attempts, revision_of, revised_to, workflow_id, run_id`;

function record(row: Row): OperationRecord {
  return {
    operationId: row.operation_id,
    sequence: row.sequence,
    caseId: row.case_id,
    action: row.action,
    body: row.body.toString('utf8'),
    evidence: JSON.parse(row.evidence) as EvidenceSource[],
    policy: JSON.parse(row.policy) as Policy,
    checks: JSON.parse(row.checks) as CheckResult[],
    object: { id: row.object_id, version: row.object_version, scope: row.object_scope },
    objectExplicit: row.object_explicit === 1,
    evidenceId: row.evidence_id,
    policyId: row.policy_id,
    eventId: row.event_id,
    proposedBy: row.proposed_by,
    proposedAtMs: row.proposed_at_ms,
    humanEdited: row.human_edited === 1,
    expiresAtMs: row.expires_at_ms,
    decideByMs: row.decide_by_ms,
    workflowVersion: row.workflow_version,
    state: row.state,
    attempts: row.attempts,
    revisionOf: row.revision_of,
    revisedTo: row.revised_to,
    workflowId: row.workflow_id,
    runId: row.run_id,
  };
}

export type NewOperation = Omit<OperationRecord, 'sequence' | 'state' | 'attempts' | 'revisedTo'>;

const open = `('Pending', 'Approved', 'Executing', 'Unknown')`;
const holding = `('Executing', 'Unknown')`;

function reads(db: Database) {
  const byId = db.prepare<[string], Row>(`SELECT ${columns} FROM operations WHERE operation_id = ?`);
  const openOfCase = db.prepare<[string], Row>(
    `SELECT ${columns} FROM operations WHERE case_id = ? AND state IN ${open}`,
  );
  const newestOfCase = db.prepare<[string], Row>(
    `SELECT ${columns} FROM operations WHERE case_id = ? ORDER BY sequence DESC LIMIT 1`,
  );
  const newestIdOfCase = db.prepare<[string], { operation_id: string }>(
    'SELECT operation_id FROM operations WHERE case_id = ? ORDER BY sequence DESC LIMIT 1',
  );
  const state = db.prepare<[string], { state: State }>('SELECT state FROM operations WHERE operation_id = ?');
  const holder = db.prepare<[string, string], { operation_id: string }>(
    `SELECT operation_id FROM operations WHERE object_id = ? AND state IN ${holding} AND operation_id <> ?`,
  );
  const waiting = db.prepare<[string, string], Row>(
    `SELECT ${columns} FROM operations WHERE object_id = ? AND state = 'Approved' AND operation_id <> ?
     ORDER BY sequence LIMIT 100`,
  );
  const blocked = db.prepare<[string, string, number], { operation_id: string; total: number }>(
    `SELECT operation_id, count(*) OVER () AS total FROM operations
     WHERE object_id = ? AND state = 'Approved' AND operation_id <> ? ORDER BY sequence LIMIT ?`,
  );
  const some = (row: Row | undefined): OperationRecord | null => (row ? record(row) : null);
  return {
    get: (operationId: string) => some(byId.get(operationId)),
    openOfCase: (caseId: string) => some(openOfCase.get(caseId)),
    newestOfCase: (caseId: string) => some(newestOfCase.get(caseId)),
    newestIdOfCase: (caseId: string) => newestIdOfCase.get(caseId)?.operation_id ?? null,
    state: (operationId: string) => state.get(operationId)?.state ?? null,
    /** The other operation whose attempt may still land on the object. */
    holder: (objectId: string, except: string) => holder.get(objectId, except)?.operation_id ?? null,
    /** Approved operations that wait for the object, oldest first. */
    waiting: (objectId: string, except: string) => waiting.all(objectId, except).map(record),
    /** The same by name, no more than `limit` of them, and how many there are. */
    blockedBy(objectId: string, except: string, limit: number): { ids: string[]; count: number } {
      const rows = blocked.all(objectId, except, limit);
      return { ids: rows.map((row) => row.operation_id), count: rows[0]?.total ?? 0 };
    },
  };
}

export interface PageFilter {
  readonly states: readonly State[];
  readonly caseId: string | null;
  readonly after: number;
  readonly limit: number;
}

function pages(db: Database) {
  const page = db.prepare<[Record<string, string | number | null>], Row>(
    `SELECT ${columns} FROM operations
     WHERE sequence > :after AND (:caseId IS NULL OR case_id = :caseId)
       AND (:states = '[]' OR state IN (SELECT value FROM json_each(:states)))
     ORDER BY sequence LIMIT :limit`,
  );
  const untold = db.prepare<[number, number], Row>(
    `SELECT ${columns} FROM operations
     WHERE sequence > ? AND operation_id IN (SELECT operation_id FROM runs WHERE untold > 0) ORDER BY sequence LIMIT ?`,
  );
  return {
    page: (filter: PageFilter) =>
      page
        .all({
          after: filter.after,
          caseId: filter.caseId,
          states: JSON.stringify(filter.states),
          limit: filter.limit,
        })
        .map(record),
    /** Operations with a run that has not been told of a change. */
    untold: (after: number, limit: number) => untold.all(after, limit).map(record),
  };
}

function writes(db: Database) {
  const insert = db.prepare(
    `INSERT INTO operations (operation_id, case_id, action, body, evidence, policy, checks, object_id, object_version,
       object_scope, object_explicit, evidence_id, policy_id, event_id, proposed_by, proposed_at_ms, human_edited,
       expires_at_ms, decide_by_ms, workflow_version, state, attempts, revision_of, workflow_id, run_id)
     VALUES (:operationId, :caseId, :action, :body, :evidence, :policy, :checks, :objectId, :objectVersion,
       :objectScope, :objectExplicit, :evidenceId, :policyId, :eventId, :proposedBy, :proposedAtMs, :humanEdited,
       :expiresAtMs, :decideByMs, :workflowVersion, 'Pending', 0, :revisionOf, :workflowId, :runId)`,
  );
  const move = db.prepare<[string, number, string, string, number]>(
    'UPDATE operations SET state = ?, attempts = ? WHERE operation_id = ? AND state = ? AND attempts = ?',
  );
  const revisedTo = db.prepare<[string, string | null, string]>(
    'UPDATE operations SET revised_to = ?, revision_request = ? WHERE operation_id = ?',
  );
  const revisionRequest = db
    .prepare<[string], string | null>('SELECT revision_request FROM operations WHERE operation_id = ?')
    .pluck();
  const run = db.prepare<[string, string, string]>(
    'UPDATE operations SET workflow_id = ?, run_id = ? WHERE operation_id = ?',
  );
  return {
    insert(operation: NewOperation): void {
      const { object, evidence, policy, checks, body, humanEdited, objectExplicit, ...rest } = operation;
      insert.run({
        ...rest,
        body: Buffer.from(body, 'utf8'),
        evidence: JSON.stringify(evidence),
        policy: JSON.stringify(policy),
        checks: JSON.stringify(checks),
        objectId: object.id,
        objectVersion: object.version,
        objectScope: object.scope,
        objectExplicit: objectExplicit ? 1 : 0,
        humanEdited: humanEdited ? 1 : 0,
      });
    },
    /** Moves the row only from the state and attempt it was judged in; `false`: somebody was faster. */
    move(from: OperationRecord, state: State, attempts: number): boolean {
      return move.run(state, attempts, from.operationId, from.state, from.attempts).changes === 1;
    },
    setRevisedTo: (operationId: string, next: string, requestId: string | null) =>
      revisedTo.run(next, requestId, operationId),
    revisionRequest: (operationId: string): string | null => revisionRequest.get(operationId) ?? null,
    setRun: (operationId: string, workflowId: string, runId: string) => run.run(workflowId, runId, operationId),
  };
}

export function operationsTable(db: Database) {
  return { ...reads(db), ...pages(db), ...writes(db) };
}
