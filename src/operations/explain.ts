/**
 * Use case `explain`: what definitely happened, what was attempted, what is not established. Every line rests on a
 * stored record and names it; there is no line without one.
 */
import { isoTime } from '../core/presentation.ts';
import type { AttemptRecord, JournalRecord, ObservationRecord, OperationView } from '../core/records.ts';
import { holdsObject } from '../core/states.ts';
import type { Ports } from './ports.ts';
import { viewOf } from './reading.ts';

export interface Line {
  readonly text: string;
  /** The record this line rests on. `key` identifies it within its table. */
  readonly record: { readonly table: string; readonly key: string; readonly at: string };
}

export interface Explanation {
  readonly operationId: string;
  readonly state: string;
  readonly happened: readonly Line[];
  readonly attempted: readonly Line[];
  readonly notEstablished: readonly Line[];
}

const lineOf = (text: string, table: string, key: string | number, atMs: number): Line => ({
  text,
  record: { table, key: String(key), at: isoTime(atMs) },
});

/** Journal entries that report what no other table holds. */
function fromJournal(entry: JournalRecord): Line | null {
  const told: Readonly<Record<string, string>> = {
    proposed: `The proposal was recorded, proposed by ${entry.actor}.`,
    'superseded by a revision': `${entry.actor} replaced it by a revised proposal.`,
    superseded: 'Its object had another version; it was superseded.',
    denied: 'Its object did not permit it; it was denied.',
    expired: 'Its time was over before it could go on; it expired.',
    withdrawn: `${entry.actor} withdrew it.`,
    'claim refused: denied': 'A claim was refused: its object did not permit it.',
    'claim refused: superseded': 'A claim was refused: its object had another version.',
    'claim refused: expired': 'A claim was refused: its time was over.',
  };
  const text = told[entry.what];
  return text === undefined ? null : lineOf(text, 'journal', entry.sequence, entry.atMs);
}

const answerTexts = {
  created: 'the receiver recorded the effect',
  exists: 'the receiver held this very effect already',
  conflict: 'the receiver holds another payload under this identity',
} as const;

function fromAttempt(attempt: AttemptRecord): Line {
  const key = `${attempt.operationId}/${attempt.attempt}`;
  if (attempt.answer !== null && attempt.answeredAtMs !== null) {
    return lineOf(
      `Attempt ${attempt.attempt} was answered: ${answerTexts[attempt.answer]}.`,
      'attempts',
      key,
      attempt.answeredAtMs,
    );
  }
  return lineOf(
    `Attempt ${attempt.attempt} was claimed by ${attempt.executor} for ${attempt.receiverId}; no answer is recorded.`,
    'attempts',
    key,
    attempt.claimedAtMs,
  );
}

const findingTexts = {
  matching: 'A look at the receiver found exactly this effect.',
  conflict: 'A look at the receiver found another payload under this identity.',
  absent: 'A look at the receiver found no effect.',
  unavailable: 'The receiver could not be asked.',
} as const;

function fromLook(look: ObservationRecord): Line {
  const against = look.contradiction ? ' This contradicts the recorded state.' : '';
  const but = look.discounted === null ? '' : ` It proves nothing: ${look.discounted}.`;
  return lineOf(findingTexts[look.finding] + but + against, 'observations', look.sequence, look.observedAtMs);
}

function openQuestions(view: OperationView, looks: readonly ObservationRecord[]): Line[] {
  const { operation } = view;
  const last = view.attempts.at(-1);
  const lines: Line[] = [];
  if (holdsObject(operation.state) && last) {
    const key = `${operation.operationId}/${last.attempt}`;
    lines.push(lineOf('Whether the effect happened is not established.', 'attempts', key, last.claimedAtMs));
  }
  lines.push(...looks.filter((look) => look.finding === 'absent' || look.finding === 'unavailable').map(fromLook));
  return lines;
}

/** Throws `not_found`. */
export async function explain(ports: Ports, operationId: string): Promise<Explanation> {
  const view = await viewOf(ports.ledger, operationId);
  const [journal, looks] = await Promise.all([
    ports.ledger.journal(operationId),
    ports.ledger.observations(operationId),
  ]);
  const { decision, attempts, resolutions } = view;
  const happened = [
    ...journal.map(fromJournal).filter((line) => line !== null),
    ...(decision === null
      ? []
      : [
          lineOf(
            `${decision.reviewer} ${decision.approved ? 'approved' : 'declined'} it (${decision.via}).`,
            'decisions',
            operationId,
            decision.decidedAtMs,
          ),
        ]),
    ...attempts.filter((attempt) => attempt.answer !== null).map(fromAttempt),
    ...looks.filter((look) => look.finding === 'matching' || look.finding === 'conflict').map(fromLook),
    ...resolutions.map((word) =>
      lineOf(
        `${word.operator} resolved: ${word.resolution}${word.reference === null ? '' : ` (${word.reference})`}.`,
        'resolutions',
        word.sequence,
        word.resolvedAtMs,
      ),
    ),
  ].sort((left, right) => left.record.at.localeCompare(right.record.at));
  return {
    operationId,
    state: view.operation.state,
    happened,
    attempted: attempts.filter((attempt) => attempt.answer === null).map(fromAttempt),
    notEstablished: openQuestions(view, looks),
  };
}
