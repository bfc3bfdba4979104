/**
 * The driver without Temporal: every command is a process of its own, and what it leaves behind is read from both
 * databases. Ordered by exit code (contract, section 6).
 */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { identify } from '../../src/identity/index.ts';
import type { CrashPoint } from '../../src/ports/crash-points.ts';
import { canonicalCase } from '../../src/operations/content.ts';
import { setTimeout as delay } from 'node:timers/promises';
import { runCommand } from '../support/processes.ts';
import { caseFile, listing, sandbox, type Sandbox } from './sandbox.ts';

const nobody = `op-v1-${'0'.repeat(64)}`;
const minute = 60_000;

const approve = (id: string, ...more: string[]): string[] => ['approve', id, '--reviewer', 'rosa', ...more];
const decline = (id: string): string[] => ['decline', id, '--reviewer', 'rosa', '--reason', 'not now'];
const withdraw = (id: string): string[] => ['withdraw', id, '--by', 'drafter', '--reason', 'not needed'];
const resolve = (id: string, as: string, ...more: string[]): string[] => [
  ...['resolve', id, '--as', as, '--operator', 'olga', '--reason', 'looked it up', ...more],
];

const crashedAt = (at: Sandbox, point: CrashPoint, content = {}) => at.crashedAt(point, content);

/** An operation with one attempt, no effect, and a look that found none. */
async function unknown(at: Sandbox): Promise<string> {
  const { operationId } = await crashedAt(at, 'receiver.request-sent');
  const { code, answer } = await at.ask(['reconcile', operationId]);
  expect({ code, outcome: answer['outcome'] }).toStrictEqual({ code: 6, outcome: 'Unknown' });
  return operationId;
}

