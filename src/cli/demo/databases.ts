/** Both databases of a state directory, read past the code that wrote them. Draft text never leaves them. */
import { createHash } from 'node:crypto';
import Database from 'better-sqlite3';

type Row = Readonly<Record<string, unknown>>;

export function rows<T = Row>(file: string, sql: string, ...values: readonly string[]): T[] {
  const db = new Database(file, { readonly: true, fileMustExist: true });
  try {
    return db.prepare<string[], T>(sql).all(...values);
  } finally {
    db.close();
  }
}

export function sqliteVersion(): string {
  const db = new Database(':memory:');
  try {
    return db.prepare<[], { version: string }>('SELECT sqlite_version() AS version').get()?.version ?? '';
  } finally {
    db.close();
  }
}

export const count = (file: string, table: string): number =>
  rows<{ n: number }>(file, `SELECT count(*) AS n FROM ${table}`)[0]?.n ?? 0;

export const stateOf = (ledger: string, operationId: string): string =>
  rows<{ state: string }>(ledger, 'SELECT state FROM operations WHERE operation_id = ?', operationId)[0]?.state ??
  'absent';

export const effectsOf = (receiver: string, operationId: string): number =>
  rows(receiver, 'SELECT 1 FROM effects WHERE operation_id = ?', operationId).length;

/** Every table, as FILE.TABLE, with its number of rows and a digest of all of them, whatever their order. */
export type Fingerprints = Readonly<Record<string, { readonly rows: number; readonly sha256: string }>>;

const asText = (row: Row): string =>
  JSON.stringify(row, (_key, value: unknown) => (Buffer.isBuffer(value) ? value.toString('hex') : value));

function fingerprintsOf(name: string, file: string): [string, { rows: number; sha256: string }][] {
  const tables = rows<{ name: string }>(
    file,
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
  );
  return tables.map((table) => {
    const all = rows(file, `SELECT * FROM "${table.name}"`).map(asText).sort();
    const sha256 = createHash('sha256').update(all.join('\n')).digest('hex');
    return [`${name}.${table.name}`, { rows: all.length, sha256 }];
  });
}

export function fingerprints({ ledger, receiver }: { ledger: string; receiver: string }): Fingerprints {
  return Object.fromEntries([...fingerprintsOf('ledger', ledger), ...fingerprintsOf('receiver', receiver)]);
}

/** Tables that differ. */
export const changed = (before: Fingerprints, after: Fingerprints): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (table) => before[table]?.sha256 !== after[table]?.sha256,
  );

/** What the evidence keeps of a ledger: everything but bodies, quotations and policies. */
export const ledgerRecords = (file: string): Readonly<Record<string, Row[]>> => ({
  operations: rows(
    file,
    `SELECT sequence, operation_id, case_id, action, evidence_id, policy_id, object_id, object_version, state, attempts,
       human_edited, revision_of, revised_to, workflow_id, run_id FROM operations ORDER BY sequence`,
  ),
  decisions: rows(file, 'SELECT * FROM decisions ORDER BY decided_at_ms'),
  attempts: rows(file, 'SELECT * FROM attempts ORDER BY claimed_at_ms'),
  observations: rows(file, 'SELECT * FROM observations ORDER BY sequence'),
  journal: rows(file, 'SELECT * FROM journal ORDER BY sequence'),
});

/** What the evidence keeps of a receiver: everything but the payloads themselves. */
export const receiverRecords = (file: string): Readonly<Record<string, Row[]>> => ({
  effects: rows(
    file,
    `SELECT operation_id, sequence, length(payload) AS payload_bytes, payload_sha256, attempt, ledger_id,
       ledger_sequence, ledger_hash, recorded_at_ms FROM effects ORDER BY sequence`,
  ),
});
