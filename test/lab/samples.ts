/** A result of the lab as nobody measured it: every verdict, what is not applicable, trouble, repetitions, hostile text. */
import { arms, promises, type ArmName, type Lane, type PromiseName, type Verdict } from '../../src/lab/names.ts';
import type { AbsentCell, Cell, LabResult, RunCell, SituationInfo, TimelineEvent } from '../../src/lab/result.ts';

/** Markup, a terminal escape and a direction override, as a draft or an error message may hold them. */
const hostile = '<script>alert("1")</script> \u001b[31mred\u001b[0m \u202Eabc\u202C & \'q\' | `t`';

const situations: readonly SituationInfo[] = [
  {
    name: 'receipt-lost',
    title: 'The receipt is lost after the effect',
    fault: 'The worker exits with code 42 right after the receiver’s commit, before it can report the receipt.',
    group: 'Crashes around the effect',
  },
  {
    name: 'server-killed',
    title: 'The server is killed before the claim',
    fault: 'kill -9 of the server’s process when the worker reaches the claim.',
    group: 'Crashes around the effect',
  },
  {
    name: 'stale-tab',
    title: 'A stale tab approves the draft before the last',
    fault: `Nothing fails. ${hostile}`,
    group: 'Approvals',
  },
];

function happened(ms: number, lane: Lane, what: string, detail: TimelineEvent['detail'] = {}): TimelineEvent {
  return { ms, lane, what, detail };
}

/** Many events within milliseconds, a quiet time of seconds, a recovery. */
export const lostReceipt: readonly TimelineEvent[] = [
  happened(812, 'approver', 'decision-asked', { reviewer: 'noor', approved: true }),
  happened(818, 'engine', 'signal-accepted'),
  happened(829, 'worker', 'activity-started', { activity: 'decide', attempt: 1, local: true }),
  happened(833, 'ledger', 'decision-recorded', { draft: hostile }),
  happened(834, 'worker', 'activity-ended', { activity: 'decide', attempt: 1, local: true }),
  happened(834, 'approver', 'told', { outcome: 'recorded' }),
  happened(841, 'worker', 'activity-started', { activity: 'execute', attempt: 1, local: false }),
  happened(844, 'ledger', 'claimed', { attempt: 1 }),
  happened(846, 'receiver', 'effect-requested', { attempt: 1 }),
  happened(846, 'receiver', 'effect-created', { attempt: 1 }),
  happened(846, 'fault', 'fault-reached', { point: 'receiver.committed', manner: 'exit' }),
  happened(9012, 'worker', 'workflow-replayed'),
  happened(9012, 'worker', 'activity-started', { activity: 'reconcile', attempt: 1, local: false }),
  happened(9019, 'receiver', 'looked', { found: true }),
  happened(9024, 'ledger', 'completed'),
  happened(9031, 'engine', 'run-closed', { status: 'Completed' }),
];

type Judged = Partial<Record<PromiseName, Verdict>>;

export interface CellChanges extends Partial<
  Pick<RunCell, 'repetition' | 'seed' | 'trouble' | 'timeline' | 'verdict'>
> {
  readonly judged?: Judged;
}

const order: readonly Verdict[] = ['violated', 'unknown', 'held'];

/** An experiment; promises that `judged` does not name were held. */
export function runCell(situation: string, arm: ArmName, changes: CellChanges = {}): RunCell {
  const { judged = {}, ...others } = changes;
  const names = Object.keys(promises) as PromiseName[];
  const of = (name: PromiseName): Verdict => judged[name] ?? 'held';
  const effects = of('at-most-one-effect') === 'violated' ? 2 : 1;
  const judgements = names.map((name) => [name, { verdict: of(name), why: `Read for ${name}: ${effects} effects.` }]);
  return {
    situation,
    arm,
    applicable: true,
    repetition: 1,
    seed: 7,
    verdict: order.find((verdict) => names.some((name) => of(name) === verdict)) ?? 'held',
    judgements: Object.fromEntries(judgements) as RunCell['judgements'],
    observed: {
      effects: { total: effects, byIdentity: effects, byContent: { 'op-v1-3e2a': effects } },
      shown: {
        engine: arm === 'ledger' ? null : 'Completed',
        ledger: arm === 'ledger' || arm === 'both' ? 'Completed' : null,
        receiver: `${effects} effects`,
      },
      told: ['recorded', hostile],
      ranAgain: { workflowReplays: 1, activityAttempts: 3, receiverWrites: effects, receiverLooks: 1, modelCalls: 0 },
      person: arm === 'ledger' ? ['ran `countersign approve` again'] : [],
      settledMs: 8185,
    },
    timeline: lostReceipt,
    seconds: 9.4,
    trouble: null,
    ...others,
  };
}

export const absentCell = (situation: string, arm: ArmName, reason: string): AbsentCell => ({
  situation,
  arm,
  applicable: false,
  reason,
});

const noServer = 'This arm has no server to kill.';
const noIdentity = 'Its approval names no proposal, so a stale one cannot be told from a current one.';

/** One situation was not run in one arm. */
export const sampleCells: readonly Cell[] = [
  runCell('receipt-lost', 'platform-naive', { judged: { 'at-most-one-effect': 'violated' } }),
  runCell('receipt-lost', 'platform-run-key'),
  runCell('receipt-lost', 'platform-operation-key'),
  runCell('receipt-lost', 'ledger'),
  runCell('receipt-lost', 'both', { repetition: 1, seed: 7 }),
  runCell('receipt-lost', 'both', { repetition: 2, seed: 8, judged: { 'no-work-lost': 'unknown' } }),
  runCell('server-killed', 'platform-naive', {
    judged: { 'no-work-lost': 'unknown', 'decision-is-kept': 'unknown' },
    trouble: `The server did not come back within 60 s. ${hostile}`,
    timeline: [],
  }),
  runCell('server-killed', 'platform-run-key', { judged: { 'no-invented-outcome': 'violated' } }),
  runCell('server-killed', 'platform-operation-key'),
  absentCell('server-killed', 'ledger', noServer),
  runCell('server-killed', 'both'),
  absentCell('stale-tab', 'platform-naive', noIdentity),
  runCell('stale-tab', 'platform-run-key', { judged: { 'only-what-was-approved': 'violated' } }),
  runCell('stale-tab', 'ledger'),
  runCell('stale-tab', 'both'),
];

export function sampleResult(changes: Partial<LabResult> = {}): LabResult {
  return {
    format: 'countersign.lab.v1',
    run: 'sample-1',
    startedAt: '2026-11-30T20:00:00.000Z',
    seconds: 120.4,
    seed: 7,
    repeat: 2,
    mutant: null,
    machine: { cores: 2, memory: '24 GiB', platform: 'linux x64' },
    versions: { countersign: '0.1.0', node: '20.20.2', temporalServer: '1.29.0' },
    situations,
    arms: (Object.keys(arms) as ArmName[]).map((name) => ({ name, title: arms[name] })),
    promises: (Object.keys(promises) as PromiseName[]).map((name) => ({ name, title: promises[name] })),
    cells: sampleCells,
    ...changes,
  };
}

/** Every combination was run or is not applicable, as the docs need it. */
export function wholeResult(changes: Partial<LabResult> = {}): LabResult {
  return sampleResult({ cells: [...sampleCells, runCell('stale-tab', 'platform-operation-key')], ...changes });
}
