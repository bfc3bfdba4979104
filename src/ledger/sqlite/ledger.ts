/** The SQLite ledger: each port method is one immediate transaction, committed before its promise resolves. */
import type { Database } from 'better-sqlite3';
import { CountersignError } from '../../core/errors.ts';
import { defaultRecovery } from '../../core/recovery.ts';
import { systemClock } from '../../ports/clock.ts';
import { noCrashPoints, type CrashPoint } from '../../ports/crash-points.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { migrate } from '../../sqlite/migrate.ts';
import { asStoreError, openDatabase, type FileKind } from '../../sqlite/open.ts';
import { createStore, type Store, type StoreSettings } from './store.ts';
import { admit } from './transactions/admit.ts';
import { revise, settle, withdraw } from './transactions/change.ts';
import { claim } from './transactions/claim.ts';
import { decide } from './transactions/decide.ts';
import { complete, observe } from './transactions/evidence.ts';
import { resolve } from './transactions/resolve.ts';
import { acceptRestore, isKnown, refuseSuspect, suspect } from './transactions/restore.ts';

/** The mark is "CsLg". */
const file: FileKind = { name: 'ledger', damaged: 'ledger_damaged', applicationId: 0x43734c67 };

function unknownOperation(operationId: string): CountersignError {
  return new CountersignError('not_found', { message: `The ledger has no operation ${operationId}.` });
}

type Runner = <T>(body: () => T, after?: CrashPoint) => Promise<T>;

function runners(db: Database, store: Store): { write: Runner; read: Runner } {
  // better-sqlite3 is synchronous: the body runs to its commit before anything else in this process does.
  const run = db.transaction((body: () => unknown) => body());
  const guarded = <T>(act: () => T, after?: CrashPoint): Promise<T> => {
    try {
      const result = act();
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
  };
}

function found<T>(answer: T | null, operationId: string): T {
  if (answer === null) throw unknownOperation(operationId);
  return answer;
}

function writingMethods(store: Store, write: Runner, read: Runner) {
  return {
    admit: (input) => write(() => admit(store, input), 'propose.after-commit'),
    decide: (input) => write(() => decide(store, input), 'decide.after-commit'),
    revise: (input) => write(() => revise(store, input)),
    withdraw: (input) => write(() => withdraw(store, input)),
    claim: (input) => write(() => found(claim(store, input), input.operationId), 'claim.after-commit'),
    complete: (input) => write(() => found(complete(store, input), input.operationId), 'complete.after-commit'),
    observe: (input) => write(() => found(observe(store, input), input.operationId), 'reconcile.after-commit'),
    resolve: (input) => write(() => resolve(store, input), 'resolve.after-commit'),
    settle: (operationId) => write(() => settle(store, operationId)),
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
    noteRun: (operationId, { workflowId, runId }) =>
      write(() => {
        const operation = store.operations.get(operationId);
        if (!operation) throw unknownOperation(operationId);
        if (operation.workflowId === workflowId && operation.runId === runId) return;
        store.operations.setRun(operationId, workflowId, runId);
        const detail = { workflowId, runId };
        store.journal.append({ subject: operationId, actor: 'run', what: 'reviewed by a run', detail }, store.now());
      }),
    witness: async (seen) => {
      // Almost always known: no write lock is taken for that.
      if (await read(() => isKnown(store, seen))) return;
      await write(() => {
        if (!isKnown(store, seen)) suspect(store, seen);
      });
      await read(() => refuseSuspect(store));
    },
    acceptRestore: (input) => write(() => acceptRestore(store, input)),
    noteTold: (operationId) =>
      write(() => {
        store.operations.setUntold(operationId, false);
      }),
  } satisfies Partial<Ledger>;
}

function readingMethods(db: Database, store: Store, read: Runner) {
  /** Reading needs no strict clock: a view shows at least the newest entry's time. */
  const readTime = (): number => Math.max(store.settings.clock.now(), store.journal.lastAtMs() ?? 0);
  const view = (operationId: string) => {
    const operation = store.operations.get(operationId);
    return operation && store.viewOf(operation, readTime());
  };
  return {
    view: (operationId) => read(() => view(operationId)),
    follow: (operationId) =>
      read(() => {
        let operation = store.operations.get(operationId);
        while (operation?.revisedTo) operation = store.operations.get(operation.revisedTo);
        return operation && store.viewOf(operation, readTime());
      }),
    current: (caseId) =>
      read(() => {
        const operation = store.operations.newestOfCase(caseId);
        return operation && store.viewOf(operation, readTime());
      }),
    list: ({ states = [], caseId = null, after = 0, limit, untold = false }) =>
      read(() => store.operations.page({ states, caseId, after, limit, untold })),
    journal: (subject) => read(() => store.journal.of(subject)),
    observations: (operationId) => read(() => store.observations.of(operationId)),
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
    const { write, read } = runners(db, store);
    return {
      ledgerId: store.ledgerId,
      ...writingMethods(store, write, read),
      ...readingMethods(db, store, read),
      close: () => db.close(),
    };
  } catch (thrown) {
    db.close();
    throw asStoreError(thrown, file);
  }
}
