/** Races at one barrier: updates and signals at runs, sweeps, and processes of the application driver beside them. */
import { WorkflowUpdateFailedError } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DecideResult } from '../../src/operations/decide.ts';
import type { ReviseResult } from '../../src/operations/change.ts';
import { sweep } from '../../src/operations/sweep.ts';
import { verify } from '../../src/operations/verify.ts';
import { payloadConverterPath, workflowBundle } from '../../src/worker/bundle.ts';
import { passingToRuns, tellOrStart } from '../../src/worker/runs.ts';
import {
  approvalSignal,
  decideUpdate,
  reviseUpdate,
  withdrawUpdate,
  preparedUpdate,
} from '../../workflows/messages.ts';
import { Crew } from '../support/crew.ts';
import type { DriverCommand } from '../support/driver-process.ts';
import { databases, failureOf, newCase, refusalOf, type Environment, type ReviewHandle } from '../support/temporal.ts';
import { environment } from './on-shared-server.ts';

const rounds = 3;
let crew: Crew<DriverCommand>;

beforeAll(async () => {
  crew = await Crew.of<DriverCommand>(2, 'driver');
});

afterAll(() => crew.dismiss());

const saying = (operationId: string, approved: boolean, reviewer: string) => ({
  ...{ operationId, approved, reviewer },
  ...(approved ? {} : { reason: 'not covered' }),
});

interface Answer {
  readonly outcome: string;
  readonly said: Readonly<Record<string, unknown>>;
}

/**
 * The answer to an update: what it returned, or what its refusal says. `unanswered`: the run ended, or its task was done
 * again, while the update was on its way; the server says so, and nobody was told anything of the decision.
 */
async function answered(update: Promise<object>): Promise<Answer> {
  try {
    const value = await update;
    return { outcome: (value as { outcome?: string }).outcome ?? 'done', said: { ...value } };
  } catch (thrown) {
    if (!(thrown instanceof WorkflowUpdateFailedError)) return { outcome: 'unanswered', said: { thrown } };
    const { type, details } = await refusalOf(update);
    return { outcome: type, said: details };
  }
}

async function opened(): Promise<Environment> {
  const at = await environment();
  await at.startWorker();
  await at.ports.receiver.describe();
  await crew.all(() => ({ do: 'open', directory: at.paths.directory }));
  return at;
}

/** A command tells the runs after its commit, as the command line does. */
async function tell(at: Environment, operationId: string): Promise<void> {
  const view = await at.ports.ledger.view(operationId);
  await tellOrStart(at.client, at.ports.ledger, view!.operation, at.taskQueue);
}

const told = (at: Environment, operationId: string): string[] =>
  databases
    .journal(at.paths)
    .filter(({ subject, what }) => subject === operationId && !what.includes('refused'))
    .map(({ what }) => what);

async function expectNoFaults(at: Environment): Promise<void> {
  expect((await verify(at.ports)).faults).toStrictEqual([]);
}

/**
 * What a run did under concurrent messages is what its code does again from history. A wrong order shows here even where
 * the live run got away with it: with two local activities in flight, replay may answer them in another order.
 */
async function expectReplays(handle: ReviewHandle): Promise<void> {
  const options = { workflowBundle: await workflowBundle(), dataConverter: { payloadConverterPath } };
  await Worker.runReplayHistory(options, await handle.fetchHistory(), handle.workflowId);
}

