/** The SQLite ledger: each port method is one immediate transaction, committed before its promise resolves. */
import type { Database } from 'better-sqlite3';
import { CountersignError } from '../../core/errors.ts';
import { defaultRecovery } from '../../core/recovery.ts';
import { systemClock } from '../../ports/clock.ts';
import type { OperationView } from '../../core/records.ts';
import { noCrashPoints, type CrashPoint } from '../../ports/crash-points.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { migrate } from '../../sqlite/migrate.ts';
import { heldFile } from '../../sqlite/held-file.ts';
import { asStoreError, openDatabase, type FileKind } from '../../sqlite/open.ts';
import { createStore, type Store, type StoreSettings } from './store.ts';
import { admit } from './transactions/admit.ts';
import { revise, settle, withdraw } from './transactions/change.ts';
import { claim } from './transactions/claim.ts';
import { decide, recordedDecision } from './transactions/decide.ts';
import { keepDraft } from './transactions/draft.ts';
import { complete, observe } from './transactions/evidence.ts';
import { resolve } from './transactions/resolve.ts';
import { acceptRestore, isKnown, refuseSuspect, suspect } from './transactions/restore.ts';

/** The mark is "CsLg". */
const file: FileKind = {
  name: 'ledger',
  damaged: 'ledger_damaged',
  unavailable: 'ledger_unavailable',
  applicationId: 0x43734c67,
};

function unknownOperation(operationId: string): CountersignError {
  return new CountersignError('not_found', { message: `The ledger has no operation ${operationId}.` });
}

type Runner = <T>(body: () => T, after?: CrashPoint) => Promise<T>;

interface Runners {
  /** One immediate transaction: the write lock is taken at its start, never upgraded to. */
  readonly write: Runner;
  /** One snapshot for several statements. */
  readonly read: Runner;
  /** Statements whose answers cannot change any more, or that are asked again later. */
  readonly look: Runner;
}

function runners(db: Database, store: Store, refuseIfGone: () => void): Runners {
  // better-sqlite3 is synchronous: the body runs to its commit before anything else in this process does.
  const run = db.transaction((body: () => unknown) => {
    // What would be recorded in vain is not recorded.
    refuseIfGone();
    return body();
  });
  const guarded = <T>(act: () => T, after?: CrashPoint): Promise<T> => {
    try {
      const result = act();
      // Before anybody is told.
      refuseIfGone();
      if (after) store.settings.crash.reach(after);
      return Promise.resolve(result);
    } catch (thrown) {
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- an armed crash point may throw anything
      return Promise.reject(asStoreError(thrown, file));
    }
  };
  return {
    write: (body, after) => guarded(() => run.immediate(body) as ReturnType<typeof body>, after),
    read: (body) => guarded(() => run.deferred(body) as ReturnType<typeof body>),
    look: (body) => guarded(body),
  };
}

function found<T>(answer: T | null, operationId: string): T {
  if (answer === null) throw unknownOperation(operationId);
  return answer;
}

/** Reading needs no strict clock: a view shows at least the newest entry's time. */
const readTime = (store: Store): number => Math.max(store.settings.clock.now(), store.journal.lastAtMs() ?? 0);

function viewNow(store: Store, operationId: string): OperationView | null {
  const operation = store.operations.get(operationId);
  return operation && store.viewOf(operation, readTime(store));
}

