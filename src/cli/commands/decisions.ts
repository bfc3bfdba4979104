/** Commands that decide or change a proposal: approve, decline, revise, withdraw, resolve. All write the ledger first. */
import type { Command } from 'commander';
import { CountersignError } from '../../core/errors.ts';
import { parseApproval, parseResolution, parseRevision, parseWithdrawal } from '../../core/messages.ts';
import { ExitCodes } from '../../core/outcomes.ts';
import { readJsonFile, readTextFile } from '../../identity/index.ts';
import { resolve, revise, withdraw } from '../../operations/change.ts';
import { decide, type DecideResult } from '../../operations/decide.ts';
import { witnessAtStart } from '../../operations/witness.ts';
import {
  action,
  exitCodeOf,
  exitCodeOfView,
  find,
  operationIdFrom,
  wellShaped,
  wholeNumber,
  type Invocation,
} from '../command.ts';
import type { Followed } from '../drivers/driver.ts';
import { proposalText, statusText } from '../present.ts';
import { oneLine } from '../text.ts';

interface DecideOptions {
  readonly reviewer: string;
  readonly reason?: string;
  readonly signature?: string;
  /** `false` with --no-wait, otherwise seconds. */
  readonly wait: string | false;
}

function refusalText(decided: DecideResult): string {
  const { outcome, decision, currentOperationId, operationId } = decided;
  const stands = decision
    ? ` ${oneLine(decision.reviewer)} ${decision.approved ? 'approved' : 'declined'} it at ${decision.decidedAt}.`
    : '';
  const current =
    currentOperationId !== null && currentOperationId !== operationId
      ? ` Under review now: ${currentOperationId}.`
      : '';
  return `${outcome}: ${oneLine(decided.why ?? 'nothing was recorded.')}${stands}${current}`;
}

function decidedText(decided: DecideResult, followed: Followed | null): string {
  const told = followed?.told === false ? ['The run could not be told; `countersign sweep` will.'] : [];
  const why = followed?.why ? [`${followed.claim ?? 'waits'}: ${oneLine(followed.why)}`] : [];
  return [
    `${decided.outcome}: ${decided.operationId}`,
    ...(followed ? [statusText(followed.status)] : []),
    ...why,
    ...told,
  ].join('\n');
}

async function record(
  { context, driver }: Invocation,
  id: string,
  approved: boolean,
  options: DecideOptions,
): Promise<number> {
  const message = wellShaped(
    parseApproval([
      {
        operationId: operationIdFrom(id),
        approved,
        reviewer: options.reviewer,
        ...(options.reason === undefined ? {} : { reason: options.reason }),
        ...(options.signature === undefined ? {} : { signature: options.signature }),
      },
    ]),
  );
  const waitMs = options.wait === false ? 0 : wholeNumber('--wait', options.wait, 0, 86_400) * 1000;
  const ports = context.ports();
  await witnessAtStart(ports);
  const decided = await decide(ports, message, { caseId: null, requestId: context.executor, via: 'command' });
  const { outcome } = decided;
  if (outcome !== 'recorded' && outcome !== 'repeated') {
    context.out.refused(outcome, decided, () => refusalText(decided));
    return exitCodeOf(outcome);
  }
  const { operation } = await find(context, message.operationId);
  const followed = await (
    await driver()
  ).follow(operation, {
    waitMs: approved ? waitMs : Math.min(waitMs, 2_000),
    decidedHere: outcome === 'recorded',
  });
  const { status, claim, why, told } = followed;
  const answer = {
    ...decided,
    state: status.state,
    attempts: status.attempts,
    headHash: status.headHash,
    result: status.result,
    claim,
    claimWhy: why,
    told,
  };
  context.out.answer(answer, () => decidedText(decided, followed));
  if (claim !== null && claim !== 'claimed' && claim !== 'completed') return exitCodeOf(claim);
  return exitCodeOfView(await find(context, status.operationId));
}

const approve = action<DecideOptions, [string]>((invocation, options, id) => record(invocation, id, true, options));
const decline = action<DecideOptions, [string]>((invocation, options, id) => record(invocation, id, false, options));

interface ReviseOptions {
  readonly expected: string;
  readonly by: string;
  readonly bodyFile?: string;
  readonly evidenceFile?: string;
  readonly policyFile?: string;
}

