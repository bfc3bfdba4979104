// Walks every interleaving of two operations on one object, driving the functions of src/core themselves. The world
// around them is written here: messages that fly, land and get lost, a receiver, operators who may be wrong.
import { objection, judgeWithdrawal } from '../../src/core/admission.ts';
import { judgeClaim, type ClaimFacts } from '../../src/core/claim.ts';
import { judgeDecision } from '../../src/core/decision.ts';
import { judgeLook, judgeReceipt } from '../../src/core/evidence.ts';
import { nextStep } from '../../src/core/next-step.ts';
import type { AttemptRecord, ObservationRecord, OperationView, ResolutionRecord } from '../../src/core/records.ts';
import { discountAbsence, type ReceiverDeclaration, type RecoverySettings } from '../../src/core/recovery.ts';
import { judgeResolution } from '../../src/core/resolution.ts';
import { rulesOf, type Rules } from '../../src/core/rules.ts';
import { nextState, type Event, type State } from '../../src/core/states.ts';
import { attempt, decision, object, observation, operation, resolution } from './samples.ts';

/** The functions under exploration; a test replaces one of them by a wrong one. */
export interface Core {
  readonly judgeDecision: typeof judgeDecision;
  readonly judgeWithdrawal: typeof judgeWithdrawal;
  readonly objection: typeof objection;
  readonly judgeClaim: typeof judgeClaim;
  readonly judgeReceipt: typeof judgeReceipt;
  readonly judgeLook: typeof judgeLook;
  readonly discountAbsence: typeof discountAbsence;
  readonly judgeResolution: typeof judgeResolution;
  readonly nextState: (state: State, event: Event) => State | null;
  readonly nextStep: typeof nextStep;
}
const realCore: Core = {
  judgeDecision,
  judgeWithdrawal,
  objection,
  judgeClaim,
  judgeReceipt,
  judgeLook,
  discountAbsence,
  judgeResolution,
  nextState,
  nextStep,
};

export interface Row {
  readonly deduplicates: boolean;
  readonly lookup: ReceiverDeclaration['lookup'];
  readonly resendWhenAbsent: boolean;
}

/** Bounds the attempts of one operation: the limit is the core's own. */
const attemptLimit = 2;
const settings: RecoverySettings = {
  leaseMs: 1_000,
  longestLeaseMs: 4_000,
  attemptLimit,
  firstLookAgainMs: 1_000,
  longestLookAgainMs: 8_000,
};
const nowMs = 1_000_000;
const laterMs = nowMs + 1_000;

/**
 * Where an attempt's message is: under way, landed with its answer on the way back, or gone. One that was not sent yet,
 * because its process is held up or about to die, is like one under way: it may land later, or never.
 */
type Message = 'under_way' | 'created' | 'exists' | 'gone';
/** The newest look at the receiver about one attempt, and an operator's newest word about it. */
type Look = 'none' | 'absent' | 'unavailable';
type Word = 'none' | 'did_not_happen' | 'ask_again';

interface Operation {
  readonly state: State;
  readonly approved: boolean;
  /** One entry per attempt. */
  readonly messages: readonly Message[];
  readonly looks: readonly Look[];
  readonly words: readonly Word[];
  readonly leaseRuns: boolean;
  /** The attempt about which an absence was seen that is not stored yet; 0: none. */
  readonly absenceSeen: number;
  /** An operator said that it happened. */
  readonly saidHappened: boolean;
  /** What really happened at the receiver. */
  readonly effects: number;
}

/** What speaks against every claim from now on. */
type Hindrance = 'nothing' | 'revoked' | 'changed' | 'late';

interface World {
  readonly operations: readonly [Operation, Operation];
  readonly hindrance: Hindrance;
}

const proposed: Operation = {
  state: 'Pending',
  approved: false,
  messages: [],
  looks: [],
  words: [],
  leaseRuns: false,
  absenceSeen: 0,
  saidHappened: false,
  effects: 0,
};

const letters: Readonly<Record<Message | Look | Word | Hindrance, string>> = {
  under_way: 'u',
  created: 'c',
  exists: 'e',
  gone: 'g',
  none: 'n',
  absent: 'a',
  unavailable: 'x',
  did_not_happen: 'd',
  ask_again: 'q',
  nothing: '0',
  revoked: 'r',
  changed: 'v',
  late: 't',
};

