/**
 * What is left to read when an experiment is over: its journal, both databases, the runs' own word. Read beside the
 * program, from files and from the server. What could not be read is said, and makes the experiment unknown.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { WorkflowFailedError, WorkflowNotFoundError, type Client } from '@temporalio/client';
import Database from 'better-sqlite3';
import { operationIdOfPayload } from '../identity/index.ts';
import type { Experiment } from './experiment.ts';
import { readJournal, type LabEvent } from './journal.ts';
import { armHasEngine, armHasLedger } from './names.ts';

/** An outcome somebody reports of a content. */
export type Reported = 'happened' | 'did-not-happen' | 'unknown' | 'open';

export interface EffectRow {
  readonly key: string;
  readonly contentId: string;
}

export interface KeptDecision {
  /** `null`: the record does not say which content was decided, only that something was. */
  readonly contentId: string | null;
  readonly workflowId: string | null;
  readonly approved: boolean;
}

export interface Outcome {
  readonly authority: 'engine' | 'ledger';
  /** What was under review there; `null`: nothing says so. */
  readonly contentId: string | null;
  readonly workflowId: string | null;
  readonly outcome: Reported;
  /** As the authority puts it. */
  readonly said: string;
}

export interface Evidence {
  readonly events: readonly LabEvent[];
  readonly effects: readonly EffectRow[];
  readonly decisions: readonly KeptDecision[];
  readonly outcomes: readonly Outcome[];
  /** What could not be read. */
  readonly unread: readonly string[];
}

// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- whoever writes the statement says what its rows are
function rowsOf<T>(path: string, sql: string): readonly T[] {
  const db = new Database(path, { readonly: true, fileMustExist: true });
  try {
    return db.prepare<[], T>(sql).all();
  } finally {
    db.close();
  }
}

function readEffects(x: Experiment): readonly EffectRow[] {
  const path = join(x.state, 'receiver.db');
  if (!existsSync(path)) return [];
  const rows = rowsOf<{ operation_id: string; payload: Buffer }>(path, 'SELECT operation_id, payload FROM effects');
  return rows.map(({ operation_id: key, payload }) => ({ key, contentId: operationIdOfPayload(payload) }));
}

const reportedByState: Readonly<Record<string, Reported>> = {
  Completed: 'happened',
  Declined: 'did-not-happen',
  Superseded: 'did-not-happen',
  Expired: 'did-not-happen',
  Denied: 'did-not-happen',
  Withdrawn: 'did-not-happen',
  Abandoned: 'unknown',
  Unknown: 'unknown',
};

function readLedger(x: Experiment): Pick<Evidence, 'decisions' | 'outcomes'> {
  const path = join(x.state, 'ledger.db');
  if (!existsSync(path)) return { decisions: [], outcomes: [] };
  const operations = rowsOf<{ operation_id: string; state: string; workflow_id: string | null }>(
    path,
    'SELECT operation_id, state, workflow_id FROM operations',
  );
  const decisions = rowsOf<{ operation_id: string; approved: number }>(
    path,
    'SELECT operation_id, approved FROM decisions',
  );
  return {
    decisions: decisions.map((row) => ({
      contentId: row.operation_id,
      workflowId: null,
      approved: row.approved === 1,
    })),
    outcomes: operations.map((row) => ({
      authority: 'ledger' as const,
      contentId: row.operation_id,
      workflowId: row.workflow_id,
      outcome: reportedByState[row.state] ?? 'open',
      said: row.state,
    })),
  };
}

const reportedByStatus: Readonly<Record<string, Reported>> = {
  Committed: 'happened',
  Declined: 'did-not-happen',
  Superseded: 'did-not-happen',
  Expired: 'did-not-happen',
  Denied: 'did-not-happen',
  Withdrawn: 'did-not-happen',
  Abandoned: 'unknown',
};

type RunWord = Omit<Outcome, 'authority' | 'workflowId'>;

async function runWord(client: Client, workflowId: string, runId: string): Promise<RunWord | null> {
  const handle = client.workflow.getHandle(workflowId, runId, { followRuns: false });
  const { status } = await handle.describe();
  if (status.name === 'RUNNING') return { contentId: null, outcome: 'open', said: 'RUNNING' };
  // Whoever terminated a run said nothing about its effect.
  if (status.name === 'TERMINATED' || status.name === 'CONTINUED_AS_NEW') {
    return { contentId: null, outcome: 'unknown', said: status.name };
  }
  try {
    const { status: said, operationId } = (await handle.result()) as { status: string; operationId?: string };
    return { contentId: operationId ?? null, outcome: reportedByStatus[said] ?? 'unknown', said };
  } catch (thrown) {
    if (!(thrown instanceof WorkflowFailedError)) throw thrown;
    return {
      contentId: null,
      outcome: 'did-not-happen',
      said: `failed: ${String(thrown.cause?.message).slice(0, 80)}`,
    };
  }
}

/** The approvals a run's history holds; after a reset they stand in the new run, too. */
async function approvalsIn(client: Client, workflowId: string, runId: string): Promise<KeptDecision[]> {
  const { events } = await client.workflow.getHandle(workflowId, runId).fetchHistory();
  return (events ?? []).flatMap(({ workflowExecutionSignaledEventAttributes: signal }) => {
    const data = signal?.signalName === 'approval' ? signal.input?.payloads?.[0]?.data : null;
    if (!data) return [];
    const { approved } = JSON.parse(Buffer.from(data).toString('utf8')) as { approved: boolean };
    return [{ contentId: null, workflowId, approved }];
  });
}

async function readEngine(x: Experiment): Promise<Pick<Evidence, 'decisions' | 'outcomes'>> {
  const decisions: KeptDecision[] = [];
  const outcomes: Outcome[] = [];
  for (const { workflowId, runId } of x.runs) {
    try {
      const word = await runWord(x.client, workflowId, runId);
      if (word) outcomes.push({ authority: 'engine', workflowId, ...word });
      decisions.push(...(await approvalsIn(x.client, workflowId, runId)));
    } catch (thrown) {
      if (!(thrown instanceof WorkflowNotFoundError)) throw thrown;
      outcomes.push({ authority: 'engine', workflowId, contentId: null, outcome: 'unknown', said: 'gone' });
    }
  }
  return { decisions, outcomes };
}

export async function readEvidence(x: Experiment): Promise<Evidence> {
  const unread: string[] = [];
  async function attempt<T>(what: string, none: T, read: () => T | Promise<T>): Promise<T> {
    try {
      return await read();
    } catch (thrown) {
      unread.push(`${what}: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
      return none;
    }
  }
  const nothing = { decisions: [], outcomes: [] };
  const effects = await attempt('the receiver', [], () => readEffects(x));
  const ledger = armHasLedger(x.arm) ? await attempt('the ledger', nothing, () => readLedger(x)) : nothing;
  const engine = armHasEngine(x.arm) ? await attempt('the runs', nothing, () => readEngine(x)) : nothing;
  const { events, unreadable } = readJournal(x.journal);
  if (unreadable > 0) unread.push(`${unreadable} lines of the journal`);
  return {
    events,
    effects,
    decisions: [...ledger.decisions, ...engine.decisions],
    outcomes: [...engine.outcomes, ...ledger.outcomes],
    unread,
  };
}
