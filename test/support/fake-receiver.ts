/**
 * A receiver in memory for every row of the recovery table, with the faults of a real destination under a test's
 * control: lost requests and receipts, requests held on the way, outages, delayed visibility, forgetting, conflicts,
 * and a destination that is emptied, restored or swapped.
 */
import { createHash } from 'node:crypto';
import { CountersignError } from '../../src/core/errors.ts';
import type { Lookup } from '../../src/core/recovery.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { EffectRequest, Look, Receipt, Receiver, ReceiverStatus, StoredEffect } from '../../src/ports/receiver.ts';

export interface FakeReceiverOptions {
  readonly clock: Clock;
  readonly receiverId?: string;
  readonly deduplicates?: boolean;
  readonly lookup?: Lookup;
  /** How long an identity is remembered; `null` (default): for ever. */
  readonly retentionMs?: number | null;
  /** Whether it tells how far it has come. */
  readonly sequence?: boolean;
  /** After how long a look-up shows an effect; a delay needs an eventual look-up. */
  readonly visibleAfterMs?: number;
}

/** An effect in the world; it stays here whatever the receiver forgets. */
export interface Happened {
  readonly operationId: string;
  readonly attempt: number;
  readonly payloadSha256: string;
  readonly atMs: number;
}

interface Stored extends Happened {
  readonly payload: Uint8Array;
  readonly ledgerId: string;
  /** `null`: put there by somebody who is no ledger. */
  readonly ledgerHash: string | null;
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const unreachable = (message: string): CountersignError => new CountersignError('receiver_unavailable', { message });

export class FakeReceiver implements Receiver {
  /** Every effect that ever happened, in order. */
  readonly happened: Happened[] = [];
  /** How often it was asked. */
  looks = 0;
  /** While true nothing reaches it. */
  down = false;
  private readonly options: Required<FakeReceiverOptions>;
  private stored: readonly Stored[] = [];
  private count = 0;
  private id: string;
  private nextFault: 'request lost' | 'receipt lost' | null = null;
  private gate: { arrived: () => void; released: Promise<void> } | null = null;

  constructor(options: FakeReceiverOptions) {
    this.options = {
      receiverId: 'receiver-fake',
      deduplicates: true,
      lookup: 'authoritative',
      retentionMs: null,
      sequence: true,
      visibleAfterMs: 0,
      ...options,
    };
    this.id = this.options.receiverId;
  }

  // What a test can do to it.

  /** The next request never arrives: no effect, no answer. */
  loseNextRequest(): void {
    this.nextFault = 'request lost';
  }

  /** The next request has its effect, and its answer is lost. */
  loseNextReceipt(): void {
    this.nextFault = 'receipt lost';
  }

  /** Holds the next request on its way: `arrived` resolves when it was sent; `release` lets it land. */
  holdNextRequest(): { readonly arrived: Promise<void>; readonly release: () => void } {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const arrived = new Promise<void>((resolve) => (this.gate = { arrived: resolve, released }));
    return { arrived, release };
  }

  /** Another payload under this identity, put there by somebody else. */
  plant(operationId: string, payload: Uint8Array): void {
    this.record({ operationId, payload, attempt: 1, ledgerId: 'somebody', ledgerHash: null });
  }

  /** What it holds now, for `restore`. */
  copy(): { readonly stored: readonly Stored[]; readonly count: number } {
    return { stored: this.stored, count: this.count };
  }

  /** As after a restore from an older copy; without one: as after its data were deleted. */
  restore(copy: { readonly stored: readonly Stored[]; readonly count: number } = { stored: [], count: 0 }): void {
    this.stored = copy.stored;
    this.count = copy.count;
  }

  /** Another, empty destination answers at the same address. */
  swap(receiverId: string): void {
    this.id = receiverId;
    this.restore();
  }

  /** How many effects an operation really had. */
  effectsOf(operationId: string): number {
    return this.happened.filter((effect) => effect.operationId === operationId).length;
  }

  // The port.

  async describe(): Promise<ReceiverStatus> {
    if (this.down) throw unreachable('The fake receiver is down.');
    const { deduplicates, lookup, retentionMs } = this.options;
    const last = this.stored.findLast(({ ledgerHash }) => ledgerHash !== null);
    return {
      declaration: { receiverId: this.id, deduplicates, lookup, retentionMs },
      sequence: this.sequence(),
      newest: last ? { operationId: last.operationId, ledgerHash: last.ledgerHash ?? '' } : null,
    };
  }

  async commit(request: EffectRequest): Promise<Receipt> {
    if (this.gate) {
      const { arrived, released } = this.gate;
      this.gate = null;
      arrived();
      await released;
    }
    const fault = this.nextFault;
    this.nextFault = null;
    if (this.down || fault === 'request lost') throw unreachable('The request did not arrive.');
    const receipt = this.take(request);
    if (fault === 'receipt lost') throw unreachable('The answer did not arrive.');
    return receipt;
  }

  async lookup(operationId: string): Promise<Look> {
    this.looks += 1;
    if (this.down) throw unreachable('The fake receiver is down.');
    if (this.options.lookup === 'none') throw unreachable('The fake receiver has no look-up.');
    const nowMs = this.options.clock.now();
    const visible = this.known(operationId).findLast(({ atMs }) => nowMs - atMs >= this.options.visibleAfterMs);
    return { receiverId: this.id, sequence: this.sequence(), payloadSha256: visible?.payloadSha256 ?? null };
  }

  async *effects(): AsyncGenerator<StoredEffect> {
    for (const { payload, ledgerHash, ...effect } of this.stored) {
      yield { ...effect, ledgerHash: ledgerHash ?? '', recomputedSha256: sha256(payload) };
    }
  }

  close(): void {
    this.down = true;
  }

  private sequence(): number | null {
    return this.options.sequence ? this.count : null;
  }

  private known(operationId: string): readonly Stored[] {
    const { clock, retentionMs } = this.options;
    const nowMs = clock.now();
    return this.stored.filter(
      (effect) => effect.operationId === operationId && (retentionMs === null || nowMs - effect.atMs < retentionMs),
    );
  }

  private take(request: EffectRequest): Receipt {
    const before = this.known(request.operationId)[0];
    const receiverId = this.id;
    if (this.options.deduplicates && before) {
      const answer = before.payloadSha256 === sha256(request.payload) ? 'exists' : 'conflict';
      return { answer, receiverId, sequence: this.sequence() };
    }
    const effect = this.record(request);
    const { operationId, attempt, payloadSha256, atMs } = effect;
    this.happened.push({ operationId, attempt, payloadSha256, atMs });
    return { answer: 'created', receiverId, sequence: this.sequence() };
  }

  private record(request: Pick<Stored, 'operationId' | 'payload' | 'attempt' | 'ledgerId' | 'ledgerHash'>): Stored {
    const { operationId, payload, attempt, ledgerId, ledgerHash } = request;
    const atMs = this.options.clock.now();
    const effect = { operationId, payload, attempt, ledgerId, ledgerHash, payloadSha256: sha256(payload), atMs };
    this.stored = [...this.stored, effect];
    this.count += 1;
    return effect;
  }
}