function keyOf(op: Operation): string {
  let key = `${op.state}${op.effects}${op.absenceSeen}`;
  if (op.leaseRuns) key += 'L';
  if (op.saidHappened) key += 'S';
  for (let index = 0; index < op.messages.length; index += 1) {
    key += letters[op.messages[index]!] + letters[op.looks[index]!] + letters[op.words[index]!];
  }
  return key;
}

function replaced<T>(list: readonly T[], index: number, value: T): readonly T[] {
  return list.map((item, at) => (at === index ? value : item));
}

const holds = (state: State): boolean => state === 'Executing' || state === 'Unknown';
const beforeClaim = (state: State): boolean => state === 'Pending' || state === 'Approved';
const claimedStates: readonly State[] = ['Executing', 'Unknown', 'Completed', 'Abandoned'];

export interface Violation {
  readonly name: string;
  /** The steps that lead to it. */
  readonly trace: readonly string[];
}
export interface Exploration {
  readonly states: number;
  readonly violations: readonly Violation[];
}

interface Found {
  readonly world: World;
  readonly from: number;
  readonly step: string;
  /** Whether the two operations changed places when this world was stored. */
  readonly swapped: boolean;
}

class Explorer {
  private readonly seen = new Map<string, number>();
  private readonly found: Found[] = [];
  private readonly violations = new Map<string, Violation>();
  private readonly row: Row;
  private readonly core: Core;
  private readonly declaration: ReceiverDeclaration;
  private readonly rules: Rules;
  private current = -1;

  constructor(row: Row, core: Core) {
    this.row = row;
    this.core = core;
    const { deduplicates, lookup, resendWhenAbsent } = row;
    this.rules = rulesOf({ resendWhenAbsent });
    this.declaration = { receiverId: 'receiver-1', deduplicates, lookup, retentionMs: null };
  }

  /** Stops early once `enough` has been violated. */
  run(enough: string | null): Exploration {
    this.reach({ operations: [proposed, proposed], hindrance: 'nothing' }, 'proposed');
    for (this.current = 0; this.current < this.found.length; this.current += 1) {
      this.expand(this.found[this.current]!.world);
      if (enough !== null && this.violations.has(enough)) break;
    }
    return { states: this.found.length, violations: [...this.violations.values()] };
  }

  /** The two operations are alike: a world and its mirror image are explored once. */
  private reach(world: World, step: string): void {
    const [left, right] = [keyOf(world.operations[0]), keyOf(world.operations[1])];
    const swapped = left > right;
    const key = (swapped ? `${right}|${left}|` : `${left}|${right}|`) + letters[world.hindrance];
    if (this.seen.has(key)) return;
    this.seen.set(key, this.found.length);
    const stored: World = swapped ? { ...world, operations: [world.operations[1], world.operations[0]] } : world;
    this.found.push({ world: stored, from: this.current, step, swapped });
  }

  /** Drops what nothing can depend on any more, so that worlds that differ only in that are explored once. */
  private essence(op: Operation): Operation {
    if (holds(op.state) || beforeClaim(op.state)) return op;
    // Nothing can follow for an operation that was closed before any claim, whichever way it was closed.
    if (op.messages.length === 0) return { ...proposed, state: 'Withdrawn' };
    // A message that can only be answered "exists" changes nothing, and neither does an answer.
    const settled = this.row.deduplicates && op.effects > 0;
    const messages = op.messages.map((where) => (where === 'under_way' && !settled ? where : 'gone')).sort();
    const none = messages.map(() => 'none' as const);
    return { ...op, messages, looks: none, words: none, leaseRuns: false, absenceSeen: 0 };
  }

  private violate(name: string, step = ''): void {
    if (this.violations.has(name)) return;
    const path: Found[] = [];
    for (let at = this.current; at >= 0; at = this.found[at]!.from) path.unshift(this.found[at]!);
    let swapped = false;
    const trace: string[] = [];
    for (const { step: taken, swapped: swaps } of [...path, { step, swapped: false }]) {
      if (taken !== '') trace.push(swapped ? taken.replace(/^[AB]/, (letter) => (letter === 'A' ? 'B' : 'A')) : taken);
      if (swaps) swapped = !swapped;
    }
    this.violations.set(name, { name, trace });
  }

