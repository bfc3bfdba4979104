/** The destination of effects. It testifies: did the effect with this identity and payload happen? */
import type { ReceiverDeclaration } from '../core/recovery.ts';
import type { ReceiverAnswer } from '../core/records.ts';

export interface EffectRequest {
  /** The idempotency key. */
  readonly operationId: string;
  /** The canonical frame of the operation: the bytes that were approved. */
  readonly payload: Uint8Array;
  readonly attempt: number;
  readonly ledgerId: string;
  /** The ledger's journal when the claim was committed; kept with the effect to recognise an older ledger copy. */
  readonly ledgerSequence: number;
  readonly ledgerHash: string;
}

export interface Receipt {
  readonly answer: ReceiverAnswer;
  readonly receiverId: string;
  /** The receiver's own count of effects after this answer; only grows. `null` where it has none. */
  readonly sequence: number | null;
}

/** One look. `payloadSha256` (lower-case hex) tells whether the same bytes were recorded; `null`: nothing found. */
export interface Look {
  readonly receiverId: string;
  readonly sequence: number | null;
  readonly payloadSha256: string | null;
}

/** How far the ledger had come when an effect was claimed, as kept with the effect. */
export interface EffectWitness {
  readonly operationId: string;
  readonly ledgerHash: string;
}

export interface ReceiverStatus {
  readonly declaration: ReceiverDeclaration;
  readonly sequence: number | null;
  /** The newest effect's witness, where the receiver keeps one; shows whether the ledger is an older copy. */
  readonly newest?: EffectWitness | null;
}

/** An effect as a receiver that can be listed has stored it. */
export interface StoredEffect extends EffectWitness {
  readonly payloadSha256: string;
  /** SHA-256 of the stored bytes, computed now. */
  readonly recomputedSha256: string;
  readonly attempt: number;
  readonly ledgerId: string;
}

export interface Receiver {
  /** What it promises, and how far it has come. */
  describe(): Promise<ReceiverStatus>;
  /**
   * Records the effect once per identity. Any error leaves it open whether the effect happened; only an answer counts.
   */
  commit(request: EffectRequest): Promise<Receipt>;
  /** Read-only. */
  lookup(operationId: string): Promise<Look>;
  /** Every stored effect, where the receiver can be listed; for `verify`. */
  effects?(): AsyncIterable<StoredEffect>;
  close(): void;
}
