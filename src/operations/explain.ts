/**
 * Use case `explain`: what definitely happened, what was attempted, what is not established. Every line rests on a
 * stored record and names it; no record is told twice, and none is left out.
 */
import { isoTime } from '../core/presentation.ts';
import type {
  AttemptRecord,
  DecisionRecord,
  DraftRecord,
  JournalRecord,
  ObservationRecord,
  ResolutionRecord,
} from '../core/records.ts';
import { holdsObject } from '../core/states.ts';
import { draftBehind } from './draft.ts';
import type { Ports } from './ports.ts';
import { viewOf } from './reading.ts';

export interface Line {
  readonly text: string;
  /** The record this line rests on. `key` identifies it within its table. */
  readonly record: { readonly table: string; readonly key: string; readonly at: string };
  /** Whether this record says the opposite of the final state, which stays. */
  readonly contradicts: boolean;
}

export interface Explanation {
  readonly operationId: string;
  readonly state: string;
  readonly happened: readonly Line[];
  readonly attempted: readonly Line[];
  readonly notEstablished: readonly Line[];
}

type List = 'happened' | 'attempted' | 'notEstablished';

/** `order`: the sequence number of the journal record written with this one, in the same transaction. */
interface Told {
  readonly list: List;
  readonly line: Line;
  readonly order: number;
}

const against = ' This contradicts the recorded state.';

const lineOf = (text: string, table: string, key: string | number, atMs: number, contradicts = false): Line => ({
  text: contradicts ? text + against : text,
  record: { table, key: String(key), at: isoTime(atMs) },
  contradicts,
});

const stateIn = (entry: JournalRecord): string | null => {
  const { state } = JSON.parse(entry.detail) as { state?: unknown };
  return typeof state === 'string' ? state : null;
};

const attemptIn = (entry: JournalRecord): unknown => (JSON.parse(entry.detail) as { attempt?: unknown }).attempt;

const is = {
  decision: ({ what }: JournalRecord) => what === 'approved' || what === 'declined',
  claim: ({ what }: JournalRecord) => what === 'claimed' || what === 'claimed again',
  receipt: ({ what }: JournalRecord) => /^receipt( against \w+)?: /.test(what),
  look: ({ what }: JournalRecord) => /^look( against \w+)?: /.test(what),
  word: ({ what }: JournalRecord) => what.startsWith('resolved: '),
};
/** Journal records that were written together with a row of another table, which has more to say. */
const hasRow = (entry: JournalRecord): boolean => Object.values(is).some((matches) => matches(entry));

const refusal = ' refused: ';

/** What was asked for in vain, and why; where asking showed that it is over, that is an event of its own. */
function fromRefusal(entry: JournalRecord, moved: boolean): Told {
  const [act = '', outcome = ''] = entry.what.split(refusal);
  const { why } = JSON.parse(entry.detail) as { why?: unknown };
  const because = typeof why === 'string' ? ` (${why})` : '';
  const since = moved ? ` It is ${stateIn(entry) ?? ''} since.` : '';
  const text = `${act.charAt(0).toUpperCase()}${act.slice(1)} by ${entry.actor} refused: ${outcome}${because}.${since}`;
  const line = lineOf(text, 'journal', entry.sequence, entry.atMs);
  return { list: moved ? 'happened' : 'attempted', line, order: entry.sequence };
}

function fromJournal(entry: JournalRecord, before: string | null): Told {
  const state = stateIn(entry);
  if (entry.what.includes(refusal)) return fromRefusal(entry, state !== null && state !== before);
  const texts: Readonly<Record<string, string>> = {
    proposed: `The proposal was recorded, proposed by ${entry.actor}.`,
    'delivered again': `${entry.actor} delivered the same content again.`,
    'superseded by a revision': `${entry.actor} replaced it by a revised proposal.`,
    superseded: 'Its object had another version; it was superseded.',
    denied: 'Its object did not permit it; it was denied.',
    expired: 'Its time was over before it could go on; it expired.',
    withdrawn: `${entry.actor} withdrew it.`,
    'reviewed by a run': 'A workflow run took up its review.',
  };
  const text = texts[entry.what] ?? `Recorded by ${entry.actor}: ${entry.what}.`;
  return { list: 'happened', line: lineOf(text, 'journal', entry.sequence, entry.atMs), order: entry.sequence };
}

function journalLines(journal: readonly JournalRecord[]): Told[] {
  let state: string | null = null;
  const lines: Told[] = [];
  for (const entry of journal) {
    if (!hasRow(entry)) lines.push(fromJournal(entry, state));
    state = stateIn(entry) ?? state;
  }
  return lines;
}

/** Before everything else, as it was: what was proposed is what had been drafted. */
function fromDraft({ requestId, drafter, draftedAtMs }: DraftRecord): Told {
  const line = lineOf(`Its text is what the drafter ${drafter} wrote.`, 'drafts', requestId, draftedAtMs);
  return { list: 'happened', line, order: 0 };
}

