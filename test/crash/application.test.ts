/**
 * The application driver: a command that dies, or fails, at each crash point, and the command that goes on. Every
 * command is a process of its own.
 */
import { describe, expect, test } from 'vitest';
import { identify } from '../../src/identity/index.ts';
import { ExitCodes } from '../../src/core/outcomes.ts';
import { canonicalCase } from '../../src/operations/content.ts';
import type { Act, CrashRow } from '../../scripts/crash-rows.ts';
import { caseFile, sandbox, type Sandbox } from '../cli/sandbox.ts';
import { cellsToRun, titleOf, type Cell } from './matrix.ts';
import { expectStand, faultAt, killedWhilePaused, receiptLost, unknownWithoutEffect } from './stand.ts';

const approve = (id: string): string[] => ['approve', id, '--reviewer', 'rosa'];
const abandon = (id: string): string[] => [
  ...['resolve', id, '--as', 'abandon', '--operator', 'olga', '--reason', 'not there'],
];

/** Brings a fresh sandbox to where `act` can begin; answers the operation and the command. */
const arranged: Readonly<Record<Act, (at: Sandbox) => Promise<{ operationId: string; command: string[] }>>> = {
  begin: async (at) => {
    const input = caseFile();
    const { operationId } = identify(canonicalCase(input));
    return { operationId, command: ['begin', at.file('case.json', input)] };
  },
  approve: async (at) => {
    const { operationId } = await at.proposed();
    return { operationId, command: approve(operationId) };
  },
  reconcile: async (at) => {
    const { operationId } = await at.proposed();
    await receiptLost(at, operationId);
    return { operationId, command: ['reconcile', operationId] };
  },
  resolve: async (at) => {
    const { operationId } = await at.proposed();
    await unknownWithoutEffect(at, operationId);
    return { operationId, command: abandon(operationId) };
  },
};

/** The command comes to its end at the crash point, and nowhere else. */
async function falls(at: Sandbox, { row, manner }: Cell, command: readonly string[]): Promise<void> {
  const armed = [...command, '--crash-at', `${row.point}=${manner}`];
  switch (manner) {
    case 'exit':
      expect(await at.command(armed)).toMatchObject({ code: ExitCodes.lostReceipt, signal: null });
      return;
    case 'throw': {
      const { code, answer } = await at.ask(armed);
      expect(code).toBe(row.thrown.exit);
      expect(JSON.stringify(answer)).toContain(faultAt(row.point));
      return;
    }
    case 'pause':
      await killedWhilePaused(at, at.start(['--driver', 'application', ...armed]));
  }
}

/** A lease that runs holds everybody up who would send again; what holds nobody up needs no waiting. */
async function leaseIsOver(at: Sandbox, { end }: CrashRow, operationId: string): Promise<void> {
  if (end.attempts < 2) return;
  at.leaseEnds(operationId, Date.now() + 3_600_000);
  const early = await at.ask(approve(operationId));
  expect(early.answer).toMatchObject({ outcome: 'repeated', attempts: 1, result: null });
  expect([ExitCodes.busy, ExitCodes.unknown]).toContain(early.code);
  at.leaseEnds(operationId, Date.now() - 1);
}

/** A killed command's work is finished by a sweep, where one does that; everybody else gives the command again. */
async function goesOn(at: Sandbox, { row, manner }: Cell, operationId: string, command: string[]): Promise<void> {
  await leaseIsOver(at, row, operationId);
  const swept = row.act === 'approve' && (row.atCrash.state === 'Approved' || row.atCrash.state === 'Executing');
  if (swept && manner === 'pause') {
    at.leaseEnds(operationId, Date.now() - 1);
    const { code, answer } = await at.ask(['sweep']);
    expect({ code, answer }).toMatchObject({ code: 0, answer: { swept: [{ operationId, result: 'driven' }] } });
    return;
  }
  const { code, answer } = await at.ask(command);
  expect({ code, outcome: answer['outcome'] }).toStrictEqual({ code: 0, outcome: row.again });
}

describe('application driver', () => {
  for (const cell of cellsToRun('application')) {
    test(titleOf(cell), async () => {
      const { row, manner } = cell;
      const at = sandbox();
      const { operationId, command } = await arranged[row.act](at);

      await falls(at, cell, command);
      await expectStand(at, operationId, (manner === 'throw' ? row.thrown.stand : null) ?? row.atCrash);
      await goesOn(at, cell, operationId, command);
      if (row.act === 'begin') expect((await at.command(approve(operationId))).code).toBe(0);

      await expectStand(at, operationId, row.end);
      expect(await at.command(['verify'])).toMatchObject({ code: 0 });
    });
  }
});
