// Walks every interleaving of one operation's attempts at a deduplicating receiver that forgets identities after a
// while, or is restored from an older copy, driving the functions of src/core. Time is counted in leases.
import { judgeClaim } from '../../src/core/claim.ts';
import { judgeLook, judgeReceipt } from '../../src/core/evidence.ts';
import { discountAbsence, type ReceiverDeclaration, type RecoverySettings } from '../../src/core/recovery.ts';
import { nextState, type State } from '../../src/core/states.ts';
import { attempt, decision, object, observation, operation, rules } from './samples.ts';

export interface ForgettingCore {
  readonly judgeClaim: typeof judgeClaim;
  readonly judgeLook: typeof judgeLook;
  readonly discountAbsence: typeof discountAbsence;
}
const realCore: ForgettingCore = { judgeClaim, judgeLook, discountAbsence };

export interface ForgettingRow {
  readonly lookup: ReceiverDeclaration['lookup'];
  /** In leases; `null`: it remembers for ever. */
  readonly retention: number | null;
  /** Whether it may be restored from an older copy; the ledger can tell by the sequence once it has seen a higher one. */
  readonly restorable: boolean;
}

const leaseMs = 10;
const settings: RecoverySettings = {
  leaseMs,
  longestLeaseMs: leaseMs,
  attemptLimit: 3,
  firstLookAgainMs: 1,
  longestLookAgainMs: 1,
};

interface World {
  readonly nowMs: number;
  readonly state: State;
  readonly attempts: readonly { readonly claimedAtMs: number; readonly where: 'flying' | 'landed' | 'gone' }[];
  readonly looks: readonly { readonly attempt: number; readonly discounted: string | null }[];
  /** When the receiver recorded what it still remembers. */
  readonly recordedAtMs: number | null;
  readonly effects: number;
  readonly sequence: number;
  readonly lastSeen: number;
  readonly restored: boolean;
}

export interface ForgettingResult {
  readonly states: number;
  /** The steps to a second effect, or `null` when there never is one. */
  readonly secondEffect: readonly string[] | null;
}

class Walk {
  private readonly core: ForgettingCore;
  private readonly row: ForgettingRow;
  private readonly declaration: ReceiverDeclaration;

  constructor(row: ForgettingRow, core: ForgettingCore) {
    this.row = row;
    this.core = core;
    const retentionMs = row.retention === null ? null : row.retention * leaseMs;
    this.declaration = { receiverId: 'receiver-1', deduplicates: true, lookup: row.lookup, retentionMs };
  }

  run(): ForgettingResult {
    const start: World = {
      nowMs: 0,
      state: 'Approved',
      attempts: [],
      looks: [],
      recordedAtMs: null,
      effects: 0,
      sequence: 0,
      lastSeen: 0,
      restored: false,
    };
    const seen = new Set([JSON.stringify(start)]);
    const queue: { world: World; trace: readonly string[] }[] = [{ world: start, trace: [] }];
    for (const { world, trace } of queue) {
      for (const [step, next] of this.successors(world)) {
        if (next.effects > 1) return { states: seen.size, secondEffect: [...trace, step] };
        const key = JSON.stringify(next);
        if (seen.has(key)) continue;
        seen.add(key);
        queue.push({ world: next, trace: [...trace, step] });
      }
    }
    return { states: seen.size, secondEffect: null };
  }

  /** Whether the receiver still knows the identity. */
  private knows(world: World): boolean {
    const { retentionMs } = this.declaration;
    if (world.recordedAtMs === null) return false;
    return retentionMs === null || world.nowMs - world.recordedAtMs < retentionMs;
  }

  private *successors(world: World): Generator<[string, World]> {
    yield* this.time(world);
    if (world.state === 'Approved' || world.state === 'Unknown') yield* this.claim(world);
    yield* this.messages(world);
    if (world.state === 'Executing' || world.state === 'Unknown') yield* this.look(world);
    // Somebody else's effect at the same receiver, and its receipt: the ledger learns how far the receiver has come.
    if (this.row.restorable && !world.restored && world.sequence < 2) {
      yield ["another operation's receipt", { ...world, sequence: world.sequence + 1, lastSeen: world.sequence + 1 }];
    }
    // What is restored unseen, or under a message that is on its way, no rule of ours could notice.
    const quiet = world.attempts.every((one) => one.where !== 'flying') && world.lastSeen === world.sequence;
    if (this.row.restorable && !world.restored && world.recordedAtMs !== null && quiet) {
      yield ['the receiver is restored', { ...world, recordedAtMs: null, sequence: 0, restored: true }];
    }
  }

