/** The five promises, each against evidence that keeps it and evidence that breaks it. */
import { describe, expect, test } from 'vitest';
import type { Evidence } from '../../src/lab/evidence.ts';
import type { Detail, LabEvent } from '../../src/lab/journal.ts';
import { judge } from '../../src/lab/judging.ts';
import { observe } from '../../src/lab/observed.ts';
import { promiseNames, worst, type Lane, type PromiseName } from '../../src/lab/names.ts';

const content = 'op-v1-aaaa';
const other = 'op-v1-bbbb';
const caseId = 'T-1';

type Step = readonly [Lane, string, Readonly<Record<string, Detail>>];

const shown = (contentId = content, of = caseId, object = 'thing'): Step => [
  'approver',
  'proposal-shown',
  { contentId, caseId: of, object },
];
const asked = (contentId = content, approved = true): Step => [
  'approver',
  'decision-asked',
  { contentId, caseId, approved, reviewer: 'rosa' },
];
const told = (contentId = content, approved = true, acknowledged: boolean | null = true): Step => [
  'approver',
  'decision-told',
  { contentId, caseId, approved, acknowledged, reviewer: 'rosa', said: 'recorded' },
];
const sent = (contentId = content, key = contentId): Step => ['receiver', 'effect-requested', { contentId, key }];
const created = (contentId = content, key = contentId): Step => ['receiver', 'effect-created', { contentId, key }];

function evidence(steps: readonly Step[], rest: Partial<Omit<Evidence, 'events'>> = {}): Evidence {
  const events = steps.map(([lane, what, detail], index): LabEvent => ({ atMs: index, lane, what, by: 'x', detail }));
  return { events, effects: [], decisions: [], outcomes: [], unread: [], ...rest };
}

const completed = {
  authority: 'ledger',
  contentId: content,
  workflowId: null,
  outcome: 'happened',
  said: 'Completed',
} as const;
const kept = { contentId: content, workflowId: null, approved: true } as const;
const once = { effects: [{ key: content, contentId: content }], decisions: [kept], outcomes: [completed] };
const good = [shown(), asked(), told(), sent(), created()];

/** The one promise that this evidence breaks; `null`: none. */
function broken(given: Evidence): readonly PromiseName[] {
  const judgements = judge(given, null);
  return promiseNames.filter((name) => judgements[name].verdict === 'violated');
}

test('an approved content with one effect, on record and reported, keeps every promise', () => {
  const judgements = judge(evidence(good, once), null);

  expect(Object.values(judgements).map(({ verdict }) => verdict)).toStrictEqual(promiseNames.map(() => 'held'));
});

describe('at most one effect', () => {
  test('two records of one content break it, under whatever keys', () => {
    const effects = [
      { key: 'random-1', contentId: content },
      { key: 'random-2', contentId: content },
    ];
    const steps = [...good, sent(content, 'random-2'), created(content, 'random-2')];

    expect(broken(evidence(steps, { ...once, effects }))).toStrictEqual(['at-most-one-effect']);
  });

  test('an effect that the receiver recorded and later lost still counts', () => {
    const steps = [...good, sent(), created()];

    expect(broken(evidence(steps, once))).toStrictEqual(['at-most-one-effect']);
  });

  test('the answer that an effect exists already is no effect', () => {
    const steps: Step[] = [...good, sent(), ['receiver', 'effect-exists', { contentId: content, key: content }]];

    expect(broken(evidence(steps, once))).toStrictEqual([]);
  });
});

