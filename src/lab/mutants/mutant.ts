/** A mutant: the product with one known bug built in, to see whether the lab finds it. */
import type { ArmName, PromiseName } from '../names.ts';

/** `find` must stand exactly once in the file; `replace` takes its place. */
export interface Patch {
  /** From the root of the checkout. */
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

export interface Mutant {
  readonly name: string;
  /** The bug, in a sentence. */
  readonly bug: string;
  readonly patches: readonly Patch[];
  /** Where it shows. */
  readonly situation: string;
  readonly arm: ArmName;
  /** What it breaks there. */
  readonly promise: PromiseName;
}
