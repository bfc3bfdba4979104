// A small model of the ledger, written from the contract and the design alone: it knows nothing of src/core. Two cases
// act on one object; the deployment demands nothing; one receiver is used, and its sequence never moves.
import type { ReceiverDeclaration } from '../../src/core/recovery.ts';

export interface Content {
  readonly caseId: string;
  readonly body: string;
  readonly version: number;
  readonly expires: boolean;
}

export interface ModelOperation {
  readonly content: Content;
  readonly proposer: string;
  state: string;
  decision: { approved: boolean; reviewer: string; requestId: string | null } | null;
  decideByMs: number | null;
  /** One entry per claim. */
  attempts: { leaseUntilMs: number; answer: string | null }[];
  /** The newest look and word since the last claim. */
  look: string | null;
  word: string | null;
  /** The word that ended it. */
  settledBy: string | null;
  revisedTo: string | null;
}

export const startMs = Date.UTC(2026, 10, 30, 12);
export const expiresAtMs = startMs + 600_000;
export const ttlSeconds = 120;
const attemptLimit = 3;
const holding = ['Executing', 'Unknown'];
const open = ['Pending', 'Approved', ...holding];

export const keyOf = ({ caseId, body, version, expires }: Content): string =>
  `${caseId}/${body}/${version}/${expires ? 'expires' : 'stays'}`;

export class Model {
  /** In order of admission. */
  readonly operations = new Map<string, ModelOperation>();
  readonly deliveries = new Map<string, string>();
  object: { version: number; permitted: boolean } | null = null;
  clockMs = startMs;
  /** Time of the newest record; before the first one any clock is right. */
  lastMs = -Infinity;
  readonly receiver: ReceiverDeclaration;

  constructor(receiver: ReceiverDeclaration) {
    this.receiver = receiver;
  }

  get nowMs(): number {
    return Math.max(this.clockMs, this.lastMs);
  }

  get clockIsBehind(): boolean {
    return this.clockMs < this.lastMs - 300_000;
  }

  currentOf(caseId: string): string | null {
    const keys = [...this.operations.keys()].filter((key) => this.operations.get(key)!.content.caseId === caseId);
    return keys.at(-1) ?? null;
  }

  private openOf(caseId: string): string | undefined {
    return [...this.operations.entries()].find(
      ([, { content, state }]) => content.caseId === caseId && open.includes(state),
    )?.[0];
  }

  private holder(except: string): boolean {
    return [...this.operations.entries()].some(([key, { state }]) => key !== except && holding.includes(state));
  }

  /** Why an operation on the object may not go on now. */
  private objection(content: Content, deadlineMs: number | null): [outcome: string, state: string] | null {
    if (this.object && !this.object.permitted) return ['denied', 'Denied'];
    if (this.object && this.object.version !== content.version) return ['superseded', 'Superseded'];
    if (deadlineMs !== null && this.nowMs >= deadlineMs) return ['expired', 'Expired'];
    return null;
  }

  private expiry(content: Content): number | null {
    return content.expires ? expiresAtMs : null;
  }

  private insert(content: Content, proposer: string, event: string, state: string): void {
    const key = keyOf(content);
    this.object ??= { version: content.version, permitted: true };
    this.operations.set(key, {
      content,
      proposer,
      state,
      decision: null,
      decideByMs: this.nowMs + ttlSeconds * 1000,
      attempts: [],
      look: null,
      word: null,
      settledBy: null,
      revisedTo: null,
    });
    if (!this.deliveries.has(event)) this.deliveries.set(event, key);
  }

  admit(content: Content, eventId: string | null): string {
    const key = keyOf(content);
    const event = eventId ?? key;
    const owner = this.deliveries.get(event);
    if (owner !== undefined && owner !== key) return 'event_conflict';
    const known = this.operations.get(key);
    if (known && (owner === key || known.state !== 'Superseded')) {
      this.deliveries.set(event, key);
      return 'duplicate';
    }
    if (this.openOf(content.caseId) !== undefined) return 'case_open';
    if (known) return 'content_already_proposed';
    const against = this.objection(content, this.expiry(content));
    this.insert(content, 'drafter', event, against?.[1] ?? 'Pending');
    return against?.[0] ?? 'admitted';
  }

  decide(key: string, approved: boolean, reviewer: string, requestId: string | null): string {
    const operation = this.operations.get(key);
    if (!operation) return 'unknown_operation';
    if (approved && reviewer === operation.proposer) return 'not_authorized';
    if (operation.decision) {
      if (operation.decision.approved !== approved) return 'conflicting_decision';
      return requestId !== null && operation.decision.requestId === requestId ? 'recorded' : 'repeated';
    }
    if (operation.state === 'Superseded' || this.currentOf(operation.content.caseId) !== key) return 'stale_proposal';
    if (operation.state === 'Expired') return 'expired';
    if (operation.state !== 'Pending') return 'closed';
    const late = [this.expiry(operation.content), operation.decideByMs].some((ms) => ms !== null && this.nowMs >= ms);
    if (late) {
      operation.state = 'Expired';
      return 'expired';
    }
    operation.state = approved ? 'Approved' : 'Declined';
    operation.decision = { approved, reviewer, requestId };
    return 'recorded';
  }