describe('0: done, or the same again', () => {
  test('begin records a pending proposal and shows it whole', async () => {
    const at = sandbox();
    const input = caseFile({ body: 'first\r\nsecond', proposedBy: 'drafter', eventId: 'evt-1' });
    const file = at.file('case.json', input);

    const { code, answer } = await at.ask(['begin', file]);

    const { operationId, evidenceId, policyId } = identify(canonicalCase(input));
    expect(code).toBe(0);
    expect(answer).toMatchObject({
      outcome: 'admitted',
      operationId,
      caseId: input.caseId,
      state: 'Pending',
      workflowId: null,
      proposal: { operationId, evidenceId, policyId, body: 'first\nsecond', proposedBy: 'drafter', eventId: 'evt-1' },
    });
    expect(at.operation(operationId)).toMatchObject({ state: 'Pending', attempts: 0, workflow_id: null });
    expect(at.effects()).toStrictEqual([]);
  });

  test('begin reads the case from standard input where the file is -', async () => {
    const at = sandbox();
    const input = caseFile();

    const { code, answer } = await at.ask(['begin', '-'], { input: JSON.stringify(input) });

    expect({ code, caseId: answer['caseId'] }).toStrictEqual({ code: 0, caseId: input.caseId });
    expect(at.operations()).toBe(1);
  });

  test('the same case begun again is a duplicate and changes nothing', async () => {
    const at = sandbox();
    const file = at.file('case.json', caseFile());
    await at.command(['begin', file]);
    const before = at.dump();

    const { code, answer } = await at.ask(['begin', file]);

    expect({ code, outcome: answer['outcome'], state: answer['state'] }).toStrictEqual({
      code: 0,
      outcome: 'duplicate',
      state: 'Pending',
    });
    expect(at.dump()).toStrictEqual(before);
  });

  test('an approval brings about one effect, and the answer says so', async () => {
    const at = sandbox();
    const { operationId } = await at.proposed();

    const { code, answer } = await at.ask(approve(operationId, '--reason', 'checked'));

    expect(code).toBe(0);
    expect(answer).toMatchObject({
      outcome: 'recorded',
      state: 'Completed',
      attempts: 1,
      claim: 'claimed',
      decision: { approved: true, reviewer: 'rosa', reason: 'checked', via: 'command' },
      result: { operationId, status: 'Committed', replayed: false, effectCount: 1, attempts: 1 },
    });
    expect(at.operation(operationId)).toMatchObject({ state: 'Completed', attempts: 1 });
    expect(at.effects()).toStrictEqual([operationId]);
  });

  test('an approval given again is repeated, and both databases stay the same', async () => {
    const at = sandbox();
    const { operationId } = await at.proposed();
    await at.command(approve(operationId));
    const before = at.dump();

    const { code, answer } = await at.ask(['approve', operationId, '--reviewer', 'otto']);

    expect(code).toBe(0);
    expect(answer).toMatchObject({
      outcome: 'repeated',
      decision: { reviewer: 'rosa' },
      result: { status: 'Committed', replayed: true, effectCount: 1, attempts: 1 },
    });
    expect(at.dump()).toStrictEqual(before);
  });

  test('a declined proposal has no effect; declining it again is repeated and changes nothing', async () => {
    const at = sandbox();
    const { operationId } = await at.proposed();

    const first = await at.ask(decline(operationId));
    const before = at.dump();
    const second = await at.ask(decline(operationId));

    expect(first).toMatchObject({
      code: 0,
      answer: { outcome: 'recorded', state: 'Declined', result: { status: 'Declined' } },
    });
    expect(second).toMatchObject({ code: 0, answer: { outcome: 'repeated', state: 'Declined' } });
    expect(at.dump()).toStrictEqual(before);
    expect(at.effects()).toStrictEqual([]);
  });

  test('approve --no-wait only records; approving again later carries the operation on', async () => {
    const at = sandbox();
    const { operationId } = await at.proposed();

    const recorded = await at.ask(approve(operationId, '--no-wait'));
    const between = at.operation(operationId)?.state;
    const carried = await at.ask(approve(operationId));

    expect(recorded).toMatchObject({ code: 0, answer: { outcome: 'recorded', state: 'Approved', attempts: 0 } });
    expect(between).toBe('Approved');
    expect(carried).toMatchObject({ code: 0, answer: { outcome: 'repeated', state: 'Completed', attempts: 1 } });
    expect(at.effects()).toStrictEqual([operationId]);
  });

  test('sweep carries on what was approved and left lying', async () => {
    const at = sandbox();
    const { operationId, caseId } = await at.proposed();
    const pending = await at.proposed();
    await at.decided(operationId, true);

    const { code, answer } = await at.ask(['sweep']);

    expect(code).toBe(0);
    expect(answer).toStrictEqual({
      looked: 2,
      swept: [{ operationId, caseId, state: 'Approved', reason: 'object is free', result: 'driven' }],
      more: false,
      next: null,
    });
    expect(at.operation(operationId)?.state).toBe('Completed');
    expect(at.operation(pending.operationId)?.state).toBe('Pending');
    expect(at.effects()).toStrictEqual([operationId]);
  });

  test('sweep settles an attempt nobody is at work on, and looks at no more than it is told to', async () => {
    const at = sandbox();
    const { operationId, caseId } = await crashedAt(at, 'receiver.request-sent');
    await at.proposed();
    at.leaseEnds(operationId, Date.now());

    const { code, answer } = await at.ask(['sweep', '--limit', '1']);

    expect(code).toBe(0);
    expect(answer).toStrictEqual({
      looked: 1,
      swept: [{ operationId, caseId, state: 'Executing', reason: 'look is due', result: 'driven' }],
      more: true,
      next: 1,
    });
    expect(at.operation(operationId)).toMatchObject({ state: 'Completed', attempts: 2 });
    expect(at.effects()).toStrictEqual([operationId]);
  });

  test('a revision is a new identity with the edited text, without the checks of the old one', async () => {
    const at = sandbox();
    const checks = [{ name: 'licensed-clauses', result: 'passed' }];
    const { operationId, caseId } = await at.proposed({ checks });
    const body = at.file('body.txt', 'Edited.\n');

    const { code, answer } = await at.ask([
      ...['revise', caseId, '--expected', operationId, '--by', 'edith', '--body-file', body],
    ]);

    const revised = String(answer['operationId']);
    expect({ code, outcome: answer['outcome'] }).toStrictEqual({ code: 0, outcome: 'revised' });
    expect(answer['proposal']).toMatchObject({
      operationId: revised,
      body: 'Edited.\n',
      humanEdited: true,
      revisionOf: operationId,
      proposedBy: 'edith',
      checks: [],
    });
    expect(revised).not.toBe(operationId);
    expect(at.operation(operationId)?.state).toBe('Superseded');
    expect(at.operation(revised)?.state).toBe('Pending');
  });

  test('evidence and policy are revised from JSON files', async () => {
    const at = sandbox();
    const { operationId, caseId } = await at.proposed();
    const evidence = at.file('evidence.json', [{ sourceId: 'KB-312', version: '1', quotation: 'Newer.' }]);
    const policy = at.file('policy.json', { label: 'support-review/2' });

    const { code, answer } = await at.ask([
      ...['revise', caseId, '--expected', operationId, '--by', 'edith'],
      ...['--evidence-file', evidence, '--policy-file', policy],
    ]);

    expect(code).toBe(0);
    expect(answer['proposal']).toMatchObject({
      evidence: [{ sourceId: 'KB-312', version: '1', quotation: 'Newer.' }],
      policy: { label: 'support-review/2' },
      humanEdited: false,
    });
  });

  test('a proposal is withdrawn once; withdrawing it again is the same and changes nothing', async () => {
    const at = sandbox();
    const { operationId } = await at.proposed();

    const first = await at.ask(withdraw(operationId));
    const before = at.dump();
    const second = await at.ask(withdraw(operationId));

    expect(first).toMatchObject({ code: 0, answer: { outcome: 'withdrawn', state: 'Withdrawn', told: null } });
    expect(second).toMatchObject({ code: 0, answer: { outcome: 'withdrawn', state: 'Withdrawn' } });
    expect(at.operation(operationId)?.state).toBe('Withdrawn');
    expect(at.dump()).toStrictEqual(before);
  });

  test('reconcile answers Pending for what nobody decided, and asks nobody', async () => {
    const at = sandbox();
    const { operationId } = await at.proposed();
    const before = at.dump();

    const { code, answer } = await at.ask(['reconcile', operationId]);

    expect({ code, outcome: answer['outcome'], finding: answer['finding'] }).toStrictEqual({
      code: 0,
      outcome: 'Pending',
      finding: null,
    });
    expect(at.dump()).toStrictEqual(before);
  });

  test('reconcile without an id asks about everything that is under way, and about nothing else', async () => {
    const at = sandbox();
    const done = await crashedAt(at, 'receiver.committed');
    const lost = await crashedAt(at, 'receiver.request-sent');
    const pending = await at.proposed();

    const { code, answer } = await at.ask<{ reconciled: { operationId: string; outcome: string }[] }>(['reconcile']);

    expect(code).toBe(6);
    expect(answer.reconciled.map(({ operationId, outcome }) => [operationId, outcome])).toStrictEqual([
      [done.operationId, 'Committed'],
      [lost.operationId, 'Unknown'],
    ]);
    expect(at.operation(pending.operationId)?.state).toBe('Pending');
  });

  test('explain names the stored record that each line rests on', async () => {
    const at = sandbox();
    const { operationId, caseId } = await crashedAt(at, 'receiver.committed');

    const { code, answer } = await at.ask<{
      state: string;
      happened: { record: { table: string } }[];
      attempted: { text: string; record: { table: string; key: string } }[];
      notEstablished: { record: { table: string } }[];
    }>(['explain', caseId]);

    expect({ code, state: answer.state }).toStrictEqual({ code: 0, state: 'Executing' });
    expect(answer.happened.map(({ record }) => record.table)).toStrictEqual(['journal', 'decisions']);
    expect(answer.attempted.map(({ record }) => record)).toMatchObject([
      { table: 'attempts', key: `${operationId}/1` },
    ]);
    expect(answer.notEstablished.map(({ record }) => record.table)).toStrictEqual(['journal']);
  });

  test('resolve settles what is unknown by an operator’s word, and the answer names the state', async () => {
    const at = sandbox();
    const operationId = await unknown(at);

    const { code, answer } = await at.ask(resolve(operationId, 'effect_happened', '--reference', 'desk entry 7'));

    expect(code).toBe(0);
    expect(answer).toMatchObject({ outcome: 'resolved', state: 'Completed' });
    expect(at.operation(operationId)).toMatchObject({ state: 'Completed', attempts: 1 });
    expect(at.effects()).toStrictEqual([]);
  });

  test('an abandoned operation frees its object for the next one', async () => {
    const at = sandbox();
    const object = { id: 'ticket-7', version: 1, scope: 'default' };
    const first = await crashedAt(at, 'receiver.request-sent', { object });
    const second = await at.proposed({ object });
    await at.command(['reconcile', first.operationId]);

    const abandoned = await at.ask(resolve(first.operationId, 'abandon'));
    const approved = await at.ask(approve(second.operationId));

    expect(abandoned).toMatchObject({ code: 0, answer: { outcome: 'resolved', state: 'Abandoned' } });
    expect(approved).toMatchObject({ code: 0, answer: { state: 'Completed' } });
    expect(at.effects()).toStrictEqual([second.operationId]);
  });

  test('object set stores version, scope and permission, and keeps what is not named', async () => {
    const at = sandbox();

    const first = await at.ask(['object', 'set', 'ticket-7', '--version', '3', '--scope', 'blue', '--revoked']);
    const second = await at.ask(['object', 'set', 'ticket-7', '--version', '4']);
    const third = await at.ask(['object', 'set', 'ticket-7', '--version=5', '--permitted']);

    const stored = { objectId: 'ticket-7', scope: 'blue' };
    expect(first).toStrictEqual({ code: 0, answer: { ...stored, version: 3, permitted: false } });
    expect(second).toStrictEqual({ code: 0, answer: { ...stored, version: 4, permitted: false } });
    expect(third).toStrictEqual({ code: 0, answer: { ...stored, version: 5, permitted: true } });
    expect(at.rows(at.ledgerFile, 'SELECT * FROM objects')).toStrictEqual([
      { object_id: 'ticket-7', version: 5, scope: 'blue', permitted: 1 },
    ]);
  });

  test('id computes the identities of a file and makes no state directory', async () => {
    const at = sandbox();
    const input = caseFile();
    const { operationId, evidenceId, policyId } = identify(canonicalCase(input));

    const { code, answer } = await at.ask(['id', at.file('case.json', input)]);

    expect(code).toBe(0);
    expect(answer).toStrictEqual({ operationId, evidenceId, policyId });
    expect(listing(at.state)).toStrictEqual({});
  });

  test('show answers by identity and by case, and changes nothing', async () => {
    const at = sandbox();
    const { operationId, caseId } = await at.proposed();
    const before = at.dump();

    const byId = await at.ask(['show', operationId]);
    const byCase = await at.ask(['show', caseId]);

    expect(byId).toMatchObject({
      code: 0,
      answer: { operationId, caseId, state: 'Pending', proposal: { operationId } },
    });
    expect(byCase).toStrictEqual(byId);
    expect(at.dump()).toStrictEqual(before);
  });

  test('list shows what waits, oldest first; --all, --in-state, --case, --limit and --after choose', async () => {
    const at = sandbox();
    const declined = await at.proposed();
    await at.decided(declined.operationId, false);
    const first = await at.proposed();
    const second = await at.proposed();
    const ids = async (...args: string[]): Promise<string[]> => {
      const { code, answer } = await at.ask<{ operations: { operationId: string; sequence: number }[] }>([
        'list',
        ...args,
      ]);
      expect(code).toBe(0);
      return answer.operations.map(({ operationId }) => operationId);
    };

    expect(await ids()).toStrictEqual([first.operationId, second.operationId]);
    expect(await ids('--all')).toStrictEqual([declined.operationId, first.operationId, second.operationId]);
    expect(await ids('--in-state', 'declined')).toStrictEqual([declined.operationId]);
    expect(await ids('--case', second.caseId)).toStrictEqual([second.operationId]);
    expect(await ids('--all', '--after', '1', '--limit', '1')).toStrictEqual([first.operationId]);
  });
});

