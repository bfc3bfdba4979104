/** What an operator sees of an unknown outcome, and what the command line lets them do about it, with no run alive. */
import { expect, test } from 'vitest';
import { caseFile, sandbox, type Sandbox } from './sandbox.ts';
import { decide } from '../../src/operations/decide.ts';
import { propose } from '../../src/operations/propose.ts';

interface Uncertainty {
  readonly since: string;
  readonly ageSeconds: number;
  readonly looks: number;
  readonly nextLookAt: string;
  readonly blocks: readonly string[];
  readonly blockedCount: number;
}

interface Listed {
  readonly operationId: string;
  readonly heldBy: string | null;
  readonly uncertainty: Uncertainty | null;
}

const object = { id: 'ticket-7', version: 1, scope: 'default' };
const resolve = (id: string, as: string, ...more: string[]): string[] => [
  ...['resolve', id, '--as', as, '--operator', 'olga', '--reason', 'looked it up', ...more],
];

/** Approved operations that wait for the object, in the order of their admission. */
async function waitingFor(at: Sandbox, count: number): Promise<string[]> {
  return at.arrange(async (ports) => {
    const ids: string[] = [];
    while (ids.length < count) {
      const { operationId } = await propose(ports, caseFile({ object }), { executor: 'test', run: null });
      const message = { operationId, approved: true, reviewer: 'rosa' };
      await decide(ports, message, { caseId: null, requestId: null, via: 'command' });
      ids.push(operationId);
    }
    return ids;
  });
}

test('list and show tell of an unknown outcome since when, how often asked, when next, and what it blocks', async () => {
  const at = sandbox();
  const { operationId } = await at.unknown({ object });
  const waiting = await waitingFor(at, 2);
  const before = at.dump();

  const listed = await at.ask<{ operations: Listed[] }>(['list']);
  const shown = await at.ask<{ uncertainty: Uncertainty }>(['show', operationId]);

  const [attempt] = at.rows<{ claimed_at_ms: number }>(at.ledgerFile, 'SELECT claimed_at_ms FROM attempts');
  const [look] = at.rows<{ observed_at_ms: number }>(at.ledgerFile, 'SELECT observed_at_ms FROM observations');
  const told = {
    since: new Date(attempt!.claimed_at_ms).toISOString(),
    ageSeconds: expect.any(Number) as number,
    looks: 1,
    nextLookAt: new Date(look!.observed_at_ms + 1_000).toISOString(),
    blocks: waiting,
    blockedCount: 2,
  };
  expect(listed.answer.operations).toMatchObject([
    { operationId, heldBy: null, uncertainty: told },
    { operationId: waiting[0], heldBy: operationId, uncertainty: null },
    { operationId: waiting[1], heldBy: operationId, uncertainty: null },
  ]);
  expect(shown).toMatchObject({ code: 0, answer: { state: 'Unknown', uncertainty: told } });
  expect(at.dump()).toStrictEqual(before);
});

test('for people the same stands below the table, and only so many blocked ones are named', async () => {
  const at = sandbox();
  const { operationId } = await at.unknown({ object });
  const waiting = await waitingFor(at, 22);

  const listed = await at.command(['list']);
  const shown = await at.command(['show', operationId]);
  const { answer } = await at.ask<{ uncertainty: Uncertainty }>(['show', operationId]);

  expect(answer.uncertainty).toMatchObject({ blocks: waiting.slice(0, 20), blockedCount: 22 });
  for (const { stdout } of [listed, shown]) {
    expect(stdout).toContain(`asked once, next from ${answer.uncertainty.nextLookAt}`);
    expect(stdout).toContain('and 2 more');
  }
  expect(listed.stdout).toContain(`blocks ${waiting[0]!.slice(0, 18)}`);
  expect(shown.stdout).toContain(`blocks ${waiting[0]}`);
  expect(shown.stdout).not.toContain(waiting[20]);
});