  private viewOf(world: World, who: 0 | 1): OperationView {
    const op = world.operations[who];
    const other = world.operations[1 - who]!;
    const operationId = names[who];
    const last = op.messages.length;
    const attempts: AttemptRecord[] = [];
    const observations: ObservationRecord[] = [];
    const resolutions: ResolutionRecord[] = [];
    for (let number = 1; number <= last; number += 1) {
      const leaseUntilMs = number === last && op.leaseRuns ? laterMs : nowMs;
      attempts.push(attempt({ operationId, attempt: number, leaseUntilMs, receiverSequence: null }));
      const look = op.looks[number - 1]!;
      if (look !== 'none') observations.push(observation({ operationId, attempt: number, finding: look }));
      const word = op.words[number - 1]!;
      if (word !== 'none') resolutions.push(resolution({ operationId, attempt: number }));
      if (word === 'ask_again') resolutions.push(resolution({ operationId, attempt: number, resolution: word }));
    }
    return {
      operation: operation({
        operationId,
        caseId: operationId,
        state: op.state,
        attempts: last,
        expiresAtMs: world.hindrance === 'late' ? nowMs : laterMs,
      }),
      decision: op.approved ? decision({ operationId }) : null,
      attempts,
      observations,
      resolutions,
      object: object({ version: world.hindrance === 'changed' ? 4 : 3, permitted: world.hindrance !== 'revoked' }),
      heldBy: holds(other.state) ? names[1 - who]! : null,
      headHash: '',
      generation: 0,
      lastReceiverSequence: null,
      ledgerTimeMs: nowMs,
    };
  }

  private claimFacts(view: OperationView): ClaimFacts {
    return {
      view,
      declaration: this.declaration,
      receiverSequence: null,
      rules: this.rules,
      signatureValid: false,
      settings,
    };
  }

  private expand(world: World): void {
    const { operations, hindrance } = world;
    const anyUnclaimed = operations.some((op) => beforeClaim(op.state));
    if (hindrance === 'nothing') {
      // After the first claims all hindrances are alike: they refuse a re-claim and change nothing else.
      for (const next of anyUnclaimed ? hindrances : hindrances.slice(0, 1))
        this.reach({ ...world, hindrance: next }, next);
    }
    for (const who of [0, 1] as const) {
      const op = operations[who];
      const go: Go = (change, step) => {
        const label = `${names[who]}: ${step}`;
        const next: Operation = { ...op, ...change };
        this.check(next, label);
        const kept = this.essence(next);
        const pair = who === 0 ? ([kept, operations[1]] as const) : ([operations[0], kept] as const);
        const still = pair.some((one) => beforeClaim(one.state)) || hindrance === 'nothing';
        this.reach({ operations: pair, hindrance: still ? hindrance : 'revoked' }, label);
      };
      if (!beforeClaim(op.state) && !holds(op.state)) {
        this.messages(op, go);
        continue;
      }
      const view = this.viewOf(world, who);
      this.people(view, go);
      this.claim(world, who, view, go);
      this.messages(op, go);
      this.looks(op, view, go);
      this.operators(op, view, go);
    }
  }

  /** What must hold of every operation, however it came about. */
  private check(op: Operation, step: string): void {
    const { state, effects, messages, saidHappened } = op;
    if (effects > 1) this.violate('two effects of one operation', step);
    if (state === 'Completed' && effects === 0 && !saidHappened) this.violate('Completed without an effect', step);
    if (claimedStates.includes(state)) return;
    if (effects > 0) this.violate('an effect of an operation that is not claimed', step);
    if (messages.length > 0) this.violate('a claim was taken back', step);
  }

  /** Moves along the table; an event it does not know would be a fault of the store. */
  private moved(view: OperationView, event: Event | null, step: string): State {
    const { state, operationId } = view.operation;
    if (event === null) return state;
    const next = this.core.nextState(state, event);
    if (next === null) this.violate(`${event} is no event of state ${state}`, `${operationId}: ${step}`);
    return next ?? state;
  }