describe('2: malformed input or usage', () => {
  const usage: readonly (readonly [string, readonly string[], string])[] = [
    ['no command', [], 'There is no command'],
    ['an unknown command', ['perform'], "unknown command 'perform'"],
    ['a command of two words with one', ['object'], 'There is no command'],
    ['an unknown option', ['list', '--colour'], "unknown option '--colour'"],
    ['an argument too many', ['list', 'everything'], 'too many arguments'],
    ['an argument too few', ['show'], "missing required argument 'id-or-case'"],
    ['no reviewer', ['approve', nobody], "required option '--reviewer <name>' not specified"],
    ['no reason for declining', ['decline', nobody, '--reviewer', 'rosa'], "'--reason <text>' not specified"],
    ['a driver there is not', ['--driver', 'engine', 'list'], 'Allowed choices are temporal, application'],
    ['a state there is not', ['list', '--in-state', 'Lost'], 'There is no state "Lost"'],
    ['a limit that is no number', ['list', '--limit', 'all'], '--limit takes a whole number'],
    ['a sweep of nothing', ['sweep', '--limit', '0'], '--limit takes a whole number'],
    ['a wait that is no number', approve(nobody, '--wait', 'long'), '--wait takes a whole number'],
    ['an object with two permissions', ['object', 'set', 'x', '--version', '1', '--revoked', '--permitted'], 'either'],
    ['an object version of 0', ['object', 'set', 'x', '--version', '0'], '--version takes a whole number'],
    ['an object without a name', ['object', 'set', '', '--version', '1'], 'the object takes 1 to 200'],
    [
      'an object with an empty scope',
      ['object', 'set', 'x', '--version', '1', '--scope', ''],
      '--scope takes 1 to 200',
    ],
    ['an empty state directory', ['--state', '', 'list'], '--state needs a directory'],
    ['a crash point there is not', ['--crash-at', 'somewhere', 'list'], 'names no crash point'],
    ['a revision that changes nothing', ['revise', 'T', '--expected', nobody, '--by', 'edith'], 'changes something'],
    ['an empty reviewer', ['approve', nobody, '--reviewer', ' '], '/reviewer must not be empty'],
    ['an identity cut short', ['approve', nobody.slice(0, 20), '--reviewer', 'rosa'], 'is not an operation identity'],
    ['a resolution there is not', resolve(nobody, 'ignore'), '/resolution must be one of'],
    ['an effect without a reference', resolve(nobody, 'effect_happened'), '/reference'],
  ];
  test.each(usage)('%s is refused in one document with a hint, and nothing is made', async (_name, args, said) => {
    const at = sandbox();

    const { code, answer } = await at.ask(args);

    expect(code).toBe(2);
    expect(answer.error?.message).toContain(said);
    expect(answer.error?.hint).not.toBe('');
    expect(listing(at.state)).toStrictEqual({});
  });

  test('without --json the fault and its hint are one line each on standard error', async () => {
    const at = sandbox();

    const finished = await at.command(['list', '--limit', 'all']);

    expect(finished).toMatchObject({ code: 2, stdout: '' });
    expect(finished.stderr.split('\n')).toStrictEqual([
      'error [usage] --limit takes a whole number from 1 to 10000, not "all".',
      '  Run the command with --help.',
      '',
    ]);
  });

  test('asked for by name, version and help are no faults', async () => {
    const at = sandbox();

    const version = await runCommand(['--version'], { cwd: at.directory });
    const help = await runCommand(['object', 'set', '--help'], { cwd: at.directory });

    expect(version).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) as string });
    expect(help).toMatchObject({ code: 0, stdout: expect.stringContaining('--version <n>') as string });
  });
});

