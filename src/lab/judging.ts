/**
 * The five promises, judged from what was recorded. Pure: no clock, no process, nothing of the code under test. A
 * violation is a fact that was read; where something could not be read, what is not violated is unknown, and that
 * something was not found establishes nothing.
 */
import type { Evidence, Outcome, Reported } from './evidence.ts';
import type { LabEvent } from './journal.ts';
import { promiseNames, type PromiseName, type Verdict } from './names.ts';
import type { Judgement } from './result.ts';

const text = (event: LabEvent, key: string): string => String(event.detail[key] ?? '');
const named = (evidence: Evidence, what: string): readonly LabEvent[] =>
  evidence.events.filter((event) => event.what === what);
const short = (contentId: string): string => contentId.slice(0, 14);

function tally(names: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** Times the receiver recorded an effect of each content: by its own word when it did so, and by what it still holds. */
export function effectsByContent(evidence: Evidence): ReadonlyMap<string, number> {
  const created = tally(named(evidence, 'effect-created').map((event) => text(event, 'contentId')));
  const stored = tally(evidence.effects.map(({ contentId }) => contentId));
  const contents = new Set([...created.keys(), ...stored.keys()]);
  return new Map([...contents].map((id) => [id, Math.max(created.get(id) ?? 0, stored.get(id) ?? 0)]));
}

interface Violation {
  readonly why: string;
  /** Whether it rests on a record that was not found: it may stand in what could not be read. */
  readonly notFound: boolean;
}

/** Every violation, and what is said where there is none. */
type Check = Generator<Violation, string>;

const violated = (why: string): Violation => ({ why, notFound: false });
const lacking = (why: string): Violation => ({ why, notFound: true });

function* atMostOneEffect(evidence: Evidence): Check {
  const counts = effectsByContent(evidence);
  const twice = [...counts].find(([, count]) => count > 1);
  if (twice) yield violated(`the receiver recorded ${twice[1]} effects of ${short(twice[0])}`);
  return counts.size === 0 ? 'the receiver recorded no effect' : 'the receiver recorded one effect per content';
}

/** Whether whoever asked was told no, and nothing is on record: then nothing was approved. */
function wasRefused(evidence: Evidence, asked: LabEvent): boolean {
  const same = (key: string, other: LabEvent): boolean => other.detail[key] === asked.detail[key];
  const told = evidence.events
    .slice(evidence.events.indexOf(asked))
    .find(
      (event) =>
        event.what === 'decision-told' && ['contentId', 'approved', 'reviewer'].every((key) => same(key, event)),
    );
  const recorded = evidence.decisions.some(
    ({ contentId, approved }) => contentId === text(asked, 'contentId') && approved === asked.detail['approved'],
  );
  return told?.detail['acknowledged'] === false && !recorded;
}

const approvedBefore = (evidence: Evidence, contentId: string, atMs: number): boolean =>
  named(evidence, 'decision-asked').some(
    (event) =>
      event.atMs <= atMs &&
      text(event, 'contentId') === contentId &&
      event.detail['approved'] === true &&
      !wasRefused(evidence, event),
  );

/** Why an approval of this content no longer stood at an instant. */
function voidAt(evidence: Evidence, contentId: string, atMs: number): string | null {
  const fact = named(evidence, 'approval-void').findLast(
    (event) => event.atMs <= atMs && text(event, 'contentId') === contentId,
  );
  return fact ? text(fact, 'why') : null;
}

/** The other operation that had the object in its hands at an instant. */
function busyAt(evidence: Evidence, contentId: string, atMs: number): string | null {
  const objectOf = (id: string): string | null => {
    const shown = named(evidence, 'proposal-shown').find((event) => text(event, 'contentId') === id);
    return shown ? text(shown, 'object') : null;
  };
  const object = objectOf(contentId);
  if (object === null) return null;
  const taken = named(evidence, 'object-taken').find(
    (event) => text(event, 'object') === object && text(event, 'contentId') !== contentId && event.atMs <= atMs,
  );
  if (!taken) return null;
  const freed = named(evidence, 'object-freed').find((event) => text(event, 'object') === object);
  return freed && freed.atMs <= atMs ? null : text(taken, 'contentId');
}

function* onlyWhatWasApproved(evidence: Evidence): Check {
  for (const { contentId } of evidence.effects) {
    const sent = named(evidence, 'effect-created').some((event) => text(event, 'contentId') === contentId);
    const planted = named(evidence, 'effect-planted').some((event) => text(event, 'contentId') === contentId);
    if (!sent && !planted) yield lacking(`${short(contentId)} is an effect that nobody was seen to send`);
  }
  const requests = named(evidence, 'effect-requested');
  for (const effect of named(evidence, 'effect-created')) {
    const id = text(effect, 'contentId');
    const request = requests.findLast(
      (event) => event.atMs <= effect.atMs && text(event, 'key') === text(effect, 'key'),
    );
    const sentMs = request?.atMs ?? effect.atMs;
    if (!approvedBefore(evidence, id, sentMs)) yield lacking(`${short(id)} was sent, and nobody had approved it`);
    const why = voidAt(evidence, id, sentMs);
    if (why !== null) yield violated(`${short(id)} was sent although ${why}`);
    const other = busyAt(evidence, id, sentMs);
    if (other !== null) yield violated(`${short(id)} was sent while ${short(other)} was under way on the same object`);
  }
  return 'every effect had an approval of its content that stood';
}

interface Acknowledged {
  readonly contentId: string;
  readonly caseId: string;
  readonly approved: boolean;
  readonly atMs: number;
}

const acknowledged = (evidence: Evidence): readonly Acknowledged[] =>
  named(evidence, 'decision-told')
    .filter((event) => event.detail['acknowledged'] === true)
    .map((event) => ({
      contentId: text(event, 'contentId'),
      caseId: text(event, 'caseId'),
      approved: event.detail['approved'] === true,
      atMs: event.atMs,
    }));

function* decisionIsKept(evidence: Evidence): Check {
  const told = acknowledged(evidence);
  for (const { contentId, approved, caseId } of told) {
    if (told.some((other) => other.contentId === contentId && other.approved !== approved)) {
      yield violated(`approving and declining ${short(contentId)} were both acknowledged`);
    }
    const kept = evidence.decisions.some((record) => {
      const same =
        record.contentId === null ? record.workflowId === `review/${caseId}` : record.contentId === contentId;
      return same && record.approved === approved;
    });
    if (!kept) yield lacking(`no authority has a record of the acknowledged decision on ${short(contentId)}`);
    const effect = named(evidence, 'effect-created').some((event) => text(event, 'contentId') === contentId);
    if (!approved && effect) yield violated(`${short(contentId)} was declined, and its effect happened`);
  }
  return told.length === 0 ? 'no decision was acknowledged' : 'every acknowledged decision is on record';
}

/** What was under review in a run, as it was last shown. */
function contentOfRun(evidence: Evidence, workflowId: string | null): string | null {
  const shown = named(evidence, 'proposal-shown').findLast((event) => `review/${text(event, 'caseId')}` === workflowId);
  return shown ? text(shown, 'contentId') : null;
}

function* noInventedOutcome(evidence: Evidence): Check {
  const counts = effectsByContent(evidence);
  for (const { authority, contentId, workflowId, outcome, said } of evidence.outcomes) {
    const id = contentId ?? contentOfRun(evidence, workflowId);
    if (id === null) continue;
    const happened = (counts.get(id) ?? 0) > 0;
    if (outcome === 'happened' && !happened) {
      yield lacking(`the ${authority} says "${said}" of ${short(id)}, and the receiver never had it`);
    }
    if (outcome === 'did-not-happen' && happened) {
      yield violated(`the ${authority} says "${said}" of ${short(id)}, and its effect happened`);
    }
  }
  return 'what is reported agrees with the receiver';
}

/** A failed run shows why: that is a reason, whether or not it is true. */
const failedVisibly = ({ authority, said }: Outcome): boolean => authority === 'engine' && said.startsWith('failed');

/** Whether another content was under review by then: a decision on the old one had nothing to bring about. */
function overtakenAt(evidence: Evidence, { contentId, caseId, atMs }: Omit<Acknowledged, 'approved'>): boolean {
  const shown = named(evidence, 'proposal-shown').filter((event) => text(event, 'caseId') === caseId);
  const first = shown.find((event) => text(event, 'contentId') === contentId);
  return shown.some(
    (event) => text(event, 'contentId') !== contentId && event.atMs >= (first?.atMs ?? 0) && event.atMs <= atMs,
  );
}

function* noWorkLost(evidence: Evidence): Check {
  const counts = effectsByContent(evidence);
  for (const { contentId, caseId, approved, atMs } of acknowledged(evidence)) {
    // Whoever approved without having seen anything approved no work in particular.
    if (!approved || contentId === '' || (counts.get(contentId) ?? 0) > 0) continue;
    const visible: readonly Reported[] = ['open', 'unknown'];
    const shown = evidence.outcomes.some(
      (one) =>
        (one.contentId ?? contentOfRun(evidence, one.workflowId)) === contentId &&
        one.said !== 'gone' &&
        (visible.includes(one.outcome) || failedVisibly(one) || voidAt(evidence, contentId, Infinity) !== null),
    );
    if (shown || overtakenAt(evidence, { contentId, caseId, atMs })) continue;
    yield lacking(`the approval of ${short(contentId)} led to nothing, and nobody shows it`);
  }
  for (const begun of named(evidence, 'proposal-shown')) {
    const id = text(begun, 'contentId');
    const listed = evidence.outcomes.some(
      (one) => (one.contentId === id || one.workflowId === `review/${text(begun, 'caseId')}`) && one.said !== 'gone',
    );
    if (!listed && (counts.get(id) ?? 0) === 0)
      yield lacking(`${short(id)} was under review, and no authority shows it`);
  }
  return 'every approval ended in its effect, a reason, or is shown';
}

const checks: Readonly<Record<PromiseName, (evidence: Evidence) => Check>> = {
  'at-most-one-effect': atMostOneEffect,
  'only-what-was-approved': onlyWhatWasApproved,
  'decision-is-kept': decisionIsKept,
  'no-invented-outcome': noInventedOutcome,
  'no-work-lost': noWorkLost,
};

function outcomeOf(check: Check): { readonly found: readonly Violation[]; readonly otherwise: string } {
  const found: Violation[] = [];
  for (;;) {
    const { done, value } = check.next();
    if (done) return { found, otherwise: value };
    found.push(value);
  }
}

/** `trouble`: why the experiment did not come to its end; then nothing is held. */
export function judge(evidence: Evidence, trouble: string | null): Readonly<Record<PromiseName, Judgement>> {
  const doubt = trouble ?? evidence.unread[0] ?? null;
  const wholeRead = evidence.unread.length === 0;
  const judgement = (promise: PromiseName): Judgement => {
    const { found, otherwise } = outcomeOf(checks[promise](evidence));
    const broken = found.find(({ notFound }) => wholeRead || !notFound);
    const verdict: Verdict = broken ? 'violated' : doubt === null ? 'held' : 'unknown';
    return { verdict, why: verdict === 'unknown' ? `not established: ${doubt ?? ''}` : (broken?.why ?? otherwise) };
  };
  return Object.fromEntries(promiseNames.map((name) => [name, judgement(name)])) as Record<PromiseName, Judgement>;
}
