/**
 * The dangerous gaps, by name: every place where a process may die between two commits or between an act and the
 * knowledge of it. Inert unless armed by an explicit option (see src/worker/crash.ts); docs/recovery.md has a row each.
 */
export const crashPoints = [
  'propose.before-commit',
  'propose.after-commit',
  'propose.workflow-started',
  'decide.before-commit',
  'decide.after-commit',
  'claim.before-commit',
  'claim.after-commit',
  'receiver.request-sent',
  'receiver.committed',
  'receiver.half-reply',
  'complete.before-commit',
  'complete.after-commit',
  'execute.result-reported',
  'reconcile.asked',
  'reconcile.before-commit',
  'reconcile.after-commit',
  'resolve.before-commit',
  'resolve.after-commit',
] as const;
export type CrashPoint = (typeof crashPoints)[number];

export interface CrashPoints {
  /**
   * Called when the process arrives at `point`. Synchronous, so that it can stand inside a database transaction.
   * Armed, it ends the process, throws, or blocks until somebody kills the process; otherwise it does nothing.
   */
  reach(point: CrashPoint): void;
}

export const noCrashPoints: CrashPoints = { reach: () => undefined };