describe('3: the proposal is no longer the one under review', () => {
  test('an approval of the content before a revision is stale, and names the current identity', async () => {
    const at = sandbox();
    const { operationId, caseId } = await at.proposed();
    const body = at.file('body.txt', 'Edited.');
    const revised = await at.ask([
      ...['revise', caseId, '--expected', operationId, '--by', 'edith', '--body-file', body],
    ]);

    const { code, answer } = await at.ask(approve(operationId));

    expect(code).toBe(3);
    expect(answer).toMatchObject({
      outcome: 'stale_proposal',
      decision: null,
      currentOperationId: revised.answer['operationId'],
    });
    expect(at.decisions()).toStrictEqual([]);
    expect(at.effects()).toStrictEqual([]);
  });

  test('a revision or withdrawal of a superseded proposal is stale', async () => {
    const at = sandbox();
    const { operationId, caseId } = await at.proposed();
    const body = at.file('body.txt', 'Edited.');
    const revise = ['revise', caseId, '--expected', operationId, '--by', 'edith', '--body-file', body];
    const current = (await at.ask(revise)).answer['operationId'];

    const again = await at.ask(revise);
    const withdrawn = await at.ask(withdraw(operationId));

    expect(again).toMatchObject({ code: 3, answer: { outcome: 'stale_proposal', currentOperationId: current } });
    expect(withdrawn).toMatchObject({ code: 3, answer: { outcome: 'stale_proposal', currentOperationId: current } });
    expect(at.operations()).toBe(2);
    expect(at.operation(String(current))?.state).toBe('Pending');
  });

  test('content that was superseded is never proposed again in its case, by revision or by a new event', async () => {
    const at = sandbox();
    const first = caseFile();
    const { operationId, caseId } = await at.proposed(first);
    const edited = at.file('edited.txt', 'Edited.');
    const original = at.file('original.txt', first.body);
    const revise = (expected: string, file: string): string[] => [
      ...['revise', caseId, '--expected', expected, '--by', 'edith', '--body-file', file],
    ];
    const current = String((await at.ask(revise(operationId, edited))).answer['operationId']);

    const back = await at.ask(revise(current, original));
    await at.decided(current, false);
    const begun = await at.ask(['begin', at.file('case.json', { ...first, eventId: 'evt-2' })]);

    expect(back).toMatchObject({ code: 3, answer: { outcome: 'content_already_proposed' } });
    expect(begun).toMatchObject({ code: 3, answer: { outcome: 'content_already_proposed' } });
    expect(at.operations()).toBe(2);
  });
});

describe('4: the case does not fit what is on record', () => {
  test('other content on an open case is refused, and names what is under review', async () => {
    const at = sandbox();
    const { operationId, caseId } = await at.proposed();

    const { code, answer } = await at.ask(['begin', at.file('case.json', caseFile({ caseId, body: 'Other.' }))]);

    expect(code).toBe(4);
    expect(answer).toMatchObject({
      outcome: 'case_open',
      state: null,
      currentOperationId: operationId,
      currentState: 'Pending',
    });
    expect(at.operations()).toBe(1);
  });

  test('an event that brought another operation is a conflict', async () => {
    const at = sandbox();
    const { operationId } = await at.proposed({ eventId: 'evt-1' });

    const { code, answer } = await at.ask(['begin', at.file('case.json', caseFile({ eventId: 'evt-1' }))]);

    expect(code).toBe(4);
    expect(answer).toMatchObject({ outcome: 'event_conflict', currentOperationId: operationId });
    expect(at.operations()).toBe(1);
  });

  test('a workflow version this program does not know is refused', async () => {
    const at = sandbox();

    const { code, answer } = await at.ask(['begin', at.file('case.json', caseFile({ workflowVersion: 2 }))]);

    expect({ code, outcome: answer['outcome'] }).toStrictEqual({ code: 4, outcome: 'unsupported_workflow_version' });
    expect(at.operations()).toBe(0);
  });
});

describe('5: something else was decided', () => {
  test.each([
    [true, decline],
    [false, approve],
  ])('after approved=%s the opposite is a conflict and names the decision that stands', async (approved, opposite) => {
    const at = sandbox();
    const { operationId } = await at.proposed();
    await at.decided(operationId, approved, 'otto');
    const state = at.operation(operationId)?.state;

    const { code, answer } = await at.ask(opposite(operationId));

    expect(code).toBe(5);
    expect(answer).toMatchObject({ outcome: 'conflicting_decision', decision: { approved, reviewer: 'otto' } });
    expect(at.operation(operationId)?.state).toBe(state);
    expect(at.decisions()).toHaveLength(1);
    expect(at.effects()).toStrictEqual([]);
  });

  test('a decided proposal is not revised, an executed one not withdrawn', async () => {
    const at = sandbox();
    const { operationId, caseId } = await at.proposed();
    await at.command(approve(operationId));
    const body = at.file('body.txt', 'Edited.');

    const revised = await at.ask([
      ...['revise', caseId, '--expected', operationId, '--by', 'edith', '--body-file', body],
    ]);
    const withdrawn = await at.ask(withdraw(operationId));

    expect(revised).toMatchObject({ code: 5, answer: { outcome: 'already_decided', state: 'Completed' } });
    expect(withdrawn).toMatchObject({ code: 5, answer: { outcome: 'already_decided', state: 'Completed' } });
    expect(at.operations()).toBe(1);
    expect(at.effects()).toStrictEqual([operationId]);
  });

  test('a withdrawn proposal is closed to decisions', async () => {
    const at = sandbox();
    const { operationId } = await at.proposed();
    await at.command(withdraw(operationId));

    const { code, answer } = await at.ask(approve(operationId));

    expect({ code, outcome: answer['outcome'], state: answer['state'] }).toStrictEqual({
      code: 5,
      outcome: 'closed',
      state: 'Withdrawn',
    });
    expect(at.decisions()).toStrictEqual([]);
  });

  test('another payload under the same identity at the receiver is a conflict, never overwritten', async () => {
    const at = sandbox();
    const { operationId } = await at.proposed();
    const head = 'SELECT ledger_id, sequence, hash FROM (SELECT value AS ledger_id FROM meta WHERE key = ?), journal';
    const [known] = at.rows<{ ledger_id: string; sequence: number; hash: string }>(at.ledgerFile, head, 'ledger_id');
    at.rows(
      at.receiverFile,
      `INSERT INTO effects (operation_id, sequence, payload, payload_sha256, attempt, ledger_id, ledger_sequence,
         ledger_hash, recorded_at_ms) VALUES (?, 1, x'00', ?, 1, ?, ?, ?, 1)`,
      ...[operationId, '0'.repeat(64), known!.ledger_id, known!.sequence, known!.hash],
    );
    const before = at.dump().receiver;

    const approved = await at.ask(approve(operationId));
    const reconciled = await at.ask(['reconcile', operationId]);

    expect(approved).toMatchObject({ code: 5, answer: { outcome: 'recorded', state: 'Unknown', attempts: 1 } });
    expect(reconciled).toMatchObject({ code: 5, answer: { outcome: 'Unknown', finding: 'conflict' } });
    expect(at.operation(operationId)).toMatchObject({ state: 'Unknown', attempts: 1 });
    expect(at.dump().receiver).toBe(before);
  });
});

