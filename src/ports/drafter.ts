/**
 * Writes the text of a case that came without one; a language model, as a rule. Asked once per request and never by a
 * recovery: what it answered is in the ledger before anything is proposed.
 */
import type { UndraftedCase } from '../core/case.ts';

export interface Drafter {
  /** For the record: which model or program, and which version of it. Not empty. */
  readonly name: string;
  /**
   * The text to review. It may take its time, and it may be asked again with the same request: after it failed or
   * answered what is no body, and when the process that asked died before it had stored the answer.
   */
  draft(request: UndraftedCase): Promise<string>;
}