  /** No message arrives after the lease it was sent in: with none of that promised, no retention would be enough. */
  private *time(world: World): Generator<[string, World]> {
    // Retention needs time to pass and finer steps; a restored receiver only needs the leases of two attempts to end.
    const { restorable } = this.row;
    if (world.nowMs >= (restorable ? 2 : 7) * leaseMs) return;
    const nowMs = world.nowMs + (restorable ? leaseMs : leaseMs / 2);
    const attempts = world.attempts.map((one) =>
      one.where === 'flying' && nowMs >= one.claimedAtMs + leaseMs ? { ...one, where: 'gone' as const } : one,
    );
    yield ['time passes', { ...world, nowMs, attempts }];
  }

  private records(world: World) {
    const attempts = world.attempts.map(({ claimedAtMs }, index) =>
      attempt({ attempt: index + 1, claimedAtMs, leaseUntilMs: claimedAtMs + leaseMs }),
    );
    return { attempts, record: operation({ state: world.state, attempts: attempts.length }) };
  }

  private *claim(world: World): Generator<[string, World]> {
    const { attempts, record } = this.records(world);
    const verdict = this.core.judgeClaim({
      view: {
        operation: record,
        decision: decision(),
        attempts,
        observations: world.looks.map((look) => observation(look)),
        resolutions: [],
        object: object(),
        heldBy: null,
        headHash: '',
        generation: 0,
        lastReceiverSequence: world.lastSeen,
        ledgerTimeMs: world.nowMs,
      },
      declaration: this.declaration,
      receiverSequence: world.sequence,
      rules: rules({ resendWhenAbsent: true }),
      signatureValid: false,
      settings,
    });
    if (verdict.outcome !== 'claimed') return;
    const claimed = [...world.attempts, { claimedAtMs: world.nowMs, where: 'flying' as const }];
    yield [`claim, attempt ${claimed.length}`, { ...world, state: 'Executing', attempts: claimed, looks: [] }];
  }

  private *messages(world: World): Generator<[string, World]> {
    for (const [index, one] of world.attempts.entries()) {
      const number = index + 1;
      const put = (where: 'landed' | 'gone') => world.attempts.map((it, at) => (at === index ? { ...it, where } : it));
      if (one.where === 'flying') {
        const known = this.knows(world);
        yield [
          `attempt ${number} lands`,
          {
            ...world,
            attempts: put('landed'),
            effects: world.effects + (known ? 0 : 1),
            recordedAtMs: known ? world.recordedAtMs : world.nowMs,
            sequence: world.sequence + (known ? 0 : 1),
          },
        ];
        yield [`attempt ${number} is lost`, { ...world, attempts: put('gone') }];
      }
      if (one.where === 'landed') {
        const { event } = judgeReceipt(this.records(world).record, number, 'created');
        const state = event === null ? world.state : (nextState(world.state, event) ?? world.state);
        const lastSeen = Math.max(world.lastSeen, world.sequence);
        yield [`the receipt of attempt ${number}`, { ...world, attempts: put('gone'), state, lastSeen }];
        yield [`the receipt of attempt ${number} is lost`, { ...world, attempts: put('gone') }];
      }
    }
  }

  private *look(world: World): Generator<[string, World]> {
    const { attempts, record } = this.records(world);
    const { lookup } = this.declaration;
    const number = attempts.length;
    const present = this.knows(world);
    const findings =
      lookup === 'none'
        ? (['unavailable'] as const)
        : lookup === 'eventual' && present
          ? (['matching', 'absent'] as const)
          : ([present ? 'matching' : 'absent'] as const);
    for (const finding of findings) {
      const { sequence, lastSeen, nowMs } = world;
      const discounted =
        finding === 'absent' ? this.core.discountAbsence(attempts, this.declaration, sequence, lastSeen, nowMs) : null;
      const { event } = this.core.judgeLook(record, number, finding, discounted === null);
      const state = event === null ? world.state : (nextState(world.state, event) ?? world.state);
      const looks = finding === 'absent' ? [{ attempt: number, discounted }] : world.looks;
      const seen = finding === 'unavailable' ? lastSeen : Math.max(lastSeen, sequence);
      yield [`look: ${finding}`, { ...world, state, looks, lastSeen: seen }];
    }
  }
}

export function walkForgetting(row: ForgettingRow, changed: Partial<ForgettingCore> = {}): ForgettingResult {
  return new Walk(row, { ...realCore, ...changed }).run();
}