describe('6: the outcome is unknown', () => {
  test('no evidence of an attempt leaves its outcome unknown, and after the lease it is attempted once more', async () => {
    const at = sandbox();
    const { operationId } = await crashedAt(at, 'receiver.request-sent');
    expect(at.operation(operationId)).toMatchObject({ state: 'Executing', attempts: 1 });
    expect(at.effects()).toStrictEqual([]);

    const looked = await at.ask(['reconcile', operationId]);
    at.leaseEnds(operationId, Date.now() + 5 * minute);
    const early = await at.ask(approve(operationId));
    at.leaseEnds(operationId, Date.now());
    const late = await at.ask(approve(operationId));

    expect(looked).toMatchObject({ code: 6, answer: { outcome: 'Unknown', finding: 'absent', attempts: 1 } });
    expect(early).toMatchObject({ code: 6, answer: { outcome: 'repeated', state: 'Unknown', attempts: 1 } });
    expect(late).toMatchObject({
      code: 0,
      answer: { outcome: 'repeated', state: 'Completed', result: { replayed: false, attempts: 2 } },
    });
    expect(at.operation(operationId)).toMatchObject({ state: 'Completed', attempts: 2 });
    expect(at.effects()).toStrictEqual([operationId]);
  });

  test('the real lease of a lost attempt ends by itself', async () => {
    const at = sandbox();
    const operationId = await unknown(at);
    const deadline = Date.now() + minute;

    let last = await at.ask(approve(operationId));
    while (last.code === 6 && Date.now() < deadline) last = await at.ask(approve(operationId));

    expect(last).toMatchObject({ code: 0, answer: { state: 'Completed', attempts: 2 } });
    expect(at.effects()).toStrictEqual([operationId]);
  });
});

describe('7: the object, or the operation, is busy', () => {
  test('an operation on an object that another one holds stays approved, and no attempt is counted', async () => {
    const at = sandbox();
    const object = { id: 'ticket-7', version: 1, scope: 'blue' };
    const holder = await crashedAt(at, 'claim.after-commit', { object, eventId: 'evt-1' });
    const evidence = [{ sourceId: 'KB-311', version: 4, quotation: 'Update 4.2 can restart the unit.' }];
    const { operationId } = await at.proposed({ object, evidence, eventId: 'evt-2' });

    const { code, answer } = await at.ask(approve(operationId));

    expect(code).toBe(7);
    expect(answer).toMatchObject({ outcome: 'recorded', state: 'Approved', attempts: 0, claim: 'overlap' });
    expect(answer['claimWhy']).toContain(holder.operationId);
    expect(at.operation(operationId)).toMatchObject({ state: 'Approved', attempts: 0 });
    expect(at.operation(holder.operationId)).toMatchObject({ state: 'Executing', attempts: 1 });
    expect(at.effects()).toStrictEqual([]);
  });

  test('when the holder is settled, sweep carries on the one that waited', async () => {
    const at = sandbox();
    const object = { id: 'ticket-7', version: 1, scope: 'blue' };
    const holder = await crashedAt(at, 'receiver.committed', { object });
    const waiting = await at.proposed({ object });
    await at.command(approve(waiting.operationId));
    await at.command(['reconcile', holder.operationId]);

    const { code, answer } = await at.ask(['sweep']);

    expect(code).toBe(0);
    expect(answer).toMatchObject({ swept: [{ operationId: waiting.operationId, result: 'driven' }] });
    expect(at.operation(waiting.operationId)?.state).toBe('Completed');
    expect(at.effects()).toStrictEqual([holder.operationId, waiting.operationId].sort());
  });

  test('an attempt whose lease runs is in progress, and nobody else attempts it', async () => {
    const at = sandbox();
    const { operationId } = await crashedAt(at, 'claim.after-commit');
    at.leaseEnds(operationId, Date.now() + 5 * minute);

    const { code, answer } = await at.ask(approve(operationId));

    expect(code).toBe(7);
    expect(answer).toMatchObject({ outcome: 'repeated', state: 'Executing', attempts: 1, claim: 'in_progress' });
    expect(at.operation(operationId)).toMatchObject({ state: 'Executing', attempts: 1 });
    expect(at.effects()).toStrictEqual([]);
  });
});

describe('8: who asks may not', () => {
  test('whoever proposed a case may not approve it', async () => {
    const at = sandbox();
    const { operationId } = await at.proposed({ proposedBy: 'rosa' });

    const { code, answer } = await at.ask(approve(operationId));

    expect(code).toBe(8);
    expect(answer).toMatchObject({ outcome: 'not_authorized', state: 'Pending', decision: null });
    expect(answer['why']).toContain('may not approve');
    expect(at.decisions()).toStrictEqual([]);
  });

  test('whoever edited a proposal may not approve the edited one', async () => {
    const at = sandbox();
    const { operationId, caseId } = await at.proposed();
    const body = at.file('body.txt', 'Edited.');
    const revised = await at.ask([
      ...['revise', caseId, '--expected', operationId, '--by', 'rosa', '--body-file', body],
    ]);

    const { code } = await at.ask(approve(String(revised.answer['operationId'])));

    expect(code).toBe(8);
    expect(at.decisions()).toStrictEqual([]);
  });

  test('where the policy asks for a signature, an unsigned decision does not count', async () => {
    const at = sandbox();
    const { operationId } = await at.proposed({ policy: { requireSignature: true } });

    const { code, answer } = await at.ask(approve(operationId));

    expect(code).toBe(8);
    expect(answer).toMatchObject({ outcome: 'not_authorized', state: 'Pending' });
    expect(answer['why']).toContain('signed');
    expect(at.decisions()).toStrictEqual([]);
    expect(at.effects()).toStrictEqual([]);
  });
});

