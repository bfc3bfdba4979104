/**
 * A case file without a body at the command line. The command knows of no drafter; a worker, or a program that embeds the
 * commands, may have one. Its calls are counted over all processes of a test.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { UndraftedCase } from '../../src/core/case.ts';
import { callsIn, draftingCommand } from '../support/drafting-command.ts';
import { documentOf, runCommand, type RunningCommand } from '../support/processes.ts';
import { eventually } from '../support/temporal.ts';
import { world, type World } from './on-temporal.ts';
import { caseFile, sandbox, type Sandbox } from './sandbox.ts';

function undrafted(): UndraftedCase {
  const { body: _body, ...rest } = caseFile();
  return rest;
}

const callsOf = (at: Sandbox): string => join(at.directory, 'calls');

const draftsIn = (at: Sandbox): string[] =>
  at.rows<{ body: string }>(at.ledgerFile, 'SELECT CAST(body AS TEXT) AS body FROM drafts').map(({ body }) => body);

/** A worker with a drafter; it is killed when the test is over. */
async function draftingWorker(at: World, args: string[] = [], env: Record<string, string> = {}) {
  const worker = at.start(['--json', 'worker', ...args], {
    env: { ...at.env, DRAFT_CALLS: callsOf(at), ...env },
    program: draftingCommand,
  });
  await worker.readyLine();
  return worker;
}

async function killed(worker: RunningCommand): Promise<void> {
  worker.kill('SIGKILL');
  expect((await worker.ended).signal).toBe('SIGKILL');
}

describe('without Temporal', () => {
  test('a case without a body is malformed at /body, and the hint says what a body may be left out for', async () => {
    const at = sandbox();
    const { code, answer } = await at.ask(['begin', at.file('case.json', undrafted())]);
    expect({ code, ...answer.error }).toMatchObject({ code: 'malformed_input', pointer: '/body' });
    expect(code).toBe(2);
    expect(answer.error?.hint).toContain('where a drafter is configured');
    expect(at.operations()).toBe(0);
  });

  test('a program that embeds the command may bring a drafter; every later command uses what it wrote', async () => {
    const at = sandbox();
    const file = at.file('case.json', undrafted());
    const begin = ['--driver', 'application', '--state', at.state, '--json', 'begin', file];
    const options = { env: { DRAFT_CALLS: callsOf(at) }, program: draftingCommand };

    const first = documentOf(await runCommand(begin, options)) as Record<string, unknown>;
    const again = documentOf(await runCommand(begin, options)) as Record<string, unknown>;
    const plain = await at.ask(['begin', file]);

    const { operationId } = first;
    expect(first).toMatchObject({ outcome: 'admitted', state: 'Pending', proposal: { body: 'draft 1' } });
    expect(again).toMatchObject({ outcome: 'duplicate', operationId });
    expect(plain).toMatchObject({ code: 0, answer: { outcome: 'duplicate', operationId } });
    expect(callsIn(callsOf(at))).toBe(1);
    expect(draftsIn(at)).toEqual(['draft 1']);
    expect((await at.command(['verify'])).code).toBe(0);
  });

  test('there is no identity of a case without a body', async () => {
    const at = sandbox();
    const { code, answer } = await at.ask(['id', at.file('case.json', undrafted())]);
    expect(code).toBe(2);
    expect(answer.error).toMatchObject({ code: 'malformed_input', pointer: '/body' });
    expect(existsSync(at.state)).toBe(false);
  });
});

