/**
 * The embedded receiver: a SQLite file of its own that records each effect once. It deduplicates, its look-up is
 * authoritative, it remembers for ever, and it belongs to the first ledger that used it.
 */
import { createHash, randomUUID } from 'node:crypto';
import type { Database } from 'better-sqlite3';
import { CountersignError } from '../core/errors.ts';
import type { ReceiverDeclaration } from '../core/recovery.ts';
import { noCrashPoints, type CrashPoints } from '../ports/crash-points.ts';
import { systemClock, type Clock } from '../ports/clock.ts';
import type { EffectRequest, Look, Receipt, Receiver, StoredEffect } from '../ports/receiver.ts';
import { migrate } from '../sqlite/migrate.ts';
import { heldFile } from '../sqlite/held-file.ts';
import { asStoreError, openDatabase, type FileKind } from '../sqlite/open.ts';

/** The mark is "CsRc". */
const file: FileKind = {
  name: 'receiver',
  damaged: 'receiver_damaged',
  unavailable: 'receiver_unavailable',
  applicationId: 0x43735263,
};

export interface SqliteReceiverOptions {
  /** The ledger that may use it. A receiver that is bound to another one is refused at once. */
  readonly ledgerId: string;
  readonly clock?: Clock;
  readonly crash?: CrashPoints;
}

function metaValue(db: Database, key: string, fresh: () => string): string {
  const get = db.prepare<[string], { value: string }>('SELECT value FROM meta WHERE key = ?');
  const stored = get.get(key);
  if (stored) return stored.value;
  db.prepare('INSERT OR IGNORE INTO meta (key, value) VALUES (?, ?)').run(key, fresh());
  return get.get(key)?.value ?? fresh();
}

function bind(db: Database, ledgerId: string): void {
  const bound = metaValue(db, 'ledger_id', () => ledgerId);
  if (bound === ledgerId) return;
  throw new CountersignError('receiver_foreign', {
    message: `The receiver belongs to ${bound}; this ledger is ${ledgerId}.`,
  });
}

interface EffectRow {
  payload_sha256: string;
}

interface StoredRow extends EffectRow {
  operation_id: string;
  sequence: number;
  payload: Buffer;
  attempt: number;
  ledger_id: string;
  ledger_hash: string;
}

function statements(db: Database) {
  return {
    newest: db.prepare<[], Pick<StoredRow, 'operation_id' | 'ledger_hash' | 'sequence'>>(
      'SELECT operation_id, ledger_hash, sequence FROM effects ORDER BY sequence DESC LIMIT 1',
    ),
    effect: db.prepare<[string], EffectRow>('SELECT payload_sha256 FROM effects WHERE operation_id = ?'),
    // Effects are never deleted, so the greatest sequence is the count that only grows.
    sequence: db.prepare<[], { sequence: number }>('SELECT coalesce(max(sequence), 0) AS sequence FROM effects'),
    insert: db.prepare(
      `INSERT INTO effects (operation_id, sequence, payload, payload_sha256, attempt, ledger_id, ledger_sequence,
         ledger_hash, recorded_at_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
  };
}

/**
 * Opens (and where needed creates) the receiver at `path`.
 * Throws `receiver_foreign`, `receiver_damaged`, `state_unusable`, `ledger_pragmas` or `ledger_unavailable`.
 */
export function openSqliteReceiver(path: string, options: SqliteReceiverOptions): Receiver {
  const { ledgerId, clock = systemClock, crash = noCrashPoints } = options;
  const db = openDatabase(path, file);
  try {
    migrate(db, new URL('./migrations/', import.meta.url), file);
    bind(db, ledgerId);
    const receiverId = metaValue(db, 'receiver_id', () => `receiver-${randomUUID()}`);
    return receiverOver(db, { receiverId, ledgerId, clock, crash, refuseIfGone: heldFile(path, file) });
  } catch (thrown) {
    db.close();
    throw asStoreError(thrown, file);
  }
}

interface Bound {
  readonly receiverId: string;
  readonly ledgerId: string;
  readonly clock: Clock;
  readonly crash: CrashPoints;
  readonly refuseIfGone: () => void;
}

function receiverOver(db: Database, { receiverId, ledgerId, clock, crash, refuseIfGone }: Bound): Receiver {
  const { effect, newest, sequence, insert } = statements(db);
  const declaration: ReceiverDeclaration = {
    receiverId,
    deduplicates: true,
    lookup: 'authoritative',
    retentionMs: null,
  };
  const currentSequence = (): number => sequence.get()?.sequence ?? 0;

  const record = db.transaction((request: EffectRequest): Receipt => {
    if (request.ledgerId !== ledgerId) throw new CountersignError('receiver_foreign');
    const payloadSha256 = createHash('sha256').update(request.payload).digest('hex');
    const stored = effect.get(request.operationId);
    const last = currentSequence();
    if (stored) {
      const answer = stored.payload_sha256 === payloadSha256 ? 'exists' : 'conflict';
      return { answer, receiverId, sequence: last };
    }
    insert.run(
      request.operationId,
      last + 1,
      request.payload,
      payloadSha256,
      request.attempt,
      request.ledgerId,
      request.ledgerSequence,
      request.ledgerHash,
      clock.now(),
    );
    return { answer: 'created', receiverId, sequence: last + 1 };
  });

  /** SQLite answers at once; the port is asynchronous because other destinations are not. */
  function promised<T>(act: () => T): Promise<T> {
    try {
      // An effect in a file that nobody will read again is none, and what is absent from it may be elsewhere.
      refuseIfGone();
      const answer = act();
      refuseIfGone();
      return Promise.resolve(answer);
    } catch (thrown) {
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- an armed crash point may throw anything
      return Promise.reject(asStoreError(thrown, file));
    }
  }

  return {
    describe: () =>
      promised(() => {
        const row = newest.get();
        const witness = row ? { operationId: row.operation_id, ledgerHash: row.ledger_hash } : null;
        return { declaration, sequence: row?.sequence ?? 0, newest: witness };
      }),
    commit: (request) =>
      promised(() => {
        const receipt = record.immediate(request);
        crash.reach('receiver.committed');
        return receipt;
      }),
    lookup: (operationId) =>
      promised((): Look => {
        const stored = effect.get(operationId);
        return { receiverId, sequence: currentSequence(), payloadSha256: stored?.payload_sha256 ?? null };
      }),
    effects: () => storedEffects(db),
    close: () => db.close(),
  };
}

/** In order of their recording, one page at a time. */
async function* storedEffects(db: Database): AsyncGenerator<StoredEffect> {
  const page = db.prepare<[number], StoredRow>('SELECT * FROM effects WHERE sequence > ? ORDER BY sequence LIMIT 100');
  for (let after = 0; ;) {
    const rows = page.all(after);
    for (const row of rows) {
      yield {
        operationId: row.operation_id,
        ledgerHash: row.ledger_hash,
        payloadSha256: row.payload_sha256,
        recomputedSha256: createHash('sha256').update(row.payload).digest('hex'),
        attempt: row.attempt,
        ledgerId: row.ledger_id,
      };
    }
    const last = rows.at(-1);
    if (!last) return;
    after = last.sequence;
  }
}