describe('9: there is no such thing', () => {
  const body = ['--body-file', '-'];
  test.each([
    ['show', ['show', nobody], null],
    ['show of a case', ['show', 'T-none'], null],
    ['explain', ['explain', nobody], null],
    ['reconcile', ['reconcile', nobody], null],
    ['approve', approve(nobody), 'unknown_operation'],
    ['decline', decline(nobody), 'unknown_operation'],
    ['withdraw', withdraw(nobody), 'unknown_operation'],
    ['resolve', resolve(nobody, 'abandon'), 'unknown_operation'],
    ['revise', ['revise', 'T-none', '--expected', nobody, '--by', 'edith', ...body], 'unknown_operation'],
  ])('%s of something the ledger does not hold', async (_name, args, outcome) => {
    const at = sandbox();
    const { operationId } = await at.proposed();

    const { code, answer } = await at.ask(args, { input: 'Edited.' });

    expect(code).toBe(9);
    if (outcome === null) expect(answer.error?.code).toBe('not_found');
    else expect(answer['outcome']).toBe(outcome);
    expect(at.operation(operationId)?.state).toBe('Pending');
    expect(at.operations()).toBe(1);
    expect(at.decisions()).toStrictEqual([]);
  });

  test('what is not unknown is not resolved', async () => {
    const at = sandbox();
    const { operationId } = await at.proposed();

    const { code, answer } = await at.ask(resolve(operationId, 'abandon'));

    expect({ code, outcome: answer['outcome'], state: answer['state'] }).toStrictEqual({
      code: 9,
      outcome: 'not_unknown',
      state: 'Pending',
    });
    expect(at.operation(operationId)?.state).toBe('Pending');
  });
});

describe('10: time, permission or version stands against it', () => {
  test('a case that comes too late is recorded as expired and is closed', async () => {
    const at = sandbox();
    const input = caseFile({ expiresAt: '2020-01-01T00:00:00Z' });

    const { code, answer } = await at.ask(['begin', at.file('case.json', input)]);

    expect(code).toBe(10);
    expect(answer).toMatchObject({ outcome: 'expired', state: 'Expired' });
    expect(at.operation(String(answer['operationId']))?.state).toBe('Expired');
  });

  test.each([
    ['denied', 'Denied', { id: 'ticket-7', version: 1, scope: 'red' }],
    ['superseded', 'Superseded', { id: 'ticket-7', version: 2, scope: 'blue' }],
  ])('a case on an object that is not as it says is %s', async (outcome, state, object) => {
    const at = sandbox();
    await at.proposed({ object: { id: 'ticket-7', version: 1, scope: 'blue' } });

    const { code, answer } = await at.ask(['begin', at.file('case.json', caseFile({ object }))]);

    expect(code).toBe(10);
    expect(answer).toMatchObject({ outcome, state });
  });

  test('an answer after the time to decide is refused, and the proposal expires', async () => {
    const at = sandbox();
    const { operationId } = await at.proposed({ policy: { decisionTtlSeconds: 60 } }, 2 * minute);

    const { code, answer } = await at.ask(approve(operationId));

    expect(code).toBe(10);
    expect(answer).toMatchObject({ outcome: 'expired', state: 'Expired', decision: null });
    expect(at.operation(operationId)?.state).toBe('Expired');
    expect(at.decisions()).toStrictEqual([]);
  });

  test('an approval does not outlive its expiry', async () => {
    const at = sandbox();
    const expiresAtMs = Date.now() + 2_000;
    const expiresAt = new Date(expiresAtMs).toISOString();
    const { operationId } = await at.proposed({ expiresAt });
    await at.decided(operationId, true);
    while (Date.now() < expiresAtMs) await delay(50);

    const { code, answer } = await at.ask(approve(operationId));

    expect(code).toBe(10);
    expect(answer).toMatchObject({ outcome: 'repeated', state: 'Expired', attempts: 0 });
    expect(at.effects()).toStrictEqual([]);
  });

  test.each([
    ['denied', 'Denied', ['--version', '1', '--revoked']],
    ['denied', 'Denied', ['--version', '1', '--scope', 'red']],
    ['superseded', 'Superseded', ['--version', '2']],
  ])('an approval is recorded but %s when the object changed: %s, %s', async (claim, state, change) => {
    const at = sandbox();
    const { operationId } = await at.proposed({ object: { id: 'ticket-7', version: 1, scope: 'blue' } });
    await at.command(['object', 'set', 'ticket-7', ...change]);

    const { code, answer } = await at.ask(approve(operationId));

    expect(code).toBe(10);
    expect(answer).toMatchObject({ outcome: 'recorded', state, claim, attempts: 0 });
    expect(at.operation(operationId)).toMatchObject({ state, attempts: 0 });
    expect(at.effects()).toStrictEqual([]);
  });
});

describe('17: the deliberate crash', () => {
  test('after the effect it is Executing with one effect; reconcile completes it once, with one attempt', async () => {
    const at = sandbox();
    const { operationId } = await crashedAt(at, 'receiver.committed');
    expect(at.operation(operationId)).toMatchObject({ state: 'Executing', attempts: 1 });
    expect(at.effects()).toStrictEqual([operationId]);

    const first = await at.ask(['reconcile', operationId]);
    const before = at.dump();
    const second = await at.ask(['reconcile', operationId]);

    expect(first).toMatchObject({ code: 0, answer: { outcome: 'Committed', state: 'Completed', attempts: 1 } });
    expect(second).toMatchObject({ code: 0, answer: { outcome: 'Committed', state: 'Completed', attempts: 1 } });
    expect(at.dump()).toStrictEqual(before);
    expect(at.operation(operationId)).toMatchObject({ state: 'Completed', attempts: 1 });
    expect(at.effects()).toStrictEqual([operationId]);
  });

  test('approving again instead finds the effect while the lease runs, and writes no second one', async () => {
    const at = sandbox();
    const { operationId } = await crashedAt(at, 'receiver.committed');
    at.leaseEnds(operationId, Date.now() + 5 * minute);

    const { code, answer } = await at.ask(approve(operationId));

    expect(code).toBe(0);
    expect(answer).toMatchObject({ outcome: 'repeated', state: 'Completed', result: { replayed: true, attempts: 1 } });
    expect(at.effects()).toStrictEqual([operationId]);
  });

  test.each(['decide.after-commit', 'claim.before-commit'] as const)(
    'died at %s: approved, nothing recorded at the receiver, and approving again leads to one record',
    async (point) => {
      const at = sandbox();
      const { operationId } = await crashedAt(at, point);
      expect(at.operation(operationId)).toMatchObject({ state: 'Approved', attempts: 0 });

      const looked = await at.ask(['reconcile', operationId]);
      const again = await at.ask(approve(operationId));

      expect(looked).toMatchObject({ code: 0, answer: { outcome: 'NoLocalEffectRecorded', state: 'Approved' } });
      expect(again).toMatchObject({ code: 0, answer: { outcome: 'repeated', state: 'Completed', attempts: 1 } });
      expect(at.effects()).toStrictEqual([operationId]);
    },
  );

  test('died before the decision was committed: nothing was decided, and the answer can be given anew', async () => {
    const at = sandbox();
    const { operationId } = await at.proposed();
    const before = at.dump();

    const { code } = await at.command([...approve(operationId), '--crash-at', 'decide.before-commit']);
    const after = at.dump();
    const again = await at.ask(decline(operationId));

    expect(code).toBe(17);
    expect(after).toStrictEqual(before);
    expect(again).toMatchObject({ code: 0, answer: { outcome: 'recorded', state: 'Declined' } });
  });
});