describe('only what was approved', () => {
  const promise = 'only-what-was-approved';

  test('an effect of a content that nobody approved breaks it', () => {
    const steps = [shown(), shown(other), asked(), told(), sent(other), created(other)];

    expect(broken(evidence(steps, { ...once, effects: [{ key: other, contentId: other }] }))).toContain(promise);
  });

  test('an approval that came after the effect was sent does not cover it', () => {
    const steps = [shown(), sent(), created(), asked(), told()];

    expect(broken(evidence(steps, once))).toStrictEqual([promise]);
  });

  test('an approval that was refused covers nothing, unless it is on record all the same', () => {
    const steps = [shown(), asked(), told(content, true, false), sent(), created()];

    expect(broken(evidence(steps, { ...once, decisions: [] }))).toStrictEqual([promise]);
    expect(broken(evidence(steps, once))).toStrictEqual([]);
  });

  test('an effect sent after the approval had ended breaks it; one sent before does not', () => {
    const ended: Step = ['fault', 'approval-void', { contentId: content, why: 'it had expired' }];

    expect(broken(evidence([shown(), asked(), told(), ended, sent(), created()], once))).toStrictEqual([promise]);
    expect(broken(evidence([shown(), asked(), told(), sent(), ended, created()], once))).toStrictEqual([]);
  });

  test('an effect on an object that is in the hands of another operation breaks it, until that is over', () => {
    const taken: Step = ['fault', 'object-taken', { object: 'thing', contentId: other }];
    const freed: Step = ['fault', 'object-freed', { object: 'thing' }];

    expect(broken(evidence([shown(), taken, asked(), told(), sent(), created(), freed], once))).toStrictEqual([
      promise,
    ]);
    expect(broken(evidence([shown(), taken, asked(), told(), freed, sent(), created()], once))).toStrictEqual([]);
  });

  test('an effect in the database that no process was seen to send breaks it', () => {
    const effects = [...once.effects, { key: other, contentId: other }];

    expect(broken(evidence([shown(), asked(), told(), sent(), created()], { ...once, effects }))).toStrictEqual([
      promise,
    ]);
  });
});

describe('a decision is kept', () => {
  const promise = 'decision-is-kept';

  test('an acknowledged decision without a record at the end breaks it', () => {
    expect(broken(evidence(good, { ...once, decisions: [] }))).toStrictEqual([promise]);
  });

  test('the opposite on record does not keep it', () => {
    expect(broken(evidence(good, { ...once, decisions: [{ ...kept, approved: false }] }))).toStrictEqual([promise]);
  });

  test('a signal in the history of the case’s run keeps it', () => {
    const decisions = [{ contentId: null, workflowId: `review/${caseId}`, approved: true }];

    expect(broken(evidence(good, { ...once, decisions }))).toStrictEqual([]);
  });

  test('two opposite acknowledgements break it, whatever is on record', () => {
    const steps = [...good, asked(content, false), told(content, false)];
    const decisions = [kept, { ...kept, approved: false }];

    expect(broken(evidence(steps, { ...once, decisions }))).toStrictEqual([promise]);
  });

  test('a decision that was refused, or never answered, need not be kept', () => {
    const steps = [shown(), asked(), told(content, true, false), asked(), told(content, true, null)];
    const open = { ...completed, outcome: 'open', said: 'Pending' } as const;

    expect(broken(evidence(steps, { outcomes: [open] }))).toStrictEqual([]);
  });
});

describe('no invented outcome', () => {
  const promise = 'no-invented-outcome';

  test('"happened" of an effect that never was breaks it', () => {
    expect(broken(evidence([shown(), asked(), told()], { ...once, effects: [] }))).toContain(promise);
  });

  test('"failed" of an effect that happened breaks it, said by a run of the case', () => {
    const failed = { authority: 'engine', contentId: null, workflowId: `review/${caseId}` } as const;
    const outcomes = [completed, { ...failed, outcome: 'did-not-happen', said: 'failed' } as const];

    expect(broken(evidence(good, { ...once, outcomes }))).toStrictEqual([promise]);
  });

  test('"unknown" is never invented', () => {
    const outcomes = [{ ...completed, outcome: 'unknown', said: 'Unknown' } as const];

    expect(broken(evidence(good, { ...once, outcomes }))).toStrictEqual([]);
  });
});