  revise(key: string, caseId: string, body: string, by: string): string {
    const operation = this.operations.get(key);
    if (operation?.content.caseId !== caseId) return 'unknown_operation';
    const content = { ...operation.content, body };
    const next = keyOf(content);
    if (this.currentOf(caseId) !== key || operation.state === 'Superseded') return 'stale_proposal';
    if (operation.state !== 'Pending') return 'already_decided';
    if (this.operations.has(next)) return 'content_already_proposed';
    operation.state = 'Superseded';
    operation.revisedTo = next;
    this.insert(content, by, next, 'Pending');
    return 'revised';
  }

  withdraw(key: string): string {
    const operation = this.operations.get(key);
    if (!operation) return 'unknown_operation';
    if (operation.state === 'Withdrawn') return 'withdrawn';
    if (this.currentOf(operation.content.caseId) !== key || operation.state === 'Superseded') return 'stale_proposal';
    if (operation.state !== 'Pending' && operation.state !== 'Approved') return 'already_decided';
    operation.state = 'Withdrawn';
    return 'withdrawn';
  }

  settle(key: string): null {
    const operation = this.operations.get(key)!;
    if (operation.state !== 'Pending' && operation.state !== 'Approved') return null;
    const deadlines = [this.expiry(operation.content), operation.state === 'Pending' ? operation.decideByMs : null];
    const deadline = Math.min(...deadlines.map((ms) => ms ?? Infinity));
    const against = this.objection(operation.content, deadline);
    if (against) operation.state = against[1];
    return null;
  }

  private resendable(operation: ModelOperation): boolean {
    const { deduplicates, lookup } = this.receiver;
    const last = operation.attempts.at(-1)!;
    if (!deduplicates || operation.state !== 'Unknown' || operation.attempts.length >= attemptLimit) return false;
    if (operation.look === 'conflict' || last.answer === 'conflict') return false;
    if (lookup === 'none') return true;
    return operation.look === 'absent' && (lookup === 'authoritative' || operation.word === 'effect_did_not_happen');
  }

  claim(key: string): string {
    const operation = this.operations.get(key)!;
    const { state, attempts, content } = operation;
    if (state === 'Completed') return 'completed';
    const held = holding.includes(state);
    if ((state !== 'Approved' && !held) || operation.decision?.approved !== true) return 'not_approved';
    if (held && this.nowMs < attempts.at(-1)!.leaseUntilMs) return 'in_progress';
    if (held && !this.resendable(operation)) return 'unknown';
    const against = this.objection(content, this.expiry(content));
    if (against && !held) operation.state = against[1];
    if (against) return against[0];
    if (this.holder(key)) return 'overlap';
    operation.state = 'Executing';
    const leaseMs = Math.min(60_000, 5_000 * 2 ** attempts.length);
    attempts.push({ leaseUntilMs: this.nowMs + leaseMs, answer: null });
    operation.look = null;
    operation.word = null;
    return 'claimed';
  }

  complete(key: string, number: number, answer: string): null {
    const operation = this.operations.get(key)!;
    const attempt = operation.attempts[number - 1];
    if (attempt?.answer !== null) return null;
    attempt.answer = answer;
    if (!holding.includes(operation.state)) return null;
    if (answer !== 'conflict') operation.state = 'Completed';
    else if (number === operation.attempts.length) operation.state = 'Unknown';
    return null;
  }

  observe(key: string, number: number, finding: string): null {
    const operation = this.operations.get(key)!;
    if (!holding.includes(operation.state)) return null;
    if (finding === 'matching') operation.state = 'Completed';
    else if (number === operation.attempts.length) operation.state = 'Unknown';
    if (number === operation.attempts.length && finding !== 'unavailable') operation.look = finding;
    return null;
  }

  resolve(key: string, resolution: string): string {
    const operation = this.operations.get(key);
    if (!operation) return 'unknown_operation';
    // The same again, by the same operator with the same reason.
    if (operation.settledBy === resolution) return 'resolved';
    if (operation.state !== 'Unknown') return 'not_unknown';
    operation.word = resolution;
    if (resolution === 'effect_happened') operation.state = 'Completed';
    if (resolution === 'abandon') operation.state = 'Abandoned';
    if (resolution === 'effect_did_not_happen' && !this.receiver.deduplicates) operation.state = 'Abandoned';
    if (operation.state !== 'Unknown') operation.settledBy = resolution;
    return 'resolved';
  }
}
