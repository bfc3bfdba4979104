/** A directory of its own for each test: case files, a state directory, commands run there, both databases read. */
import { randomUUID } from 'node:crypto';
import { cpSync, existsSync, lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import Database from 'better-sqlite3';
import { onTestFinished } from 'vitest';
import type { CaseInput } from '../../src/core/case.ts';
import type { State } from '../../src/core/states.ts';
import { openSqliteLedger } from '../../src/ledger/sqlite/ledger.ts';
import { decide } from '../../src/operations/decide.ts';
import { propose } from '../../src/operations/propose.ts';
import { noCrashPoints, type CrashPoint } from '../../src/ports/crash-points.ts';
import { openPorts, type OpenPorts } from '../../src/worker/open-ports.ts';
import { prepareStateDirectory } from '../../src/worker/state-directory.ts';
import {
  documentOf,
  endCommands,
  runCommand,
  startCommand,
  type Finished,
  type ProcessOptions,
  type RunningCommand,
} from '../support/processes.ts';

export interface Answered<T> {
  readonly code: number | null;
  readonly answer: T;
}

/** How every failure is reported with --json. */
export interface Fault {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
  readonly pointer: string | null;
}

export interface StoredOperation {
  readonly state: State;
  readonly attempts: number;
  readonly run_id: string | null;
  readonly workflow_id: string | null;
  /** How many runs have not been told of a change. */
  readonly untold: number;
}

/** A case nobody else uses. */
export function caseFile(content: Partial<CaseInput> = {}): CaseInput {
  return {
    caseId: `T-${randomUUID().slice(0, 8)}`,
    action: 'record_support_review',
    body: 'The restart after update 4.2 is a known firmware issue.',
    evidence: [{ sourceId: 'KB-311', version: 3, quotation: 'Update 4.2 can restart the unit.' }],
    policy: { label: 'support-review/1', allowanceUnits: 9 },
    ...content,
  };
}

/** Every row of every table as text; BLOBs in hexadecimal. Reads a copy, so that looking leaves no trace. */
function dumpOf(database: string): string {
  const copy = mkdtempSync(join(tmpdir(), 'countersign-dump-'));
  try {
    for (const suffix of ['', '-wal']) {
      if (existsSync(database + suffix)) cpSync(database + suffix, join(copy, `copy.db${suffix}`));
    }
    const db = new Database(join(copy, 'copy.db'), { fileMustExist: true });
    try {
      const tables = db.prepare<[], { name: string; sql: string | null }>(
        "SELECT name, sql FROM sqlite_schema WHERE type = 'table' ORDER BY name",
      );
      const binary = (_key: string, value: unknown): unknown => {
        const bytes = value as { type?: unknown; data?: number[] } | null;
        return bytes?.type === 'Buffer' ? Buffer.from(bytes.data ?? []).toString('hex') : value;
      };
      return tables
        .all()
        .map(({ name, sql }) => {
          const rows = db.prepare(`SELECT * FROM "${name}"`).all();
          return [`# ${name} ${sql ?? ''}`, ...rows.map((row) => JSON.stringify(row, binary))].join('\n');
        })
        .join('\n');
    } finally {
      db.close();
    }
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** Names, modes and contents of everything below a directory; a missing directory has no entries. */
export function listing(directory: string): Record<string, string> {
  if (!existsSync(directory)) return {};
  const entries = readdirSync(directory, { recursive: true, encoding: 'utf8' }).sort();
  return Object.fromEntries(
    entries.map((name) => {
      const path = join(directory, name);
      const stat = lstatSync(path);
      const content = stat.isFile() ? createHash('sha256').update(readFileSync(path)).digest('hex') : 'no file';
      return [relative(directory, path), `${(stat.mode & 0o7777).toString(8)} ${content}`];
    }),
  );
}

export class Sandbox {
  readonly directory: string;
  readonly state: string;
  private readonly started: RunningCommand[] = [];

  constructor() {
    this.directory = mkdtempSync(join(tmpdir(), 'countersign-cli-'));
    this.state = join(this.directory, 'state');
  }

  get ledgerFile(): string {
    return join(this.state, 'ledger.db');
  }

  get receiverFile(): string {
    return join(this.state, 'receiver.db');
  }

  /** Writes a file: text and bytes as they are, anything else as JSON. Answers its path. */
  file(name: string, content: unknown): string {
    const path = join(this.directory, name);
    const raw = typeof content === 'string' || content instanceof Uint8Array;
    writeFileSync(path, raw ? content : JSON.stringify(content));
    return path;
  }

  /** Runs a command of the application driver on this state directory. */
  command(args: readonly string[], options: ProcessOptions = {}): Promise<Finished> {
    const global = ['--driver', 'application', '--state', this.state];
    return runCommand([...global, ...args], { cwd: this.directory, ...options });
  }

  /** A command that goes on until it is stopped, here or by `close`. */
  start(args: readonly string[], options: ProcessOptions = {}): RunningCommand {
    const command = startCommand(['--state', this.state, ...args], { cwd: this.directory, ...options });
    this.started.push(command);
    return command;
  }

  /** A finished command of the application driver with --json; the answer must be exactly one document. */
  async ask<T = Record<string, unknown>>(
    args: readonly string[],
    options: ProcessOptions = {},
  ): Promise<Answered<T & { error?: Fault }>> {
    const finished = await this.command(['--json', ...args], options);
    return { code: finished.code, answer: documentOf(finished) as T & { error?: Fault } };
  }

  /** What came before the act, in this process and quickly. */
  async arrange<T>(act: (ports: OpenPorts) => Promise<T>): Promise<T> {
    const ports = openPorts(prepareStateDirectory(this.state), { crash: noCrashPoints });
    try {
      return await act(ports);
    } finally {
      ports.close();
    }
  }

  /** Proposes a case and answers its operation identity. `ageMs`: how long ago that was, by the ledger's clock. */
  async proposed(content: Partial<CaseInput> = {}, ageMs = 0): Promise<{ operationId: string; caseId: string }> {
    const input = caseFile(content);
    const by = { executor: 'test', run: null };
    if (ageMs === 0) {
      const { operationId } = await this.arrange((ports) => propose(ports, input, by));
      return { operationId, caseId: input.caseId };
    }
    await this.arrange(async () => undefined);
    const ledger = openSqliteLedger(this.ledgerFile, { clock: { now: () => Date.now() - ageMs } });
    try {
      const { operationId } = await propose({ ledger } as OpenPorts, input, by);
      return { operationId, caseId: input.caseId };
    } finally {
      ledger.close();
    }
  }

  async decided(operationId: string, approved: boolean, reviewer = 'rosa'): Promise<void> {
    const message = { operationId, approved, reviewer, ...(approved ? {} : { reason: 'not now' }) };
    const by = { caseId: null, requestId: null, via: 'command' } as const;
    const { outcome } = await this.arrange((ports) => decide(ports, message, by));
    if (outcome !== 'recorded') throw new Error(`The decision was not recorded: ${outcome}`);
  }

  /** A proposal whose approver died at a crash point. */
  async crashedAt(point: CrashPoint, content: Partial<CaseInput> = {}) {
    const proposed = await this.proposed(content);
    const approve = ['approve', proposed.operationId, '--reviewer', 'rosa', '--crash-at', point];
    const { code } = await this.command(approve);
    if (code !== 17) throw new Error(`It did not die at ${point}: ${code}`);
    return proposed;
  }

  /** Approved, claimed, and looked for in vain. */
  async unknown(content: Partial<CaseInput> = {}): Promise<{ operationId: string; caseId: string }> {
    const proposed = await this.proposed(content);
    const { operationId } = proposed;
    await this.decided(operationId, true);
    await this.arrange(async ({ ledger, receiver }) => {
      const { declaration, sequence } = await receiver.describe();
      await ledger.claim({ operationId, declaration, receiverSequence: sequence, executor: 'test' });
      const { receiverId } = declaration;
      const look = { operationId, attempt: 1, declaration, receiverId, receiverSequence: sequence };
      await ledger.observe({ ...look, finding: 'absent', actor: 'test' });
    });
    return proposed;
  }

  /** Both databases, whole. */
  dump(): { ledger: string; receiver: string } {
    return { ledger: dumpOf(this.ledgerFile), receiver: dumpOf(this.receiverFile) };
  }

  rows<T>(file: string, sql: string, ...values: (string | number)[]): T[] {
    const db = new Database(file, { fileMustExist: true });
    try {
      const statement = db.prepare<unknown[], T>(sql);
      if (statement.reader) return statement.all(...values);
      statement.run(...values);
      return [];
    } finally {
      db.close();
    }
  }

  operation(operationId: string): StoredOperation | null {
    const sql = `SELECT state, attempts, workflow_id, run_id,
      (SELECT count(*) FROM runs WHERE runs.operation_id = o.operation_id AND untold > 0) AS untold
      FROM operations o WHERE operation_id = ?`;
    return this.rows<StoredOperation>(this.ledgerFile, sql, operationId)[0] ?? null;
  }

  operations(): number {
    return this.rows<{ n: number }>(this.ledgerFile, 'SELECT count(*) AS n FROM operations')[0]?.n ?? 0;
  }

  decisions(): { operation_id: string; approved: number; reviewer: string }[] {
    return this.rows(this.ledgerFile, 'SELECT operation_id, approved, reviewer FROM decisions');
  }

  effects(): string[] {
    const rows = this.rows<{ operation_id: string }>(this.receiverFile, 'SELECT operation_id FROM effects ORDER BY 1');
    return rows.map(({ operation_id }) => operation_id);
  }

  /** What a test would otherwise have to wait for: the end of a lease, or that it has not come yet. */
  leaseEnds(operationId: string, atMs: number): void {
    const sql = 'UPDATE attempts SET lease_until_ms = ? WHERE operation_id = ? AND answer IS NULL';
    this.rows(this.ledgerFile, sql, atMs, operationId);
  }

  async close(): Promise<void> {
    await endCommands(this.started);
    rmSync(this.directory, { recursive: true, force: true });
  }
}

/** For one test: its processes are ended and its files removed when it is over. */
export function sandbox(): Sandbox {
  const created = new Sandbox();
  onTestFinished(() => created.close());
  return created;
}