  private people(view: OperationView, go: Go): void {
    const { operation: record, object: stored } = view;
    if (record.state === 'Pending') {
      for (const approved of [true, false]) {
        const { outcome, event } = this.core.judgeDecision({
          operation: record,
          decision: null,
          currentOperationId: record.operationId,
          approved,
          reviewer: 'rita',
          requestId: null,
          signatureValid: false,
          rules: this.rules,
          nowMs,
        });
        const step = approved ? 'approve' : 'decline';
        const state = this.moved(view, event, step);
        go({ state, approved: approved && outcome === 'recorded' }, `${step}: ${outcome}`);
      }
      const against = this.core.objection(record.object, stored, record.expiresAtMs, nowMs);
      if (against) go({ state: this.moved(view, against.event, 'settle') }, `settled: ${against.outcome}`);
    }
    const outcome = this.core.judgeWithdrawal({ named: record, current: record, authorized: true });
    if (outcome === 'withdrawn') go({ state: this.moved(view, 'withdraw', outcome) }, outcome);
  }

  private claim(world: World, who: 0 | 1, view: OperationView, go: Go): void {
    const op = world.operations[who];
    const facts = this.claimFacts(view);
    const verdict = this.core.judgeClaim(facts);
    const step = `${names[who]}: claim`;
    const told = this.core.nextStep({ ...facts, attemptEnded: false }).step === 'execute';
    if (told && verdict.event === null) {
      this.violate('a run is told to execute what a claim refuses and does not move', step);
    }
    if (verdict.event === null) return;
    const state = this.moved(view, verdict.event, step);
    if (verdict.outcome !== 'claimed') {
      go({ state }, `claim: ${verdict.outcome}`);
      return;
    }
    this.checkClaim(world, who, step);
    go(
      {
        state,
        leaseRuns: true,
        messages: [...op.messages, 'under_way'],
        looks: [...op.looks, 'none'],
        words: [...op.words, 'none'],
      },
      `claim, attempt ${op.messages.length + 1}`,
    );
  }

  /** What must hold when a claim is granted: the design's table, written again. */
  private checkClaim(world: World, who: 0 | 1, step: string): void {
    const { row } = this;
    const op = world.operations[who];
    const other = world.operations[1 - who]!;
    const counted = row.deduplicates && other.effects > 0;
    if (other.messages.includes('under_way') && !counted && other.state !== 'Abandoned' && !other.saidHappened) {
      this.violate("claimed while another operation's effect may still arrive", step);
    }
    if (holds(other.state)) this.violate('two operations hold one object', step);
    if (world.hindrance === 'revoked') this.violate('claimed without permission', step);
    if (world.hindrance === 'changed') this.violate('claimed for a changed object', step);
    if (world.hindrance === 'late') this.violate('claimed after the expiry', step);
    if (!op.approved) this.violate('claimed without an approval', step);
    if (op.messages.length === 0) return;
    if (op.leaseRuns) this.violate('claimed again while the lease was running', step);
    if (!row.deduplicates) this.violate('sent again to a receiver that does not deduplicate', step);
    if (row.lookup !== 'none' && op.looks.at(-1) !== 'absent') this.violate('sent again with no absence shown', step);
    if (row.lookup === 'eventual' && !row.resendWhenAbsent && op.words.at(-1) !== 'did_not_happen') {
      this.violate('sent again after a mere look', step);
    }
  }

  private messages(op: Operation, go: Go): void {
    if (op.leaseRuns) go({ leaseRuns: false }, 'the lease ends');
    op.messages.forEach((where, index) => {
      const number = index + 1;
      const put = (next: Message): Partial<Operation> => ({ messages: replaced(op.messages, index, next) });
      if (where === 'under_way') {
        const again = this.row.deduplicates && op.effects > 0;
        const landed = { ...put(again ? 'exists' : 'created'), effects: op.effects + (again ? 0 : 1) };
        go(landed, `attempt ${number} is sent and lands`);
        go(put('gone'), `attempt ${number} crashes before sending, or is lost`);
      } else if (where !== 'gone') {
        this.receipt(op, index, where, go);
        go(put('gone'), `the receipt of attempt ${number} is lost`);
      }
    });
  }

