// Races of separate processes of the application driver at one barrier: the first commit wins, everybody is told the truth.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CaseInput } from '../../src/core/case.ts';
import type { DecideResult } from '../../src/operations/decide.ts';
import type { ResolveResult, ReviseResult, WithdrawResult } from '../../src/operations/change.ts';
import { recomputeIdentity } from '../../src/operations/content.ts';
import { decide } from '../../src/operations/decide.ts';
import { propose, type ProposeAnswer } from '../../src/operations/propose.ts';
import type { ReconcileAnswer } from '../../src/operations/reconcile.ts';
import { verify } from '../../src/operations/verify.ts';
import { noCrashPoints } from '../../src/ports/crash-points.ts';
import { openPorts, type OpenPorts } from '../../src/worker/open-ports.ts';
import { prepareStateDirectory } from '../../src/worker/state-directory.ts';
import { Crew } from '../support/crew.ts';
import type { DriverCommand } from '../support/driver-process.ts';
import { sampleCase } from '../support/ledger-world.ts';
import { temporaryDirectory } from '../support/temporary.ts';

const size = 4;
const rounds = 4;
const directory = temporaryDirectory();
let crew: Crew<DriverCommand>;
let ports: OpenPorts;

beforeAll(async () => {
  crew = await Crew.of<DriverCommand>(size, 'driver');
  ports = openPorts(prepareStateDirectory(directory), { crash: noCrashPoints });
  await ports.receiver.describe();
  await crew.all(() => ({ do: 'open', directory }));
});

afterAll(async () => {
  expect((await verify(ports)).faults).toStrictEqual([]);
  ports.close();
  await crew.dismiss();
});

let cases = 0;
const newCase = (over: Partial<CaseInput> = {}): CaseInput => sampleCase({ caseId: `R-${(cases += 1)}`, ...over });

async function pending(over: Partial<CaseInput> = {}): Promise<{ operationId: string; caseId: string }> {
  const content = newCase(over);
  const { operationId } = await propose(ports, content, { executor: 'test', run: null });
  return { operationId, caseId: content.caseId };
}

/** Attempted, the effect there, and nobody knows: the receipt was lost and the first look did not get through. */
async function unknown(): Promise<string> {
  const { operationId } = await pending();
  const by = { caseId: null, requestId: null, via: 'command' } as const;
  await decide(ports, { operationId, approved: true, reviewer: 'rita' }, by);
  const { declaration, sequence } = await ports.receiver.describe();
  const { receiverId } = declaration;
  const claimed = await ports.ledger.claim({ operationId, declaration, receiverSequence: sequence, executor: 'test' });
  const { ledgerSequence, ledgerHash } = claimed.claim!;
  const { payload } = recomputeIdentity(claimed.view!.operation);
  const { ledgerId } = ports.ledger;
  await ports.receiver.commit({ operationId, payload, attempt: 1, ledgerId, ledgerSequence, ledgerHash });
  const look = { operationId, attempt: 1, declaration: null, receiverId, receiverSequence: null };
  await ports.ledger.observe({ ...look, finding: 'unavailable', actor: 'test' });
  return operationId;
}

/** What the journal tells of an operation besides refusals. */
async function moves(operationId: string): Promise<string[]> {
  const chain = await ports.ledger.journal(operationId);
  return chain.map(({ what }) => what).filter((what) => what !== 'proposed' && !what.includes('refused'));
}

const stateOf = async (operationId: string) => (await ports.ledger.view(operationId))?.operation.state;

/** As often as there are rounds; each with a fresh operation. */
const race = (name: string, round: () => Promise<void>): void =>
  test(name, async () => {
    for (let done = 0; done < rounds; done += 1) await round();
  });

race('approve against decline: one decision, and everybody is told that one', async () => {
  const { operationId } = await pending();
  const answers = await crew.all<DecideResult>((index) => ({
    ...{ do: 'decide', operationId, approved: index % 2 === 0, reviewer: `reviewer-${index}` },
  }));
  const { decision } = (await ports.ledger.view(operationId))!;
  expect(await moves(operationId)).toStrictEqual([decision?.approved ? 'approved' : 'declined']);
  expect(answers.filter(({ outcome }) => outcome === 'recorded')).toHaveLength(1);
  for (const [index, answer] of answers.entries()) {
    const agrees = (index % 2 === 0) === decision?.approved;
    expect(answer.decision).toMatchObject({ reviewer: decision?.reviewer, approved: decision?.approved });
    if (!agrees) expect(answer.outcome).toBe('conflicting_decision');
  }
});

race('decline against withdraw: one of the two, and whoever came late is told which', async () => {
  const { operationId } = await pending();
  const answers = await crew.all<DecideResult | WithdrawResult>((index) =>
    index % 2 === 0
      ? { do: 'decide', operationId, approved: false, reviewer: `reviewer-${index}` }
      : { do: 'withdraw', operationId },
  );
  const state = await stateOf(operationId);
  expect(await moves(operationId)).toStrictEqual([state === 'Declined' ? 'declined' : 'withdrawn']);
  for (const [index, answer] of answers.entries()) {
    expect(answer.state).toBe(state);
    if (state === 'Declined')
      expect(answer.outcome).toMatch(index % 2 === 0 ? /^re(corded|peated)$/ : /^already_decided$/);
    else expect(answer.outcome).toBe(index % 2 === 0 ? 'closed' : 'withdrawn');
  }
});

