/**
 * Recorded runs of every kind, replayed by the code of this checkout: a run that waits now must be able to go on with
 * the next release. Replay compares only kinds and order of commands, so what a run says is compared here as well.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { finalStatuses } from '../../src/core/next-step.ts';
import { valueOf, type HistoryEvent } from '../support/temporal.ts';
import { eventsOf, notingBundle, readRecording, recordedNames, replayAll, type Replayed } from './replaying.ts';
import type { Said } from './said.ts';
import { continuedNames, scenarios } from './scenarios.ts';

const names = recordedNames();
const recordings = new Map(names.map((name) => [name, readRecording(name)]));
const replayed = new Map<string, Replayed>();
let code = '';

beforeAll(async () => {
  code = await notingBundle();
  const answers = await replayAll(code, [...recordings.values()]);
  for (const [index, name] of names.entries()) replayed.set(name, answers[index]!);
});

const saidIn = (name: string, ...what: Said['what'][]): Said[] =>
  recordings.get(name)!.said.filter((said) => what.includes(said.what));

test('every scenario has a recorded history, and every history is of a scenario', () => {
  expect(names).toStrictEqual([...Object.keys(scenarios), ...continuedNames].sort());
});

test('the histories end in every state a review can end in, and in those that are no result', () => {
  const results = names.flatMap((name) =>
    saidIn(name, 'result').map(({ value }) => (value as { status: string }).status),
  );
  expect([...new Set(results)].sort()).toStrictEqual(Object.values(finalStatuses).sort());

  const ends = names.map((name) => endOf(eventsOf(recordings.get(name)!).at(-1)!));
  expect([...new Set(ends)].sort()).toStrictEqual(['cancelled', 'completed', 'continued', 'failed', 'open']);
});

function endOf(last: HistoryEvent): string {
  if (last.workflowExecutionCompletedEventAttributes) return 'completed';
  if (last.workflowExecutionFailedEventAttributes) return 'failed';
  if (last.workflowExecutionCanceledEventAttributes) return 'cancelled';
  return last.workflowExecutionContinuedAsNewEventAttributes ? 'continued' : 'open';
}

describe.each(names)('%s', (name) => {
  test('is replayed by this code, which says what the recorded run said', () => {
    const { error, said } = replayed.get(name)!;
    expect(error).toBeNull();
    expect(said).toStrictEqual(recordings.get(name)!.said);
  });

  test('said what stands in its history', () => {
    const inHistory = eventsOf(recordings.get(name)!).flatMap(recordedSaying);
    const said = saidIn(name, 'activity', 'answer', 'result');
    expect(said.map(({ what, value }) => ({ what, value }))).toStrictEqual(inHistory);
  });
});

/** What the server keeps of a saying; inputs of local activities are kept nowhere. */
function recordedSaying(event: HistoryEvent): Pick<Said, 'what' | 'value'>[] {
  const scheduled = event.activityTaskScheduledEventAttributes;
  if (scheduled) return [{ what: 'activity', value: (scheduled.input?.payloads ?? []).map(valueOf) }];
  const answer = event.workflowExecutionUpdateCompletedEventAttributes?.outcome?.success?.payloads?.[0];
  if (answer) return [{ what: 'answer', value: valueOf(answer) }];
  const result = event.workflowExecutionCompletedEventAttributes?.result?.payloads?.[0];
  return result ? [{ what: 'result', value: valueOf(result) }] : [];
}

/** Given the case as it came, whatever that is. */
const givenTheCase: readonly string[] = ['draft', 'propose'];

/** Activity → what its one argument holds. A worker of one release is asked by runs that began under another. */
const inputs: Readonly<Record<string, readonly string[]>> = {
  decide: ['caseId', 'head', 'message', 'requestId', 'via'],
  revise: ['caseId', 'message'],
  withdraw: ['caseId', 'message'],
  resolve: ['caseId', 'message'],
  readState: ['attemptEnded', 'head', 'knownOperationId', 'operationId'],
  execute: ['operationId'],
  reconcile: ['operationId'],
};

test('activities are given exactly what the table says', () => {
  const scheduled = names.flatMap((name) => saidIn(name, 'activity', 'local activity'));
  for (const { name, value } of scheduled) {
    const [argument, ...others] = value as [object, ...unknown[]];
    expect(others, name).toStrictEqual([]);
    if (!givenTheCase.includes(name)) expect(Object.keys(argument).sort(), name).toStrictEqual(inputs[name]);
  }
  expect([...new Set(scheduled.map(({ name }) => name))].sort()).toStrictEqual(
    [...Object.keys(inputs), ...givenTheCase].sort(),
  );
});

/** The bundle with one piece of workflow code replaced; fails when that piece is not in it. */
function altered(from: RegExp, to: string): string {
  expect(code).toMatch(from);
  return code.replace(from, to);
}

const propose = /await (\w+)\.ledger\.propose\(args\[0\]\)/;
const execute = /await \(0, ?(\w+)\.execute\)\(\{\s*operationId\s*\}\)/;

test('a step more, a step less, or another kind of step than was recorded fails the replay', async () => {
  const recording = recordings.get('committed-by-signal')!;
  const changes = {
    more: altered(propose, 'await ($1.ledger.propose(args[0]), $1.ledger.propose(args[0]))'),
    less: altered(execute, '{ outcome: "claimed", receipt: "created" }'),
    other: altered(execute, 'await (0, $1.reconcile)({ operationId })'),
  };

  for (const [change, changed] of Object.entries(changes)) {
    const [{ error }] = (await replayAll(changed, [recording])) as [Replayed];
    expect(error?.message, change).toMatch(/[Nn]ondeterminism|TMPRL1100/);
  }
});

test('a changed input passes the replay, and is found by comparing what is said', async () => {
  const recording = recordings.get('committed-by-signal')!;
  const changed = altered(execute, 'await (0, $1.execute)({ operationId: `${operationId}-other` })');

  const [{ error, said }] = (await replayAll(changed, [recording])) as [Replayed];

  expect(error).toBeNull();
  expect(said).not.toStrictEqual(recording.said);
});
