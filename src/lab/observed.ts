/** What was observed, counted from the evidence. */
import type { Evidence, Outcome } from './evidence.ts';
import { effectsByContent } from './judging.ts';
import type { LabEvent } from './journal.ts';
import { armHasEngine, armHasLedger, type ArmName } from './names.ts';
import type { Observed, TimelineEvent } from './result.ts';

const carryingOut = ['record', 'execute', 'reconcile'];

const saidBy = (outcomes: readonly Outcome[], authority: Outcome['authority']): string | null => {
  const said = outcomes.filter((outcome) => outcome.authority === authority).map((outcome) => outcome.said);
  return said.length === 0 ? 'nothing' : said.join(', ');
};

function settledMs(events: readonly LabEvent[]): number | null {
  const from = events.find(({ lane }) => lane === 'fault') ?? events.find(({ what }) => what === 'decision-asked');
  const end = events.findLast(({ what }) => what === 'settled');
  return from && end ? end.atMs - from.atMs : null;
}

export function observe(evidence: Evidence, arm: ArmName): Observed {
  const { events, effects, outcomes } = evidence;
  const count = (what: string): number => events.filter((event) => event.what === what).length;
  const byContent = Object.fromEntries(effectsByContent(evidence));
  const attempts = events.filter(
    ({ what, detail }) => what === 'activity-started' && carryingOut.includes(String(detail['activity'])),
  );
  return {
    effects: {
      total: Object.values(byContent).reduce((sum, n) => sum + n, 0),
      byIdentity: new Set(effects.map(({ key }) => key)).size,
      byContent,
    },
    shown: {
      engine: armHasEngine(arm) ? saidBy(outcomes, 'engine') : null,
      ledger: armHasLedger(arm) ? saidBy(outcomes, 'ledger') : null,
      receiver: effects.length === 1 ? '1 effect' : `${effects.length} effects`,
    },
    told: events
      .filter(({ what }) => what === 'decision-told')
      .map(
        ({ detail }) =>
          `${String(detail['reviewer'])}, ${detail['approved'] === true ? 'approving' : 'declining'}: ${String(detail['said'])}`,
      ),
    ranAgain: {
      workflowReplays: count('workflow-replayed'),
      activityAttempts: attempts.length,
      receiverWrites: count('effect-requested'),
      receiverLooks: count('looked'),
      modelCalls: count('drafted'),
    },
    person: events
      .filter(({ lane }) => lane === 'person')
      .map(({ what, detail }) => (detail['command'] === undefined ? what : `ran \`${String(detail['command'])}\``)),
    settledMs: settledMs(events),
  };
}

export function timelineOf(events: readonly LabEvent[]): readonly TimelineEvent[] {
  const from = events[0]?.atMs ?? 0;
  return events.map(({ atMs, lane, what, by, detail }) => ({ ms: atMs - from, lane, what, detail: { ...detail, by } }));
}