test('updates, signals and commands that approve and decline: one decision, every answer names it, the run ends so', async () => {
  const at = await opened();
  for (let round = 0; round < rounds; round += 1) {
    const { handle, prepared } = await at.startReview(newCase());
    const { operationId } = prepared;
    const decided = [true, false, true, false].map((approved, index) =>
      answered(handle.executeUpdate(decideUpdate, { args: [saying(operationId, approved, `update-${index}`)] })),
    );
    const signals = [true, false].map((approved, index) =>
      handle.signal(approvalSignal, saying(operationId, approved, `signal-${index}`)),
    );
    const commands = crew.all<DecideResult>((index) => ({
      ...{ do: 'decide', operationId, approved: index === 0, reviewer: `command-${index}` },
    }));

    const [updates, byCommand] = await Promise.all([Promise.all(decided), commands, Promise.all(signals)]);
    await tell(at, operationId);
    const { status } = await handle.result();
    await expectReplays(handle);

    const { decision } = (await at.ports.ledger.view(operationId))!;
    expect(status).toBe(decision!.approved ? 'Committed' : 'Declined');
    for (const { outcome, said } of updates) {
      if (outcome === 'unanswered') continue;
      expect(outcome).toMatch(/^(recorded|repeated|conflicting_decision)$/);
      expect(said['decision']).toMatchObject({ reviewer: decision!.reviewer, approved: decision!.approved });
    }
    for (const { decision: seen } of byCommand) expect(seen).toMatchObject({ reviewer: decision!.reviewer });
    const recorded = [...updates, ...byCommand].filter(({ outcome }) => outcome === 'recorded');
    expect(recorded.length).toBeLessThanOrEqual(decision!.via === 'signal' ? 0 : 1);
    expect(told(at, operationId).filter((what) => what === 'approved' || what === 'declined')).toHaveLength(1);
    expect(databases.effectsOf(at.paths, operationId)).toBe(decision!.approved ? 1 : 0);
  }
  await expectNoFaults(at);
});

test('approved at one run and declined at another of the same case: one decision, and both runs end as it says', async () => {
  const at = await opened();
  for (let round = 0; round < rounds; round += 1) {
    const input = newCase();
    const { handle, prepared } = await at.startReview(input);
    const { operationId } = prepared;
    const second = await at.startReview(input, `${handle.workflowId}/again`);

    const answers = await Promise.all(
      [handle, second.handle].map((run, index) =>
        answered(run.executeUpdate(decideUpdate, { args: [saying(operationId, index === 0, `r-${index}`)] })),
      ),
    );
    const results = await Promise.all([handle, second.handle].map((run) => run.result()));

    const [decision] = databases.decisions(at.paths).filter((row) => row.operation_id === operationId);
    const won = decision!.reviewer === 'r-0' ? 0 : 1;
    expect(answers[won]?.outcome).toMatch(/^(recorded|unanswered)$/);
    if (answers[1 - won]?.outcome !== 'unanswered') {
      expect(answers[1 - won]).toMatchObject({
        outcome: 'conflicting_decision',
        said: { decision: { reviewer: `r-${won}`, approved: won === 0 } },
      });
    }
    for (const result of results) expect(result.status).toBe(won === 0 ? 'Committed' : 'Declined');
    expect(databases.effectsOf(at.paths, operationId)).toBe(won === 0 ? 1 : 0);
  }
  await expectNoFaults(at);
});

test('a decision at the run against a revision by command: one of the two, and the other is told what stands', async () => {
  const at = await opened();
  for (let round = 0; round < rounds; round += 1) {
    const { handle, prepared } = await at.startReview(newCase());
    const { operationId, caseId } = prepared;

    const [decided, revised] = await Promise.all([
      answered(handle.executeUpdate(decideUpdate, { args: [saying(operationId, true, 'rosa')] })),
      crew.all<ReviseResult>((index) => ({ do: 'revise', caseId, operationId, body: `better ${index}` })),
    ]);

    const current = (await at.ports.ledger.current(caseId))!.operation;
    if (current.operationId === operationId) {
      expect(decided.outcome).toBe('recorded');
      for (const { outcome, currentOperationId } of revised) {
        expect({ outcome, currentOperationId }).toStrictEqual({
          outcome: 'already_decided',
          currentOperationId: operationId,
        });
      }
      expect(await handle.result()).toMatchObject({ operationId, status: 'Committed' });
    } else {
      expect(decided).toMatchObject({
        outcome: 'stale_proposal',
        said: { operationId, currentOperationId: current.operationId },
      });
      expect(revised.map(({ outcome }) => outcome).sort()).toStrictEqual(['revised', 'stale_proposal']);
      await handle.executeUpdate(decideUpdate, { args: [saying(current.operationId, true, 'rosa')] });
      expect(await handle.result()).toMatchObject({ operationId: current.operationId, status: 'Committed' });
    }
    expect(told(at, operationId)).toHaveLength(current.operationId === operationId ? 4 : 2);
  }
  await expectNoFaults(at);
});