describe('on Temporal', () => {
  test('begin answers with what the worker had drafted, and again with the same', async () => {
    const at = await world();
    await draftingWorker(at);
    const given = undrafted();
    const file = at.file('case.json', given);

    const first = await at.askOn(['begin', file]);
    const again = await at.askOn(['begin', file]);
    const { operationId } = first.answer;
    const approved = await at.askOn(['approve', String(operationId), '--reviewer', 'rosa']);
    const settled = await at.askOn(['begin', file]);

    expect(first).toMatchObject({ code: 0, answer: { outcome: 'admitted', proposal: { body: 'draft 1' } } });
    expect(again).toMatchObject({ code: 0, answer: { outcome: 'duplicate', operationId, state: 'Pending' } });
    expect(approved).toMatchObject({ code: 0, answer: { state: 'Completed' } });
    expect(settled).toMatchObject({ code: 0, answer: { outcome: 'duplicate', operationId, state: 'Completed' } });
    expect(callsIn(callsOf(at))).toBe(1);
    expect(at.effects()).toEqual([operationId]);
  });

  test('begin that is not answered in time says what it may be waiting for, and nothing is recorded', async () => {
    const at = await world();
    const { code, answer } = await at.askOn(['begin', at.file('case.json', undrafted()), '--wait', '1']);
    expect(code).toBe(69);
    expect(answer.error).toMatchObject({ code: 'server_unavailable' });
    expect(answer.error?.hint).toContain('may still be being drafted');
    expect(at.operations()).toBe(0);
  });

  test('a worker without a drafter has the case refused as malformed', async () => {
    const at = await world();
    await at.startWorker();
    const { code, answer } = await at.askOn(['begin', at.file('case.json', undrafted())]);
    expect(code).toBe(2);
    expect(answer.error).toMatchObject({ code: 'malformed_input', pointer: '/body' });
    expect(at.operations()).toBe(0);
  });

  test('a case under review with another content is in the way, and nothing is drafted', async () => {
    const at = await world();
    await draftingWorker(at);
    const given = undrafted();
    const open = await at.begun({ caseId: given.caseId });
    const file = at.file('case.json', given);

    const { code, answer } = await at.askOn(['begin', file]);
    const { stdout, stderr } = await at.on(['begin', file]);

    const said = { outcome: 'case_open', operationId: null, state: null, currentOperationId: open.operationId };
    expect(answer).toMatchObject({ ...said, currentState: 'Pending' });
    expect(code).toBe(4);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^case_open: not drafted\n/);
    expect(callsIn(callsOf(at))).toBe(0);
    expect(at.operations()).toBe(1);
  });

  test('a worker killed after the draft was kept: the next one goes on with it', async () => {
    const at = await world();
    const first = await draftingWorker(at, ['--crash-at', 'propose.before-commit=pause']);
    const begin = at.start(['--json', 'begin', at.file('case.json', undrafted()), '--wait', '90'], { env: at.env });
    await eventually('it stands before the proposal', () => existsSync(join(at.state, 'paused-at-crash-point')));
    await killed(first);
    expect(draftsIn(at)).toEqual(['draft 1']);
    expect(at.operations()).toBe(0);

    await draftingWorker(at);

    const { code, stdout } = await begin.finished();
    expect(JSON.parse(stdout)).toMatchObject({ outcome: 'admitted', proposal: { body: 'draft 1' } });
    expect(code).toBe(0);
    expect(callsIn(callsOf(at))).toBe(1);
  });

  test('a worker that dies between the answer and its commit leaves nothing, so the next one asks again', async () => {
    const at = await world();
    const first = await draftingWorker(at, [], { DRAFT_DIES_AT: '1' });
    const begin = at.start(['--json', 'begin', at.file('case.json', undrafted()), '--wait', '90'], { env: at.env });
    expect((await first.ended).signal).toBe('SIGKILL');
    expect(draftsIn(at)).toEqual([]);

    await draftingWorker(at);

    const { code, stdout } = await begin.finished();
    expect(JSON.parse(stdout)).toMatchObject({ outcome: 'admitted', proposal: { body: 'draft 2' } });
    expect(code).toBe(0);
    expect(callsIn(callsOf(at))).toBe(2);
    expect(draftsIn(at)).toEqual(['draft 2']);
    expect(at.operations()).toBe(1);
  });
});