const words = [
  ['effect_happened', ['--reference', 'desk entry 7'], 'Completed'],
  ['effect_did_not_happen', [], 'Unknown'],
  ['ask_again', [], 'Unknown'],
  ['abandon', ['--reference', 'mail of Monday'], 'Abandoned'],
] as const;

test.each(words)('resolve as %s is recorded with operator, reason and reference', async (as, more, state) => {
  const at = sandbox();
  const { operationId } = await at.unknown();

  const { code, answer } = await at.ask(resolve(operationId, as, ...more));

  expect({ code, ...answer }).toMatchObject({ code: 0, outcome: 'resolved', state });
  const stored = 'SELECT operation_id, attempt, resolution, operator, reason, reference FROM resolutions';
  expect(at.rows(at.ledgerFile, stored)).toStrictEqual([
    {
      operation_id: operationId,
      attempt: 1,
      resolution: as,
      operator: 'olga',
      reason: 'looked it up',
      reference: more[1] ?? null,
    },
  ]);
  expect(at.operation(operationId)).toMatchObject({ state, attempts: 1 });
  expect(at.effects()).toStrictEqual([]);
});

test('"it happened" without saying where it can be seen is refused, and nothing is recorded', async () => {
  const at = sandbox();
  const { operationId } = await at.unknown();
  const before = at.dump();

  const { code, answer } = await at.ask(resolve(operationId, 'effect_happened'));

  expect({ code, error: answer.error?.code }).toStrictEqual({ code: 2, error: 'malformed_input' });
  expect(answer.error?.message).toContain('/reference');
  expect(at.dump()).toStrictEqual(before);
});

interface Explained {
  readonly happened: { text: string; contradicts: boolean }[];
  readonly notEstablished: { text: string; contradicts: boolean }[];
}

test('a look against an operator’s word is stored and shown, and the state stays', async () => {
  const at = sandbox();
  const { operationId } = await at.unknown();
  await at.ask(resolve(operationId, 'effect_happened', '--reference', 'desk entry 7'));

  const looked = await at.ask(['reconcile', operationId]);
  const shown = await at.ask(['show', operationId]);
  const people = await at.command(['show', operationId]);
  const { answer } = await at.ask<Explained>(['explain', operationId]);

  expect(looked).toMatchObject({ code: 0, answer: { outcome: 'Committed', finding: 'absent' } });
  expect(shown.answer).toMatchObject({ state: 'Completed', contradictions: 1, uncertainty: null });
  expect(people.stdout).toContain('contradictions of this state (1)');
  expect(answer.happened.filter(({ contradicts }) => contradicts)).toStrictEqual([]);
  expect(answer.notEstablished.filter(({ contradicts }) => contradicts)).toMatchObject([
    { text: 'A look at the receiver found no effect. This contradicts the recorded state.' },
  ]);
  expect(at.operation(operationId)).toMatchObject({ state: 'Completed', attempts: 1 });
});

test('a receipt that comes after the operation was abandoned is stored and shown, and the state stays', async () => {
  const at = sandbox();
  const { operationId } = await at.unknown();
  await at.ask(resolve(operationId, 'abandon'));
  await at.arrange(async ({ ledger, receiver }) => {
    const { receiverId } = (await receiver.describe()).declaration;
    await ledger.complete({ operationId, attempt: 1, answer: 'created', receiverId, receiverSequence: 1 });
  });

  const shown = await at.ask(['show', operationId]);
  const { answer } = await at.ask<Explained>(['explain', operationId]);

  expect(shown.answer).toMatchObject({ state: 'Abandoned', contradictions: 1 });
  expect(answer.happened.filter(({ contradicts }) => contradicts)).toMatchObject([
    { text: expect.stringMatching(/recorded the effect\. This contradicts the recorded state\.$/) as string },
  ]);
  expect(at.operation(operationId)).toMatchObject({ state: 'Abandoned', attempts: 1 });
});