test('a revision, a withdrawal and a refusal at one run: the first is what happened, the others are told so', async () => {
  const at = await opened();
  for (let round = 0; round < rounds; round += 1) {
    const { handle, prepared } = await at.startReview(newCase());
    const { operationId } = prepared;
    const acts = [
      () =>
        handle.executeUpdate(reviseUpdate, {
          args: [{ expectedOperationId: operationId, revisedBy: 'ed', body: 'Shorter.' }],
        }),
      () => handle.executeUpdate(withdrawUpdate, { args: [{ operationId, by: 'drafter', reason: 'by mistake' }] }),
      () => handle.executeUpdate(decideUpdate, { args: [saying(operationId, false, 'rosa')] }),
    ];

    // Each of them is sent first once.
    const answers = await Promise.all(acts.map((_act, index) => answered(acts[(index + round) % acts.length]!())));

    const { state } = databases.operation(at.paths, operationId)!;
    const what = { Superseded: 'superseded by a revision', Withdrawn: 'withdrawn', Declined: 'declined' }[
      state as string
    ];
    expect(told(at, operationId).slice(1)).toStrictEqual([what]);
    const accepted = answers.filter(({ outcome }) => ['done', 'withdrawn', 'recorded'].includes(outcome));
    expect(accepted.length).toBeLessThanOrEqual(1);
    for (const { outcome, said } of answers) {
      if (['done', 'withdrawn', 'recorded', 'unanswered'].includes(outcome)) continue;
      expect(outcome).toMatch(/^(stale_proposal|already_decided|closed)$/);
      expect(said['state'] ?? said['currentOperationId']).toBeTruthy();
    }
  }
  await expectNoFaults(at);
});

test('two runs begun with other content for one case: one is under review, the other ends and names it', async () => {
  const at = await opened();
  for (let round = 0; round < rounds; round += 1) {
    const input = newCase();
    const runs: ReviewHandle[] = await Promise.all(
      ['one', 'other'].map((body) => at.start([{ ...input, body }], `review/${input.caseId}/${body}`)),
    );

    const prepared = await Promise.all(runs.map((run) => answered(run.executeUpdate(preparedUpdate))));

    const [stored, ...more] = databases.operations(at.paths, input.caseId);
    expect(more).toStrictEqual([]);
    const won = prepared.findIndex(({ outcome }) => outcome === 'done');
    expect(prepared[won]?.said).toMatchObject({ operationId: stored!.operation_id, admission: 'admitted' });
    const refused = await failureOf(runs[1 - won]!.result());
    expect(refused).toMatchObject({ type: 'case_open', details: [{ currentOperationId: stored!.operation_id }] });
  }
  await expectNoFaults(at);
});

test('sweeps beside a live run that decides and executes: one attempt, one effect', async () => {
  const at = await opened();
  for (let round = 0; round < rounds; round += 1) {
    const { handle, prepared } = await at.startReview(newCase());
    const { operationId } = prepared;
    const passing = passingToRuns(at.client, at.ports.ledger, at.taskQueue);

    await Promise.all([
      handle.executeUpdate(decideUpdate, { args: [saying(operationId, true, 'rosa')] }),
      ...Array.from({ length: 4 }, () => sweep(at.ports, passing, { limit: 10 })),
    ]);

    expect(await handle.result()).toMatchObject({ operationId, status: 'Committed', replayed: false, attempts: 1 });
    expect(databases.effectsOf(at.paths, operationId)).toBe(1);
    expect(told(at, operationId).filter((what) => what === 'claimed')).toHaveLength(1);
  }
  await expectNoFaults(at);
});