const lastly = Number.MAX_SAFE_INTEGER;

function fromDecision(decision: DecisionRecord, journal: readonly JournalRecord[]): Told {
  const { operationId, approved, reviewer, reason, via, decidedAtMs } = decision;
  const why = reason === null ? '' : `: ${reason}`;
  const text = `${reviewer} ${approved ? 'approved' : 'declined'} it (${via})${why}.`;
  const order = journal.find(is.decision)?.sequence ?? lastly;
  return { list: 'happened', line: lineOf(text, 'decisions', operationId, decidedAtMs), order };
}

const answerTexts = {
  created: 'the receiver recorded the effect',
  exists: 'the receiver held this very effect already',
  conflict: 'the receiver holds another payload under this identity',
} as const;

function fromAttempt(attempt: AttemptRecord, journal: readonly JournalRecord[]): Told {
  const { answer, answeredAtMs, executor, receiverId } = attempt;
  const key = `${attempt.operationId}/${attempt.attempt}`;
  const by = `claimed by ${executor} for ${receiverId}`;
  const own = (matches: (entry: JournalRecord) => boolean): JournalRecord | undefined =>
    journal.find((entry) => matches(entry) && attemptIn(entry) === attempt.attempt);
  if (answer === null || answeredAtMs === null) {
    const text = `Attempt ${attempt.attempt} was ${by}; no answer is recorded.`;
    const line = lineOf(text, 'attempts', key, attempt.claimedAtMs);
    return { list: 'attempted', line, order: own(is.claim)?.sequence ?? lastly };
  }
  const receipt = own(is.receipt);
  const contradicts = receipt?.what.startsWith('receipt against') ?? false;
  const text = `Attempt ${attempt.attempt}, ${by}, was answered: ${answerTexts[answer]}.`;
  const line = lineOf(text, 'attempts', key, answeredAtMs, contradicts);
  return { list: 'happened', line, order: receipt?.sequence ?? lastly };
}

const findingTexts = {
  matching: 'A look at the receiver found exactly this effect.',
  conflict: 'A look at the receiver found another payload under this identity.',
  absent: 'A look at the receiver found no effect.',
  unavailable: 'The receiver could not be asked.',
} as const;

function fromLook(look: ObservationRecord, entry: JournalRecord | undefined): Told {
  const but = look.discounted === null ? '' : ` It proves nothing: ${look.discounted}.`;
  const text = findingTexts[look.finding] + but;
  const line = lineOf(text, 'observations', look.sequence, look.observedAtMs, look.contradiction);
  const seen = look.finding === 'matching' || look.finding === 'conflict';
  return { list: seen ? 'happened' : 'notEstablished', line, order: entry?.sequence ?? lastly };
}

function fromWord(word: ResolutionRecord, entry: JournalRecord | undefined): Told {
  const reference = word.reference === null ? '' : ` (${word.reference})`;
  const text = `${word.operator} resolved: ${word.resolution}${reference}: ${word.reason}.`;
  const line = lineOf(text, 'resolutions', word.sequence, word.resolvedAtMs);
  return { list: 'happened', line, order: entry?.sequence ?? lastly };
}

/** Rests on the record that left it so: the claim, or what came of the last attempt or look. */
function openQuestion(state: string, journal: readonly JournalRecord[]): Told[] {
  const entry = journal.findLast((record) => hasRow(record) && stateIn(record) === state);
  if (!entry) return [];
  const text = `Whether the effect happened is not established: it is ${state}.`;
  return [{ list: 'notEstablished', line: lineOf(text, 'journal', entry.sequence, entry.atMs), order: lastly }];
}

/** Throws `not_found`. */
export async function explain(ports: Ports, operationId: string): Promise<Explanation> {
  const { ledger } = ports;
  const { operation, decision, attempts, resolutions } = await viewOf(ledger, operationId);
  const [journal, looks] = await Promise.all([ledger.journal(operationId), ledger.observations(operationId)]);
  const draft = await draftBehind(ports, operation);
  const lookEntries = journal.filter(is.look);
  const wordEntries = journal.filter(is.word);
  const told = [
    ...(draft === null ? [] : [fromDraft(draft)]),
    ...journalLines(journal),
    ...(decision === null ? [] : [fromDecision(decision, journal)]),
    ...attempts.map((attempt) => fromAttempt(attempt, journal)),
    ...looks.map((look, index) => fromLook(look, lookEntries[index])),
    ...resolutions.map((word, index) => fromWord(word, wordEntries[index])),
    ...(holdsObject(operation.state) ? openQuestion(operation.state, journal) : []),
  ].sort((left, right) => left.order - right.order);
  const lines = (list: List): Line[] => told.filter((one) => one.list === list).map(({ line }) => line);
  return {
    operationId,
    state: operation.state,
    happened: lines('happened'),
    attempted: lines('attempted'),
    notEstablished: lines('notEstablished'),
  };
}
