/**
 * The temporal driver on a real server: a worker that dies, or fails, at each crash point, and the worker that goes on.
 * Each test has a namespace of its own.
 */
import { isGrpcServiceError, ServiceError } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import { ExitCodes } from '../../src/core/outcomes.ts';
import { identify } from '../../src/identity/index.ts';
import { canonicalCase } from '../../src/operations/content.ts';
import { beginRun, workflowIdOf } from '../../src/worker/runs.ts';
import { approvalSignal, resolveUpdate } from '../../workflows/messages.ts';
import type { Act } from '../../scripts/crash-rows.ts';
import { openWorld, type World } from '../cli/on-temporal.ts';
import { caseFile } from '../cli/sandbox.ts';
import { eventually } from '../support/temporal.ts';
import type { RunningCommand } from '../support/processes.ts';
import { cellsToRun, titleOf, type Cell } from './matrix.ts';
import { expectStand, faultAt, killedWhilePaused, receiptLost, unknownWithoutEffect } from './stand.ts';

interface UnderWay {
  readonly caseId: string;
  readonly operationId: string;
  readonly doomed: RunningCommand;
  /** What the act's caller is told in the end; to be asked for once the next worker is there. */
  readonly told: () => Promise<string>;
}

/** gRPC's number of it. */
const failedPrecondition = 9;
const shortLease = ['--lease-ms', '1'];
const approval = (operationId: string) => ({ operationId, approved: true, reviewer: 'rosa' });
const abandon = (operationId: string) =>
  ({ operationId, resolution: 'abandon', operator: 'olga', reason: 'not there' }) as const;

function armedWorker(at: World, { row, manner }: Cell): Promise<RunningCommand> {
  return at.startWorker(...shortLease, '--crash-at', `${row.point}=${manner}`);
}

/**
 * The answer to an update whose worker dies. The server hands it to the next worker or, where the dead one had not
 * accepted it, may fail it: then whoever asked asks again.
 */
function orAgain(first: Promise<string>, again: () => Promise<string>): () => Promise<string> {
  const failed = first.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  return async () => {
    const thrown = await failed;
    const code: number | null =
      thrown instanceof ServiceError && isGrpcServiceError(thrown.cause) ? thrown.cause.code : null;
    return code === failedPrecondition ? again() : first;
  };
}

/** Brings an armed worker to its crash point. */
const arranged: Readonly<Record<Act, (at: World, cell: Cell) => Promise<UnderWay>>> = {
  begin: async (at, cell) => {
    const input = caseFile();
    const doomed = await armedWorker(at, cell);
    const begin = () => beginRun(at.client, input).then(({ prepared }) => prepared.operationId);
    const told = orAgain(begin(), begin);
    return { caseId: input.caseId, operationId: identify(canonicalCase(input)).operationId, doomed, told };
  },
  approve: async (at, cell) => {
    const doomed = await armedWorker(at, cell);
    const { prepared, workflowId } = await beginRun(at.client, caseFile());
    const { operationId, caseId } = prepared;
    await at.client.workflow.getHandle(workflowId).signal(approvalSignal, approval(operationId));
    return { caseId, operationId, doomed, told: () => Promise.resolve(operationId) };
  },
  reconcile: async (at, cell) => {
    const { operationId, caseId } = await at.proposed();
    await receiptLost(at, operationId);
    // Its sweep finds an operation without a run and starts one.
    const doomed = await armedWorker(at, cell);
    return { caseId, operationId, doomed, told: () => Promise.resolve(operationId) };
  },
  resolve: async (at, cell) => {
    const { operationId, caseId } = await at.proposed();
    await unknownWithoutEffect(at, operationId);
    const doomed = await armedWorker(at, cell);
    await eventually('a run reviews it', () => at.operation(operationId)?.run_id);
    const handle = at.client.workflow.getHandle(workflowIdOf(caseId));
    const word = abandon(operationId);
    const answer = handle.executeUpdate(resolveUpdate, { args: [word] }).then(({ outcome }) => outcome);
    const again = async (): Promise<string> => {
      const { operator, reason } = word;
      const command = ['resolve', operationId, '--as', word.resolution, '--operator', operator, '--reason', reason];
      return String((await at.askOn(command)).answer['outcome']);
    };
    return { caseId, operationId, doomed, told: orAgain(answer, again) };
  },
};

/** The worker comes to its end at the crash point; one that survives goes on, and nobody has to help. */
async function falls(at: World, { row, manner }: Cell, { doomed, operationId }: UnderWay): Promise<void> {
  switch (manner) {
    case 'exit':
      expect(await doomed.finished()).toMatchObject({ code: ExitCodes.workerLostReceipt, signal: null });
      break;
    case 'pause':
      await killedWhilePaused(at, doomed);
      break;
    case 'throw':
      await doomed.until('it fails at its crash point', ({ stderr }) => stderr.includes(faultAt(row.point)));
      return;
  }
  await expectStand(at, operationId, row.atCrash);
  await at.startWorker(...shortLease);
}

describe('temporal driver', () => {
  const cells = cellsToRun('temporal');

  for (const cell of cells.filter(({ row }) => row.process !== 'command')) {
    test(titleOf(cell), async () => {
      const { row } = cell;
      const at = await openWorld();
      try {
        const underWay = await arranged[row.act](at, cell);
        const { operationId, caseId, told } = underWay;
        const handle = at.client.workflow.getHandle(workflowIdOf(caseId));

        await falls(at, cell, underWay);
        expect(await told()).toBe(row.act === 'resolve' ? row.again : operationId);
        if (row.act === 'begin') await handle.signal(approvalSignal, approval(operationId));

        const { state, attempts, effects } = row.end;
        const status = state === 'Completed' ? 'Committed' : state;
        expect(await handle.result()).toMatchObject({ operationId, status, attempts, effectCount: effects });
        await expectStand(at, operationId, row.end);
        const [stopped, verified] = await Promise.all([at.stopWorker(), at.on(['verify'])]);
        expect([stopped.code, verified.code]).toStrictEqual([0, 0]);
      } finally {
        await at.close();
      }
    });
  }

  for (const cell of cells.filter(({ row }) => row.process === 'command')) {
    test(titleOf(cell), async () => {
      const { row, manner } = cell;
      const at = await openWorld();
      try {
        await at.startWorker();
        const input = caseFile();
        const { operationId } = identify(canonicalCase(input));
        const begin = ['begin', at.file('case.json', input)];
        const armed = at.start(['--json', ...begin, '--crash-at', `${row.point}=${manner}`], { env: at.env });
        if (manner === 'pause') await killedWhilePaused(at, armed);
        else {
          const { code, stdout } = await armed.finished();
          expect(code).toBe(manner === 'exit' ? ExitCodes.lostReceipt : row.thrown.exit);
          if (manner === 'throw') expect(stdout).toContain(faultAt(row.point));
        }
        await expectStand(at, operationId, row.atCrash);

        const again = await at.askOn(begin);
        const approved = await at.askOn(['approve', operationId, '--reviewer', 'rosa']);

        expect(again).toMatchObject({ code: 0, answer: { outcome: row.again, operationId } });
        expect(approved).toMatchObject({ code: 0, answer: { outcome: 'recorded', state: 'Completed' } });
        await expectStand(at, operationId, row.end);
        expect(await at.on(['verify'])).toMatchObject({ code: 0 });
      } finally {
        await at.close();
      }
    });
  }
});
