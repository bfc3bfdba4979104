/** What an armed process says of itself, and what one does that is not armed or never comes to its point. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { world } from '../cli/on-temporal.ts';
import { sandbox, type Sandbox } from '../cli/sandbox.ts';
import { crashRows } from '../../scripts/crash-rows.ts';
import { expectStand } from './stand.ts';

const { end } = crashRows.find(({ point }) => point === 'claim.before-commit')!;
const approve = (id: string, ...more: string[]): string[] => ['approve', id, '--reviewer', 'rosa', ...more];
const stoodAnywhere = (at: Sandbox): boolean => existsSync(join(at.state, 'paused-at-crash-point'));

/** The log entries that say so. */
function armings(log: string): Record<string, unknown>[] {
  const entries = log.split('\n').filter(Boolean);
  return entries
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ msg }) => String(msg).includes('ARMED'));
}

test('an armed worker says in its log at start which point and manner, before it has anything to do', async () => {
  const at = await world();
  await at.startWorker('--crash-at', 'claim.after-commit=throw');

  // Only when it has ended is all of its log here: that it is ready is heard on another pipe.
  const { code, stderr: said } = await at.stopWorker();

  expect(armings(said)).toMatchObject([{ level: 40, point: 'claim.after-commit', manner: 'throw' }]);
  expect(said.indexOf('ARMED')).toBeLessThan(said.indexOf('worker runs'));
  expect(code).toBe(0);
});

test('a worker that is not armed says nothing of it, passes every point, and the case is done', async () => {
  const at = await world();
  await at.startWorker();
  const { operationId } = await at.begun();

  const { code } = await at.askOn(approve(operationId));
  const { stderr } = await at.stopWorker();

  expect(code).toBe(0);
  expect(armings(stderr)).toEqual([]);
  expect(stoodAnywhere(at)).toBe(false);
  await expectStand(at, operationId, end);
});

test.each(['exit', 'throw', 'pause'])(
  'a command armed (%s) at a point it never comes to is done as any other',
  async (manner) => {
    const at = sandbox();
    const { operationId } = await at.proposed();

    const { code, answer } = await at.ask(approve(operationId, '--crash-at', `resolve.after-commit=${manner}`));

    expect({ code, state: answer['state'] }).toEqual({ code: 0, state: 'Completed' });
    expect(stoodAnywhere(at)).toBe(false);
    await expectStand(at, operationId, end);
  },
);