describe('no work is lost', () => {
  const promise = 'no-work-lost';
  const approvedOnly = [shown(), asked(), told()];
  const said = (outcome: 'open' | 'unknown' | 'did-not-happen', word: string) =>
    [{ ...completed, outcome, said: word }] as const;

  test('an acknowledged approval that led to nothing, and that nobody shows, breaks it', () => {
    expect(broken(evidence(approvedOnly, { decisions: [kept] }))).toStrictEqual([promise]);
  });

  test.each(['open', 'unknown'] as const)('one that is shown as %s does not', (outcome) => {
    expect(broken(evidence(approvedOnly, { decisions: [kept], outcomes: said(outcome, outcome) }))).toStrictEqual([]);
  });

  test('one that was closed needs a reason', () => {
    const outcomes = said('did-not-happen', 'Denied');
    const reason: Step = ['fault', 'approval-void', { contentId: content, why: 'the permission had been revoked' }];

    expect(broken(evidence(approvedOnly, { decisions: [kept], outcomes }))).toStrictEqual([promise]);
    expect(broken(evidence([...approvedOnly, reason], { decisions: [kept], outcomes }))).toStrictEqual([]);
  });

  test('a run that failed says why, and that is shown', () => {
    const run = { authority: 'engine', contentId: null, workflowId: `review/${caseId}` } as const;
    const outcomes = [{ ...run, outcome: 'did-not-happen', said: 'failed: the key is in use' } as const];
    const decisions = [{ contentId: null, workflowId: `review/${caseId}`, approved: true }];

    expect(broken(evidence(approvedOnly, { decisions, outcomes }))).toStrictEqual([]);
  });

  test('an approval of what was no longer under review had nothing to bring about', () => {
    const outcomes = said('did-not-happen', 'Superseded');
    const shownNow = { ...completed, contentId: other, outcome: 'open', said: 'Pending' } as const;
    const steps = [shown(), shown(other), asked(), told()];

    expect(broken(evidence(steps, { decisions: [kept], outcomes: [...outcomes, shownNow] }))).toStrictEqual([]);
  });

  test('a case under review that no authority shows breaks it', () => {
    expect(broken(evidence([shown()]))).toStrictEqual([promise]);
  });
});

test('what could not be read makes unknown what is not violated, and a violation stays one', () => {
  const judgements = judge(evidence([...good, sent(), created()], { ...once, unread: ['the ledger: damaged'] }), null);

  expect(judgements['at-most-one-effect'].verdict).toBe('violated');
  expect(judgements['decision-is-kept']).toStrictEqual({
    verdict: 'unknown',
    why: 'not established: the ledger: damaged',
  });
  expect(worst(Object.values(judgements).map(({ verdict }) => verdict))).toBe('violated');
});

test('what is not found is no violation where something could not be read', () => {
  const nothing = { decisions: [], outcomes: [], unread: ['the ledger: database is locked'] };
  const unseen = { effects: [{ key: other, contentId: other }], unread: ['1 lines of the journal'] };

  expect(broken(evidence([shown(), asked(), told()], nothing))).toStrictEqual([]);
  expect(broken(evidence([shown(), asked(), told()], { ...once, effects: [], unread: nothing.unread }))).toStrictEqual(
    [],
  );
  expect(broken(evidence([sent(), created()], unseen))).toStrictEqual([]);
});

test('a violation that was read counts beside something that was not found', () => {
  const steps = [shown(), asked(content, false), told(content, false), sent(), created()];

  expect(broken(evidence(steps, { ...once, decisions: [], unread: ['the ledger: damaged'] }))).toStrictEqual([
    'decision-is-kept',
  ]);
});

test('an experiment that did not come to its end holds nothing', () => {
  const judgements = judge(evidence(good, once), 'it rests: not within 45 s');

  expect(Object.values(judgements).map(({ verdict }) => verdict)).toStrictEqual(promiseNames.map(() => 'unknown'));
});

test('counts come from the journal: attempts, writes, looks, replays, drafts, and what a person did', () => {
  const activity = (name: string): Step => ['worker', 'activity-started', { activity: name, attempt: 1, local: false }];
  const steps: Step[] = [
    ...good,
    activity('execute'),
    activity('decide'),
    ['fault', 'fault-reached', {}],
    ['worker', 'workflow-replayed', {}],
    activity('reconcile'),
    ['receiver', 'looked', { found: true }],
    ['model', 'drafted', { caseId }],
    ['person', 'ran-a-command', { command: 'sweep' }],
    ['ledger', 'settled', {}],
  ];

  expect(observe(evidence(steps, once), 'ledger')).toMatchObject({
    effects: { total: 1, byIdentity: 1, byContent: { [content]: 1 } },
    shown: { engine: null, ledger: 'Completed', receiver: '1 effect' },
    told: ['rosa, approving: recorded'],
    ranAgain: { workflowReplays: 1, activityAttempts: 2, receiverWrites: 1, receiverLooks: 1, modelCalls: 1 },
    person: ['ran `sweep`'],
    settledMs: 6,
  });
});