const reviseCommand = action<ReviseOptions, [string]>(async ({ context, driver }, options, caseId) => {
  const { expected, by, bodyFile, evidenceFile, policyFile } = options;
  const message = {
    expectedOperationId: operationIdFrom(expected),
    revisedBy: by,
    ...(bodyFile === undefined ? {} : { body: await readTextFile(bodyFile) }),
    ...(evidenceFile === undefined ? {} : { evidence: await readJsonFile(evidenceFile) }),
    ...(policyFile === undefined ? {} : { policy: await readJsonFile(policyFile) }),
  };
  if (bodyFile === undefined && evidenceFile === undefined && policyFile === undefined) {
    throw new CountersignError('usage', {
      message: 'A revision changes something.',
      hint: 'Give --body-file, --evidence-file or --policy-file.',
    });
  }
  wellShaped(parseRevision([message]));
  const ports = context.ports();
  const revised = await revise(ports, message, { caseId, executor: context.executor, via: 'command' });
  const { outcome, proposal, status, currentOperationId } = revised;
  if (outcome !== 'revised') {
    context.out.refused(
      outcome,
      { outcome, currentOperationId, state: status?.state ?? null },
      () => `${outcome}: nothing was revised. Under review now: ${currentOperationId ?? 'nothing'}.`,
    );
    return exitCodeOf(outcome);
  }
  const view = await find(context, currentOperationId ?? expected);
  const told = await (await driver()).tell(view.operation);
  context.out.answer(
    { outcome, operationId: currentOperationId, currentOperationId, state: status?.state, told, proposal },
    () => [`${outcome}: ${currentOperationId ?? ''}`, ...(proposal ? [proposalText(proposal)] : [])].join('\n'),
  );
  return ExitCodes.done;
});

/** Tells the run of a change and answers; shared by withdraw and resolve. */
async function afterChange(
  { context, driver }: Invocation,
  operationId: string,
  answer: { outcome: string; state: string | null },
) {
  const { operation } = await find(context, operationId);
  const told = await (await driver()).tell(operation);
  context.out.answer(
    { operationId, ...answer, told },
    () => `${answer.outcome}: ${operationId} is ${answer.state ?? ''}`,
  );
  return ExitCodes.done;
}

const withdrawCommand = action<{ by: string; reason: string }, [string]>(async (invocation, { by, reason }, id) => {
  const { context } = invocation;
  const message = wellShaped(parseWithdrawal([{ operationId: operationIdFrom(id), by, reason }]));
  const { outcome, state, currentOperationId } = await withdraw(context.ports(), message, {
    caseId: null,
    via: 'command',
  });
  if (outcome === 'withdrawn') return afterChange(invocation, id, { outcome, state });
  context.out.refused(
    outcome,
    { operationId: id, outcome, state, currentOperationId },
    () => `${outcome}: nothing was withdrawn; it is ${state ?? 'not known'}.`,
  );
  return exitCodeOf(outcome);
});

const resolveCommand = action<{ as: string; operator: string; reason: string; reference?: string }, [string]>(
  async (invocation, { as, operator, reason, reference }, id) => {
    const { context } = invocation;
    const message = wellShaped(
      parseResolution([
        {
          operationId: operationIdFrom(id),
          resolution: as,
          operator,
          reason,
          ...(reference === undefined ? {} : { reference }),
        },
      ]),
    );
    const { outcome, state } = await resolve(context.ports(), message, { caseId: null, via: 'command' });
    if (outcome === 'resolved') return afterChange(invocation, id, { outcome, state });
    context.out.refused(
      outcome,
      { operationId: id, outcome, state },
      () => `${outcome}: nothing was resolved; it is ${state ?? 'not known'}.`,
    );
    return exitCodeOf(outcome);
  },
);

export function registerDecisionCommands(program: Command): void {
  program
    .command('approve')
    .description('approve one operation identity and wait for the outcome')
    .argument('<id>', 'operation identity')
    .requiredOption('--reviewer <name>', 'who approves')
    .option('--reason <text>', 'why')
    .option('--signature <signature>', 'where the policy asks for one')
    .option('--wait <seconds>', 'how long to wait for the outcome', '60')
    .option('--no-wait', 'only record the decision')
    .action(approve);
  program
    .command('decline')
    .description('decline one operation identity')
    .argument('<id>', 'operation identity')
    .requiredOption('--reviewer <name>', 'who declines')
    .requiredOption('--reason <text>', 'why')
    .option('--signature <signature>', 'where the policy asks for one')
    .option('--wait <seconds>', 'how long to wait for the run to end', '60')
    .option('--no-wait', 'only record the decision')
    .action(decline);
  program
    .command('revise')
    .description('replace the pending proposal of a case by an edited one: a new identity')
    .argument('<case>')
    .requiredOption('--expected <id>', 'the operation identity that is being edited')
    .requiredOption('--by <name>', 'who edits')
    .option('--body-file <file>', 'the new body, every character of it')
    .option('--evidence-file <file>', 'the new evidence (JSON array)')
    .option('--policy-file <file>', 'the new policy (JSON object)')
    .action(reviseCommand);
  program
    .command('withdraw')
    .description('take a proposal back before its claim')
    .argument('<id>', 'operation identity')
    .requiredOption('--by <name>', 'who withdraws')
    .requiredOption('--reason <text>', 'why')
    .action(withdrawCommand);
  program
    .command('resolve')
    .description('settle an operation whose outcome is unknown')
    .argument('<id>', 'operation identity')
    .requiredOption('--as <resolution>', 'effect_happened, effect_did_not_happen, ask_again or abandon')
    .requiredOption('--operator <name>', 'who says so')
    .requiredOption('--reason <text>', 'why')
    .option('--reference <reference>', 'where the effect can be seen; needed for effect_happened')
    .action(resolveCommand);
}