describe('faults that pass', () => {
  test.each([
    ['receiver.request-sent', 6, { state: 'Unknown', attempts: 1 }, 0],
    ['receiver.committed', 0, { state: 'Completed', attempts: 1 }, 1],
    ['receiver.half-reply', 0, { state: 'Completed', attempts: 1 }, 1],
    ['complete.before-commit', 0, { state: 'Completed', attempts: 1 }, 1],
    ['complete.after-commit', 0, { state: 'Completed', attempts: 1 }, 1, 'the attempt failed after its receipt'],
  ])(
    'an error at %s is followed by a question to the receiver, not by giving up',
    async (point, exit, stored, effects, why = 'the attempt ended without a receipt') => {
      const at = sandbox();
      const { operationId } = await at.proposed();

      const { code, answer } = await at.ask([...approve(operationId), '--crash-at', `${point}=throw`]);

      expect(code).toBe(exit);
      expect(answer).toMatchObject({ outcome: 'recorded', ...stored, decision: { approved: true } });
      expect(answer['claimWhy']).toContain(why);
      expect(at.operation(operationId)).toMatchObject(stored);
      expect(at.effects()).toHaveLength(effects);
    },
  );

  test('an error before the claim is a fault of the command, and approving again carries on', async () => {
    const at = sandbox();
    const { operationId } = await at.proposed();

    const failed = await at.ask([...approve(operationId), '--crash-at', 'claim.before-commit=throw']);
    const between = at.operation(operationId);
    const again = await at.ask(approve(operationId));

    expect(failed).toMatchObject({ code: 1, answer: { error: { code: 'internal' } } });
    expect(between).toMatchObject({ state: 'Approved', attempts: 0 });
    expect(again).toMatchObject({ code: 0, answer: { outcome: 'repeated', state: 'Completed', attempts: 1 } });
    expect(at.effects()).toStrictEqual([operationId]);
  });
});

describe('at the same time', () => {
  test('of an approval and a refusal one is recorded, and the other is told which', async () => {
    const at = sandbox();
    const { operationId } = await at.proposed();

    const answers = await Promise.all([at.ask(approve(operationId)), at.ask(decline(operationId))]);

    expect(answers.map(({ code }) => code).sort()).toStrictEqual([0, 5]);
    const winner = answers.find(({ code }) => code === 0)!.answer;
    const loser = answers.find(({ code }) => code === 5)!.answer;
    expect(winner['outcome']).toBe('recorded');
    expect(loser).toMatchObject({ outcome: 'conflicting_decision', decision: winner['decision'] });
    expect(at.decisions()).toHaveLength(1);
    expect(at.effects()).toHaveLength(winner['state'] === 'Completed' ? 1 : 0);
  });

  test('of two approvals one is recorded and one repeated, and there is one effect', async () => {
    const at = sandbox();
    const { operationId } = await at.proposed();

    const answers = await Promise.all([at.ask(approve(operationId)), at.ask(approve(operationId))]);

    expect(answers.map(({ answer }) => answer['outcome']).sort()).toStrictEqual(['recorded', 'repeated']);
    expect(at.operation(operationId)).toMatchObject({ state: 'Completed', attempts: 1 });
    expect(at.effects()).toStrictEqual([operationId]);
  });

  test('of two first commands in a new directory both find a ledger, and one case is admitted once', async () => {
    const at = sandbox();
    const file = at.file('case.json', caseFile());

    const answers = await Promise.all([at.ask(['begin', file]), at.ask(['begin', file])]);

    expect(answers.map(({ code }) => code)).toStrictEqual([0, 0]);
    expect(answers.map(({ answer }) => answer['outcome']).sort()).toStrictEqual(['admitted', 'duplicate']);
    expect(at.operations()).toBe(1);
  });
});

describe('69: what is needed cannot be relied on', () => {
  test('a clock far behind the newest entry decides nothing', async () => {
    const at = sandbox();
    const { operationId } = await at.proposed({}, -60 * minute);
    const before = at.dump();

    const { code, answer } = await at.ask(approve(operationId));

    expect({ code, error: answer.error?.code }).toStrictEqual({ code: 69, error: 'clock_behind' });
    expect(at.dump()).toStrictEqual(before);
  });

  test('a receiver that belongs to another ledger is refused before anything is decided', async () => {
    const at = sandbox();
    const other = sandbox();
    const { operationId } = await at.proposed();
    await other.proposed();
    at.file('state/receiver.db', readFileSync(other.receiverFile));
    const before = at.dump();

    const { code, answer } = await at.ask(approve(operationId));

    expect({ code, error: answer.error?.code }).toStrictEqual({ code: 69, error: 'receiver_foreign' });
    expect(at.dump()).toStrictEqual(before);
  });
});