function writingMethods(store: Store, { write, read, look }: Runners) {
  return {
    admit: (input) => write(() => admit(store, input), 'propose.after-commit'),
    decide: async (input) =>
      (await look(() => recordedDecision(store, input))) ?? write(() => decide(store, input), 'decide.after-commit'),
    revise: (input) => write(() => revise(store, input)),
    withdraw: (input) => write(() => withdraw(store, input)),
    claim: async (input) => {
      // Completed never changes: whoever claims it again is told so without waiting for a lock.
      const settled = await look(() => store.operations.state(input.operationId) === 'Completed');
      if (settled) return { outcome: 'completed', why: null, view: null, claim: null };
      return write(() => found(claim(store, input), input.operationId), 'claim.after-commit');
    },
    complete: (input) => write(() => found(complete(store, input), input.operationId), 'complete.after-commit'),
    observe: (input) => write(() => found(observe(store, input), input.operationId), 'reconcile.after-commit'),
    resolve: (input) => write(() => resolve(store, input), 'resolve.after-commit'),
    settle: async (operationId, asker = null) => {
      const due = await look(() => {
        const state = store.operations.state(operationId);
        return state === 'Pending' || state === 'Approved';
      });
      return due ? write(() => settle(store, operationId, asker)) : read(() => viewNow(store, operationId));
    },
    setObject: ({ objectId, version, scope, permitted, actor }) =>
      write(() => {
        const before = store.objects.get(objectId);
        const object = {
          objectId,
          version,
          scope: scope ?? before?.scope ?? 'default',
          permitted: permitted ?? before?.permitted ?? true,
        };
        store.objects.put(object);
        store.journal.append({ subject: `object/${objectId}`, actor, what: 'object set', detail: object }, store.now());
        return object;
      }),
    noteRun: async (operationId, noted) => {
      if (await look(() => store.runs.has(operationId, noted))) return false;
      return write(() => {
        if (store.operations.state(operationId) === null) throw unknownOperation(operationId);
        if (store.runs.has(operationId, noted)) return false;
        const { workflowId, runId } = noted;
        store.operations.setRun(operationId, workflowId, runId);
        store.runs.note(operationId, noted);
        const detail = { workflowId, runId };
        store.journal.append({ subject: operationId, actor: 'run', what: 'reviewed by a run', detail }, store.now());
        return true;
      });
    },
    witness: async (seen) => {
      // Almost always known: no write lock is taken for that.
      if (await read(() => isKnown(store, seen))) return;
      await write(() => {
        if (!isKnown(store, seen)) suspect(store, seen);
      });
      await read(() => refuseSuspect(store));
    },
    keepDraft: (draft) => write(() => keepDraft(store, draft)),
    acceptRestore: (input) => write(() => acceptRestore(store, input)),
    noteTold: (operationId, workflowId, changes) =>
      write(() => {
        store.runs.noteTold(operationId, workflowId, changes);
      }),
  } satisfies Partial<Ledger>;
}

function readingMethods(db: Database, store: Store, { read, look }: Runners) {
  return {
    summary: (operationId) => look(() => store.summaries.get(operationId)),
    view: (operationId) => read(() => viewNow(store, operationId)),
    follow: (operationId) =>
      read(() => {
        let operation = store.operations.get(operationId);
        while (operation?.revisedTo) operation = store.operations.get(operation.revisedTo);
        return operation && store.viewOf(operation, readTime(store));
      }),
    current: (caseId) =>
      read(() => {
        const operation = store.operations.newestOfCase(caseId);
        return operation && store.viewOf(operation, readTime(store));
      }),
    list: ({ states = [], caseId = null, after = 0, limit, untold = false }) =>
      read(() =>
        untold ? store.operations.untold(after, limit) : store.operations.page({ states, caseId, after, limit }),
      ),
    runs: (operationId) => look(() => store.runs.of(operationId)),
    draftOf: (requestId) => read(() => ({ draft: store.drafts.get(requestId), ledgerTimeMs: readTime(store) })),
    draftRequests: () => read(() => store.drafts.requests()),
    journal: (subject) => read(() => store.journal.of(subject)),
    observations: (operationId) => read(() => store.observations.of(operationId)),
    uncertainty: (operationId, limit) =>
      read(() => {
        const operation = store.operations.get(operationId);
        if (!operation) throw unknownOperation(operationId);
        const { ids, count } = store.operations.blockedBy(operation.object.id, operationId, limit);
        return { looks: store.observations.count(operationId), blocks: ids, blockedCount: count };
      }),
    refuseIfSuspect: () => read(() => refuseSuspect(store)),
    subjects: () => read(() => store.journal.subjects()),
    checkFile: () =>
      read(() => {
        const said = db.pragma('integrity_check') as { integrity_check: string }[];
        const dangling = db.pragma('foreign_key_check') as { table: string }[];
        return [
          ...said.map((row) => row.integrity_check).filter((text) => text !== 'ok'),
          ...dangling.map((row) => `a row of ${row.table} refers to nothing`),
        ];
      }),
  } satisfies Partial<Ledger>;
}

/**
 * Opens (and where needed creates) the ledger at `path`. The directory must exist and belong to this user.
 * Throws `state_unusable`, `ledger_damaged`, `ledger_version`, `ledger_pragmas` or `ledger_unavailable`.
 */
export function openSqliteLedger(path: string, settings: Partial<StoreSettings> = {}): Ledger {
  const db = openDatabase(path, file);
  try {
    migrate(db, new URL('./migrations/', import.meta.url), file);
    const store = createStore(db, {
      clock: systemClock,
      crash: noCrashPoints,
      recovery: defaultRecovery,
      minimums: {},
      ...settings,
    });
    const run = runners(db, store, heldFile(path, file));
    return {
      ledgerId: store.ledgerId,
      ...writingMethods(store, run),
      ...readingMethods(db, store, run),
      close: () => db.close(),
    };
  } catch (thrown) {
    db.close();
    throw asStoreError(thrown, file);
  }
}