race('approve against withdraw: it ends withdrawn, and an approval counts only if it came before', async () => {
  const { operationId } = await pending();
  const answers = await crew.all<DecideResult | WithdrawResult>((index) =>
    index === 0 ? { do: 'decide', operationId, approved: true, reviewer: 'rita' } : { do: 'withdraw', operationId },
  );
  const approved = answers[0]!.outcome === 'recorded';
  expect(await moves(operationId)).toStrictEqual(approved ? ['approved', 'withdrawn'] : ['withdrawn']);
  if (!approved) expect(answers[0]).toMatchObject({ outcome: 'closed', state: 'Withdrawn', decision: null });
  for (const answer of answers.slice(1)) expect(answer).toMatchObject({ outcome: 'withdrawn', state: 'Withdrawn' });
});

race(
  'approve against revise: either the old text is approved, or the new one waits and the approval is stale',
  async () => {
    const { operationId, caseId } = await pending();
    const answers = await crew.all<DecideResult | ReviseResult>((index) =>
      index % 2 === 0
        ? { do: 'decide', operationId, approved: true, reviewer: `reviewer-${index}` }
        : { do: 'revise', caseId, operationId, body: `better ${index}` },
    );
    const current = (await ports.ledger.current(caseId))!.operation;
    const approved = current.operationId === operationId;
    expect(await moves(operationId)).toStrictEqual([approved ? 'approved' : 'superseded by a revision']);
    expect(current.state).toBe(approved ? 'Approved' : 'Pending');
    for (const [index, answer] of answers.entries()) {
      expect(answer.currentOperationId).toBe(current.operationId);
      if (index % 2 === 0) expect(answer.outcome).toMatch(approved ? /^re(corded|peated)$/ : /^stale_proposal$/);
      else expect(answer.outcome).toMatch(approved ? /^already_decided$/ : /^(revised|stale_proposal)$/);
    }
    const revised = answers.filter(({ outcome }) => outcome === 'revised');
    expect(revised).toHaveLength(approved ? 0 : 1);
  },
);

race('a decision against the deadline: recorded before it or expired, and both ways everybody says so', async () => {
  const { operationId } = await pending({ policy: { label: 'p', decisionTtlSeconds: 1 } });
  const deadlineMs = (await ports.ledger.view(operationId))!.operation.decideByMs!;
  const answers = await crew.all<DecideResult | { state: string }>((index) =>
    index % 2 === 0
      ? { do: 'decide', operationId, approved: true, reviewer: `reviewer-${index}`, notBeforeMs: deadlineMs - 2 }
      : { do: 'read', operationId, notBeforeMs: deadlineMs },
  );
  const state = await stateOf(operationId);
  const told = await moves(operationId);
  for (const [index, answer] of answers.entries()) {
    expect(answer.state).toBe(state);
    if (index % 2 === 0) {
      expect((answer as DecideResult).outcome).toMatch(state === 'Approved' ? /^re(corded|peated)$/ : /^expired$/);
    }
  }
  if (state === 'Approved') expect(told).toStrictEqual(['approved']);
  // By a read, or by the refusal of a decision that came too late.
  else expect({ state, told: told.filter((what) => what !== 'expired') }).toStrictEqual({ state: 'Expired', told: [] });
});

race(
  'an operator’s word against a look that finds the effect: the first settles it, nothing is said twice',
  async () => {
    const operationId = await unknown();
    const answers = await crew.all<ResolveResult | ReconcileAnswer>((index) =>
      index % 2 === 0 ? { do: 'resolve', operationId, resolution: 'abandon' } : { do: 'reconcile', operationId },
    );
    const state = await stateOf(operationId);
    const told = (await moves(operationId)).slice(3);
    const word = answers.filter((_answer, index) => index % 2 === 0);
    const looks = answers.filter((_answer, index) => index % 2 === 1);
    if (state === 'Completed') {
      expect(told).toStrictEqual(['look: matching']);
      for (const answer of word) expect(answer).toMatchObject({ outcome: 'not_unknown', state });
      for (const answer of looks) expect(answer).toMatchObject({ outcome: 'Committed', status: { state } });
    } else {
      // Later looks are kept as what they are: against a state that stays.
      expect(state).toBe('Abandoned');
      expect(told.filter((what) => what === 'resolved: abandon')).toHaveLength(1);
      expect(told.filter((what) => what === 'look: matching')).toStrictEqual([]);
      for (const answer of looks) expect(answer).toMatchObject({ outcome: 'Abandoned', status: { state } });
    }
  },
);

race('begin against begin with the same content: one proposal', async () => {
  const content = newCase();
  const answers = await crew.all<ProposeAnswer>(() => ({ do: 'propose', content }));
  expect(answers.map(({ outcome }) => outcome).sort()).toStrictEqual([
    'admitted',
    'duplicate',
    'duplicate',
    'duplicate',
  ]);
  expect(new Set(answers.map(({ operationId }) => operationId)).size).toBe(1);
  expect(await ports.ledger.list({ caseId: content.caseId, limit: 10 })).toHaveLength(1);
});

race('begin against begin with other content: one is under review, and the others are told which', async () => {
  const content = newCase();
  const answers = await crew.all<ProposeAnswer>((index) => ({
    ...{ do: 'propose', content: { ...content, body: `draft ${index}` } },
  }));
  const [winner] = answers.filter(({ outcome }) => outcome === 'admitted');
  expect(answers.map(({ outcome }) => outcome).sort()).toStrictEqual([
    'admitted',
    'case_open',
    'case_open',
    'case_open',
  ]);
  for (const answer of answers)
    expect(answer.status).toMatchObject({ operationId: winner?.operationId, state: 'Pending' });
  expect(await ports.ledger.list({ caseId: content.caseId, limit: 10 })).toHaveLength(1);
});