describe('where the state is', () => {
  test('--state counts before and after the command, and beside both settings it wins', async () => {
    const at = sandbox();
    const file = at.file('case.json', caseFile());
    const env = { COUNTERSIGN_STATE: join(at.directory, 'from-environment') };
    const options = { cwd: at.directory, env };

    await runCommand(['--driver', 'application', '--state', 'before', 'begin', file], options);
    await runCommand(['begin', file, '--state', 'after', '--driver', 'application'], options);
    await runCommand(['--driver', 'application', 'begin', file], options);
    await runCommand(['--driver', 'application', 'begin', file], { ...options, env: { COUNTERSIGN_STATE: '' } });

    const made = Object.keys(listing(at.directory)).filter((name) => name.endsWith('ledger.db'));
    expect(made).toStrictEqual([
      '.countersign/ledger.db',
      'after/ledger.db',
      'before/ledger.db',
      'from-environment/ledger.db',
    ]);
  });

  test('the directory is for its owner only, and so is every file in it', async () => {
    const at = sandbox();
    const file = at.file('case.json', caseFile());

    await at.command(['begin', file]);

    expect(statSync(at.state).mode & 0o777).toBe(0o700);
    const modes = Object.entries(listing(at.state)).map(([name, entry]) => [name, entry.split(' ')[0]]);
    expect(modes).toStrictEqual([
      ['ledger.db', '600'],
      ['receiver.db', '600'],
    ]);
  });

  test('a process that waits at a crash point leaves a note that others cannot read either', async () => {
    const at = sandbox();
    const { operationId } = await at.proposed();
    const paused = at.start([
      ...['--driver', 'application', ...approve(operationId), '--crash-at', 'claim.after-commit=pause'],
    ]);
    const marker = join(at.state, 'paused-at-crash-point');
    const deadline = Date.now() + minute;
    while (!listing(at.state)['paused-at-crash-point'] && Date.now() < deadline) await delay(20);

    expect(readFileSync(marker, 'utf8')).toBe(`${paused.pid}\n`);
    expect(statSync(marker).mode & 0o777).toBe(0o600);
    paused.kill('SIGKILL');
    expect(await paused.finished()).toMatchObject({ code: null, signal: 'SIGKILL' });
    expect(at.operation(operationId)).toMatchObject({ state: 'Executing', attempts: 1 });
  });
});

describe('text for people', () => {
  const draft = [
    'plain line',
    '\u001b[2J\u001b[31mred\u001b[0m',
    'bidi \u202etxet\u202c',
    'zero\u200bwidth\u200d\ufeff',
    'filler\u3164 and selector\ufe0f',
    'bell\u0007 and return\u0008',
    '',
    'last line',
  ].join('\n');

  test('a draft is shown whole, with everything that hides or moves text made visible', async () => {
    const at = sandbox();
    const { operationId } = await at.proposed({ body: draft });

    const { code, stdout, stderr } = await at.command(['show', operationId]);

    expect({ code, stderr }).toStrictEqual({ code: 0, stderr: '' });
    const lines = stdout.split('\n');
    const from = lines.indexOf('body') + 1;
    expect(lines.slice(from, from + 8)).toStrictEqual([
      '  plain line',
      '  \\u{1b}[2J\\u{1b}[31mred\\u{1b}[0m',
      '  bidi \\u{202e}txet\\u{202c}',
      '  zero\\u{200b}width\\u{200d}\\u{feff}',
      '  filler\\u{3164} and selector\\u{fe0f}',
      '  bell\\u{7} and return\\u{8}',
      '  ',
      '  last line',
    ]);
    // eslint-disable-next-line no-control-regex -- control characters are what must not be there
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
  });

  test('every line of a quotation is set in, so that none can look like a line of the program', async () => {
    const at = sandbox();
    const evidence = [{ sourceId: 'KB-311', version: 3, quotation: 'first\nstate      Completed, attempts 1' }];
    const { operationId } = await at.proposed({ evidence });

    const { stdout } = await at.command(['show', operationId]);

    expect(stdout.split('\n').filter((line) => line.startsWith('state '))).toStrictEqual([
      'state      Pending, attempts 0',
    ]);
    expect(stdout).toContain('  KB-311 version 3: first\n');
  });

  test('what the identity covers is never cut short: names, policy and checks', async () => {
    const at = sandbox();
    const long = (character: string): string => `${character.repeat(199)}!`;
    const content = {
      caseId: long('c'),
      action: long('a'),
      evidence: [{ sourceId: long('s'), version: long('v'), quotation: 'q' }],
      policy: { [long('k')]: `${'p'.repeat(1_999)}!` },
      object: { id: long('o'), version: 1, scope: long('b') },
      checks: [{ name: long('n'), result: `${'r'.repeat(1_999)}!` }],
      proposedBy: long('d'),
    };
    const { operationId } = await at.proposed(content);

    const { stdout } = await at.command(['show', operationId]);

    for (const character of 'casvkobnd') expect(stdout).toContain(long(character));
    expect(stdout).toContain(`${'p'.repeat(1_999)}!`);
    expect(stdout).toContain(`${'r'.repeat(1_999)}!`);
    expect(stdout).not.toContain('…');
  });

  test('NO_COLOR takes the colours away, also where they are forced', async () => {
    const at = sandbox();
    const { operationId } = await at.proposed();
    const env = { FORCE_COLOR: '1', NO_COLOR: undefined };

    const coloured = await at.command(['show', operationId], { env });
    const plain = await at.command(['show', operationId], { env: { FORCE_COLOR: '1', NO_COLOR: '1' } });

    expect(coloured.stdout).toContain('\u001b[');
    expect(plain.stdout).not.toContain('\u001b');
    // eslint-disable-next-line no-control-regex -- colours begin with the escape character
    expect(coloured.stdout.replaceAll(/\u001b\[\d+m/g, '')).toBe(plain.stdout);
  });

  test('a refusal goes to standard error with what to do next, and standard output stays empty', async () => {
    const at = sandbox();
    const { operationId } = await at.proposed();
    await at.decided(operationId, true, 'otto');

    const { code, stdout, stderr } = await at.command(decline(operationId));

    expect({ code, stdout }).toStrictEqual({ code: 5, stdout: '' });
    expect(stderr).toMatch(/^conflicting_decision: .*otto approved it at /);
    expect(stderr).toMatch(/\n {2}\S.*\n$/);
  });

  test.each([
    ['list', [], 'T-bidi'],
    ['explain', ['ID'], 'Definitely happened'],
    ['reconcile', ['ID'], 'Committed (Completed, attempts 1, look: matching)'],
    ['sweep', [], 'T-bidi'],
  ])('%s answers people in plain text', async (name, args, said) => {
    const at = sandbox();
    const { operationId } = await crashedAt(at, 'receiver.committed', { caseId: 'T-bidi\u202e' });
    at.leaseEnds(operationId, Date.now());
    const given = args.map((arg) => (arg === 'ID' ? operationId : arg));

    const { code, stdout, stderr } = await at.command([name, ...given]);

    expect({ code, stderr }).toStrictEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(said);
    expect(stdout).not.toContain('\u202e');
    expect(() => JSON.parse(stdout) as unknown).toThrow();
  });
});
