// What both databases hold of an operation, read past the code under test, and how a process came to its end.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Stand } from '../../scripts/crash-rows.ts';
import { execute } from '../../src/operations/execute.ts';
import { reconcile } from '../../src/operations/reconcile.ts';
import { verify } from '../../src/operations/verify.ts';
import type { CrashPoint } from '../../src/ports/crash-points.ts';
import type { Sandbox } from '../cli/sandbox.ts';
import type { RunningCommand } from '../support/processes.ts';

export const faultAt = (point: CrashPoint): string => `Deliberate fault at crash point ${point}.`;

function countIn(at: Sandbox, table: string, operationId: string): number {
  const sql = `SELECT count(*) AS n FROM ${table} WHERE operation_id = ?`;
  return at.rows<{ n: number }>(at.ledgerFile, sql, operationId)[0]!.n;
}

function standOf(at: Sandbox, operationId: string): Stand {
  const stored = at.operation(operationId);
  const chain = at.rows<{ what: string }>(
    at.ledgerFile,
    "SELECT what FROM journal WHERE subject = ? AND what <> 'reviewed by a run' ORDER BY sequence",
    operationId,
  );
  return {
    state: stored?.state ?? null,
    attempts: stored?.attempts ?? 0,
    effects: at.effects().filter((effect) => effect === operationId).length,
    journal: chain.map(({ what }) => what),
  };
}

/** Both databases hold exactly this, no table says more or less than the journal does, and every chain verifies. */
export async function expectStand(at: Sandbox, operationId: string, stand: Stand): Promise<void> {
  expect(standOf(at, operationId)).toStrictEqual(stand);
  expect(at.effects()).toHaveLength(stand.effects);
  const told = (start: string): number => stand.journal.filter((what) => what.startsWith(start)).length;
  const counted = ['decisions', 'attempts', 'observations', 'resolutions'].map((name) =>
    countIn(at, name, operationId),
  );
  expect(counted).toStrictEqual([told('approved'), told('claimed'), told('look:'), told('resolved:')]);
  const { faults } = await at.arrange((ports) => verify(ports));
  expect(faults).toStrictEqual([]);
}

/** Waits until the process stands at its crash point. One that ends before fails the test. */
export async function arrives(stateDirectory: string, doomed: RunningCommand): Promise<void> {
  const marker = join(stateDirectory, 'paused-at-crash-point');
  const note = `${doomed.pid}\n`;
  await doomed.until('it stands at its crash point', () => existsSync(marker) && readFileSync(marker, 'utf8') === note);
  rmSync(marker);
}

/** kill -9 of a process that stands at its crash point. */
export async function killedWhilePaused(at: Sandbox, doomed: RunningCommand): Promise<void> {
  await arrives(at.state, doomed);
  doomed.kill('SIGKILL');
  expect(await doomed.finished()).toMatchObject({ code: null, signal: 'SIGKILL' });
}

/** An approved operation whose effect happened and whose receipt was lost; its lease is over. */
export async function receiptLost(at: Sandbox, operationId: string): Promise<void> {
  await at.decided(operationId, true);
  const lost = at.arrange((ports) => {
    const crash = {
      reach: (point: CrashPoint): void => {
        if (point === 'receiver.half-reply') throw new Error(faultAt(point));
      },
    };
    return execute({ ...ports, crash }, operationId, 'lost');
  });
  await expect(lost).rejects.toThrow(faultAt('receiver.half-reply'));
  at.leaseEnds(operationId, Date.now() - 1);
}

/** An approved operation that never reached the receiver, and a look that found nothing; its lease goes on for an hour. */
export async function unknownWithoutEffect(at: Sandbox, operationId: string): Promise<void> {
  await at.decided(operationId, true);
  const lost = at.arrange((ports) => {
    const crash = {
      reach: (point: CrashPoint): void => {
        if (point === 'receiver.request-sent') throw new Error(faultAt(point));
      },
    };
    return execute({ ...ports, crash }, operationId, 'lost');
  });
  await expect(lost).rejects.toThrow(faultAt('receiver.request-sent'));
  await at.arrange((ports) => reconcile(ports, operationId, { executor: 'lost', askAboutSettled: false }));
  at.leaseEnds(operationId, Date.now() + 3_600_000);
}
