/**
 * A row per crash point: what is on disk when a process dies there, how the case goes on, and where it ends. The tests
 * in test/crash/ hold every row against real processes; docs/recovery.md is generated from the same rows.
 */
import type { State } from '../src/core/states.ts';
import type { CrashPoint } from '../src/ports/crash-points.ts';

/** What both databases hold of one operation. */
export interface Stand {
  /** `null`: the ledger does not have the operation. */
  readonly state: State | null;
  readonly attempts: number;
  readonly effects: number;
  /** Every record of its chain, in order; that a run took note of it is left out. */
  readonly journal: readonly string[];
}

/** What the process was doing: each is one command of the application driver, and one step of a run. */
export type Act = 'begin' | 'approve' | 'reconcile' | 'resolve';

export interface CrashRow {
  readonly point: CrashPoint;
  readonly act: Act;
  /** Where the point lies. */
  readonly gap: string;
  readonly atCrash: Stand;
  /** What a new worker does, or a command where `process` says so. */
  readonly temporal: string;
  /** What the next command does; `null`: the driver has no such point. */
  readonly application: string | null;
  /** Whose process arrives there in the temporal driver. Default: the worker's. */
  readonly process?: 'command';
  /** What the command answers when it is given again. */
  readonly again: string;
  /** The application driver's command survives a thrown error: how it exits, and what it leaves where it went on. */
  readonly thrown: { readonly exit: number; readonly stand?: Stand };
  readonly end: Stand;
}

const none: Stand = { state: null, attempts: 0, effects: 0, journal: [] };
const pending: Stand = { ...none, state: 'Pending', journal: ['proposed'] };
const approved: Stand = { ...pending, state: 'Approved', journal: [...pending.journal, 'approved'] };
const claimed: Stand = { ...approved, state: 'Executing', attempts: 1, journal: [...approved.journal, 'claimed'] };
const landed: Stand = { ...claimed, effects: 1 };
const receipted: Stand = { ...landed, state: 'Completed', journal: [...landed.journal, 'receipt: created'] };
const found: Stand = { ...landed, state: 'Completed', journal: [...landed.journal, 'look: matching'] };
const unknown: Stand = { ...claimed, state: 'Unknown', journal: [...claimed.journal, 'look: absent'] };
const sentAgain: Stand = {
  ...{ state: 'Completed', attempts: 2, effects: 1 },
  journal: [...unknown.journal, 'claimed again', 'receipt: created'],
};
const abandoned: Stand = { ...unknown, state: 'Abandoned', journal: [...unknown.journal, 'resolved: abandon'] };

const failed = { exit: 1 };
const approveAgain = { act: 'approve', again: 'repeated' } as const;
const nothingSent = {
  ...approveAgain,
  atCrash: claimed,
  temporal:
    'The lost attempt is noticed by its heartbeat. The receiver is asked and holds nothing: Unknown. After the lease the same payload is claimed again, attempt 2.',
  application:
    'While the lease runs, `in_progress` (exit 7). After it, `approve` again or `sweep` asks the receiver, which holds nothing, and claims again, attempt 2.',
  thrown: { exit: 6, stand: unknown },
  end: sentAgain,
} as const;
const receiptLost = {
  ...approveAgain,
  atCrash: landed,
  temporal:
    'The lost attempt is noticed by its heartbeat. The receiver is asked and holds the effect; nothing is sent.',
  application:
    '`approve` again, or `sweep` after the lease, asks the receiver, which holds the effect; nothing is sent.',
  thrown: { exit: 0, stand: found },
  end: found,
} as const;