  private receipt(op: Operation, index: number, answer: 'created' | 'exists', go: Go): void {
    const number = index + 1;
    const record = operation({ state: op.state, attempts: op.messages.length });
    const step = `the receipt of attempt ${number} is stored`;
    const { event } = this.core.judgeReceipt(record, number, answer);
    const state = event === null ? op.state : (this.core.nextState(op.state, event) ?? op.state);
    if (holds(state)) this.violate('a stored receipt left the operation open', step);
    go({ state, messages: replaced(op.messages, index, 'gone') }, step);
  }

  private looks(op: Operation, view: OperationView, go: Go): void {
    const number = op.messages.length;
    if (!holds(op.state)) return;
    // Storing these two late is like asking later: what is there stays, and an unreachable receiver says nothing.
    this.storeLook(op, view, number, 'unavailable', go);
    const { lookup } = this.row;
    if (lookup === 'none') return;
    if (op.effects > 0) this.storeLook(op, view, number, 'matching', go);
    const absent = op.effects === 0 || lookup === 'eventual';
    if (absent && op.absenceSeen === 0)
      go({ absenceSeen: number }, `the receiver shows no effect of attempt ${number}`);
    if (op.absenceSeen > 0) this.storeLook(op, view, op.absenceSeen, 'absent', go);
  }

  private storeLook(
    op: Operation,
    view: OperationView,
    about: number,
    finding: 'matching' | 'absent' | 'unavailable',
    go: Go,
  ): void {
    const step = `the look about attempt ${about} is stored: ${finding}`;
    const discounted = this.core.discountAbsence(view.attempts, this.declaration, null, null, nowMs) !== null;
    if (discounted) this.violate('a good absence was discounted', step);
    const proves = this.row.lookup === 'authoritative' && !discounted;
    const { event } = this.core.judgeLook(view.operation, about, finding, proves);
    const newest = about === op.messages.length && finding !== 'matching';
    // What is seen late of an older attempt is stored, but nothing depends on it.
    const looks = newest ? replaced(op.looks, about - 1, finding) : op.looks;
    const absenceSeen = finding === 'absent' ? 0 : op.absenceSeen;
    go({ state: this.moved(view, event, step), looks, absenceSeen }, step);
  }

  private operators(op: Operation, view: OperationView, go: Go): void {
    if (op.state !== 'Unknown') return;
    const last = op.messages.length - 1;
    const before = op.words[last]!;
    const { deduplicates, lookup, resendWhenAbsent } = this.row;
    const listensToWords = !deduplicates || (lookup === 'eventual' && !resendWhenAbsent);
    for (const said of ['effect_happened', 'effect_did_not_happen', 'ask_again', 'abandon'] as const) {
      const step = `an operator says ${said}`;
      const facts = { operation: view.operation, authorized: true, resolution: said, deduplicates };
      const state = this.moved(view, this.core.judgeResolution(facts).event, step);
      if (state === 'Abandoned' && op.looks[last] === 'none') {
        this.violate(
          'abandoned while nobody had asked about the newest attempt',
          `${view.operation.operationId}: ${step}`,
        );
      }
      // Words matter only where the table asks for one; "ask again" takes one back.
      let word = before;
      if (listensToWords) {
        if (said === 'effect_did_not_happen') word = 'did_not_happen';
        if (said === 'ask_again' && before === 'did_not_happen') word = 'ask_again';
      }
      const saidHappened = op.saidHappened || said === 'effect_happened';
      go({ state, words: replaced(op.words, last, word), saidHappened }, step);
    }
  }
}

type Go = (change: Partial<Operation>, step: string) => void;
const names = ['A', 'B'] as const;
const hindrances: readonly Hindrance[] = ['revoked', 'changed', 'late'];

/** Explores everything, or with `enough` until that violation has been found. */
export function explore(row: Row, changed: Partial<Core> = {}, enough: string | null = null): Exploration {
  return new Explorer(row, { ...realCore, ...changed }).run(enough);
}
