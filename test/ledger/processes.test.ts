// Many processes at one ledger file: one winner, everybody told the truth, no lost write, nobody told "busy".
// 16 processes in the normal run, 50 with COUNTERSIGN_FULL=1.
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSqliteLedger } from '../../src/ledger/sqlite/ledger.ts';
import type { DecideAnswer } from '../../src/ports/ledger.ts';
import { verifiedRecords } from '../contract/ledger/journal.ts';
import { ManualClock } from '../support/clock.ts';
import { Crew } from '../support/crew.ts';
import type { Command } from '../support/ledger-process.ts';
import { World } from '../support/ledger-world.ts';
import { dump } from '../support/sqlite-file.ts';
import { temporaryDirectory } from '../support/temporary.ts';

const size = process.env['COUNTERSIGN_FULL'] === '1' ? 50 : 16;
const directory = temporaryDirectory();
const path = join(directory, 'ledger.db');
let crew: Crew<Command>;
let world: World;

/** How often each outcome was answered. */
function counted(outcomes: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const outcome of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}

beforeAll(async () => {
  crew = await Crew.of(size, 'ledger');
});

afterAll(async () => {
  await crew.dismiss();
});

test('processes that make one ledger at once have one ledger', async () => {
  // Each round makes a fresh file and closes the one before.
  for (let round = 0; round < 10; round += 1) {
    const ids = await crew.all<string>(() => ({ do: 'open', path: join(directory, `${round}.db`) }));
    expect(new Set(ids).size).toBe(1);
  }
  const ids = await crew.all<string>(() => ({ do: 'open', path }));
  expect(new Set(ids).size).toBe(1);
  const clock = new ManualClock();
  const ledger = openSqliteLedger(path, { clock });
  expect(ledger.ledgerId).toBe(ids[0]);
  world = new World({ ledger, clock, dump: () => dump(path), reopen: () => ledger });
});

test('one case admitted by all is one proposal', async () => {
  const answers = await crew.all<{ outcome: string; operationId: string }>(() => ({
    do: 'admit',
    caseId: 'T-1',
    body: 'the draft',
  }));
  expect(counted(answers.map(({ outcome }) => outcome))).toEqual({ admitted: 1, duplicate: size - 1 });
  expect(new Set(answers.map(({ operationId }) => operationId)).size).toBe(1);
  expect(await world.told(answers[0]!.operationId)).toEqual(['proposed']);
});

test('one case with a content from each has one of them under review, and all others are told which', async () => {
  const answers = await crew.all<{ outcome: string; operationId: string }>((index) => ({
    do: 'admit',
    caseId: 'T-2',
    body: `draft ${index}`,
  }));
  expect(counted(answers.map(({ outcome }) => outcome))).toEqual({ admitted: 1, case_open: size - 1 });
  expect(new Set(answers.map(({ operationId }) => operationId)).size).toBe(1);
  expect(await world.ledger.list({ caseId: 'T-2', limit: 100 })).toHaveLength(1);
});

test('one operation approved by half and declined by half has one decision, and everybody is told that one', async () => {
  const operationId = await world.propose({ caseId: 'T-3' });
  const answers = await crew.all<DecideAnswer>((index) => ({
    do: 'decide',
    operationId,
    approved: index % 2 === 0,
    reviewer: `reviewer-${index}`,
  }));
  const { decision, operation } = await world.view(operationId);
  expect(operation.state).toBe(decision?.approved ? 'Approved' : 'Declined');
  for (const answer of answers) expect(answer.decision).toEqual(decision);
  expect(counted(answers.map(({ outcome }) => outcome))).toEqual({
    recorded: 1,
    repeated: size / 2 - 1,
    conflicting_decision: size / 2,
  });
  const winner = answers.findIndex(({ outcome }) => outcome === 'recorded');
  expect(decision?.reviewer).toBe(`reviewer-${winner}`);
  // Every loser is on record: the refused ones, that is; who agreed wrote nothing.
  const told = counted(await world.told(operationId));
  expect(told).toEqual({
    proposed: 1,
    [decision?.approved ? 'approved' : 'declined']: 1,
    'decision refused: conflicting_decision': size / 2,
  });
});

test('one operation claimed by all has one attempt', async () => {
  const operationId = await world.approved({ caseId: 'T-4' });
  const outcomes = await crew.all<string>(() => ({ do: 'claim', operationId }));
  expect(counted(outcomes)).toEqual({ claimed: 1, in_progress: size - 1 });
  expect(await world.view(operationId)).toMatchObject({
    operation: { state: 'Executing', attempts: 1 },
    attempts: [{}],
  });
});

test('one attempt completed by all is completed once', async () => {
  const operationId = await world.executing({ caseId: 'T-5' });
  const states = await crew.all<string>(() => ({ do: 'complete', operationId }));
  expect(counted(states)).toEqual({ Completed: size });
  expect((await world.told(operationId)).filter((what) => what.startsWith('receipt'))).toHaveLength(1);
});

test('operations of all on one object: one holds it, all others overlap', async () => {
  const object = { id: 'shared' };
  const ids: string[] = [];
  for (let index = 0; index < size; index += 1) ids.push(await world.approved({ caseId: `O-${index}`, object }));
  const outcomes = await crew.all<string>((index) => ({ do: 'claim', operationId: ids[index]! }));
  expect(counted(outcomes)).toEqual({ claimed: 1, overlap: size - 1 });
  const states = await Promise.all(ids.map((operationId) => world.state(operationId)));
  expect(counted(states)).toEqual({ Executing: 1, Approved: size - 1 });
  expect(states.indexOf('Executing')).toBe(outcomes.indexOf('claimed'));
});

test('writes of all at the same time are all there, in chains that can be recomputed', async () => {
  const count = 20;
  const before = await verifiedRecords(world.ledger);
  const outcomes = await crew.all<string[]>((index) => ({ do: 'admit many', prefix: `M-${index}`, count }));
  expect(counted(outcomes.flat())).toEqual({ admitted: size * count });
  expect(await verifiedRecords(world.ledger)).toBe(before + size * count);
  expect(await world.ledger.checkFile()).toEqual([]);
});