export const crashRows: readonly CrashRow[] = [
  {
    ...{
      point: 'propose.before-commit',
      act: 'begin',
      atCrash: none,
      again: 'admitted',
      thrown: failed,
      end: receipted,
    },
    gap: 'the proposal is written, its transaction not committed',
    temporal:
      'The run proposes again; whoever waits for the proposal is answered then, or asks again where the server fails the request.',
    application: '`begin` again admits the case.',
  },
  {
    ...{ point: 'propose.after-commit', act: 'begin', atCrash: pending, again: 'duplicate', thrown: failed },
    gap: 'the proposal is committed, its proposer not answered',
    temporal: 'The run proposes again and is given the stored proposal.',
    application: '`begin` again answers `duplicate` with the stored proposal.',
    end: receipted,
  },
  {
    ...{ point: 'propose.workflow-started', act: 'begin', process: 'command', atCrash: pending, again: 'duplicate' },
    gap: 'the run is started and its proposal committed, the command `begin` has not answered',
    temporal: 'The run waits for a decision as if nothing had happened; `begin` again answers `duplicate`.',
    application: null,
    thrown: failed,
    end: receipted,
  },
  {
    ...{ point: 'decide.before-commit', act: 'approve', atCrash: pending, again: 'recorded', thrown: failed },
    gap: 'the decision is written, its transaction not committed',
    temporal: 'The signal is in the history: the run asks for the decision again, and it is recorded.',
    application: 'Nothing was decided: `approve` again is recorded.',
    end: receipted,
  },
  {
    ...{ point: 'decide.after-commit', act: 'approve', atCrash: approved, again: 'repeated', thrown: failed },
    gap: 'the decision is committed, the reviewer not answered',
    temporal: 'The run asks again, is told the recorded decision, and executes.',
    application: '`approve` again is `repeated` and executes; so does `sweep`.',
    end: receipted,
  },
  {
    ...{ point: 'claim.before-commit', ...approveAgain, atCrash: approved, thrown: failed, end: receipted },
    gap: 'the claim is written, its transaction not committed',
    temporal: 'The lost attempt is noticed by its heartbeat; no claim counts, and the run executes, attempt 1.',
    application: '`approve` again is `repeated` and claims, attempt 1; so does `sweep`.',
  },
  { point: 'claim.after-commit', gap: 'the claim is committed, nothing is sent', ...nothingSent },
  {
    point: 'receiver.request-sent',
    gap: 'about to send, or the request is lost on its way: nobody but the receiver can tell',
    ...nothingSent,
  },
  { point: 'receiver.committed', gap: 'the receiver has committed the effect, no answer has left it', ...receiptLost },
  { point: 'receiver.half-reply', gap: 'the answer is here, nothing has been done with it', ...receiptLost },
  {
    point: 'complete.before-commit',
    gap: 'the receipt is written, its transaction not committed',
    ...receiptLost,
  },
  {
    ...{ point: 'complete.after-commit', ...approveAgain, atCrash: receipted, end: receipted },
    gap: 'the receipt is committed, nobody was told',
    temporal: 'The lost attempt is noticed by its heartbeat; the run reads Completed and ends.',
    application: '`approve` again is `repeated` with the outcome.',
    thrown: { exit: 0, stand: receipted },
  },
  {
    ...{ point: 'execute.result-reported', ...approveAgain, atCrash: receipted, thrown: failed, end: receipted },
    gap: 'the attempt is over, its result not yet reported to the server',
    temporal: 'The lost attempt is noticed by its heartbeat; the run reads Completed and ends.',
    application: null,
  },
  {
    ...{ point: 'reconcile.asked', act: 'reconcile', atCrash: landed, again: 'Committed', thrown: failed, end: found },
    gap: 'the receiver has answered the question, its answer is not stored',
    temporal: 'The run asks again: asking changes nothing at the receiver.',
    application: '`reconcile` again asks again.',
  },
  {
    ...{ point: 'reconcile.before-commit', act: 'reconcile', atCrash: landed, again: 'Committed', thrown: failed },
    gap: 'the look is written, its transaction not committed',
    temporal: 'The run asks again: asking changes nothing at the receiver.',
    application: '`reconcile` again asks again.',
    end: found,
  },
  {
    ...{ point: 'reconcile.after-commit', act: 'reconcile', atCrash: found, again: 'Committed', thrown: failed },
    gap: 'the look is committed, nobody was told',
    temporal: 'The run is told that it is Completed, and ends.',
    application: '`reconcile` again answers from the ledger.',
    end: found,
  },
  {
    ...{ point: 'resolve.before-commit', act: 'resolve', atCrash: unknown, again: 'resolved', thrown: failed },
    gap: 'the operator’s word is written, its transaction not committed',
    temporal:
      'The server hands the unanswered update to the next worker, and the run resolves again; or it fails the update, and the operator says it again.',
    application: '`resolve` again is recorded.',
    end: abandoned,
  },
  {
    ...{ point: 'resolve.after-commit', act: 'resolve', atCrash: abandoned, again: 'resolved', thrown: failed },
    gap: 'the operator’s word is committed, the operator not answered',
    temporal:
      'The run reads Abandoned and ends. The operator’s update, handed to the next worker by the server or said again, is answered `resolved`: this very word settled it.',
    application: '`resolve` again with the same words answers `resolved` and writes nothing.',
    end: abandoned,
  },
];
