/** Commands that bring operations on: reconcile and sweep. */
import type { Command } from 'commander';
import { holdingStates } from '../../core/states.ts';
import { ExitCodes } from '../../core/outcomes.ts';
import { everyOperation } from '../../operations/reading.ts';
import { reconcile, type ReconcileAnswer } from '../../operations/reconcile.ts';
import { defaultPerSecond, sweep } from '../../operations/sweep.ts';
import { action, find, operationIdFrom, wholeNumber, type Invocation } from '../command.ts';
import { stateText } from '../present.ts';
import { oneLine } from '../text.ts';

/** A conflict outweighs what is merely unknown: only an operator can settle it. */
function exitCodeOfReconciled(answers: readonly ReconcileAnswer[]): number {
  if (answers.some(({ finding }) => finding === 'conflict')) return ExitCodes.conflict;
  return answers.some(({ outcome }) => outcome === 'Unknown') ? ExitCodes.unknown : ExitCodes.done;
}

const reconciledText = ({ outcome, status, finding }: ReconcileAnswer): string =>
  `${status.operationId} ${outcome} (${stateText(status.state)}, attempts ${status.attempts}${finding === null ? '' : `, look: ${finding}`})`;

async function reconcileAll({ context, driver }: Invocation): Promise<number> {
  const ports = context.ports();
  const answers: ReconcileAnswer[] = [];
  for await (const operation of everyOperation(ports.ledger, { states: holdingStates })) {
    const { operationId } = operation;
    const answer = await reconcile(ports, operationId, { executor: context.executor, askAboutSettled: false });
    answers.push(answer);
    await (await driver()).tell({ ...operation, state: answer.status.state });
  }
  context.out.answer({ reconciled: answers.map(flat) }, () =>
    answers.length === 0 ? 'Nothing is under way or unknown.' : answers.map(reconciledText).join('\n'),
  );
  return exitCodeOfReconciled(answers);
}

const flat = ({ outcome, finding, status }: ReconcileAnswer) => ({ outcome, finding, ...status });

const reconcileCommand = action<object, [string | undefined]>(async (invocation, _options, id) => {
  if (id === undefined) return reconcileAll(invocation);
  const { context, driver } = invocation;
  const { operation } = await find(context, operationIdFrom(id));
  const answer = await reconcile(context.ports(), operation.operationId, {
    executor: context.executor,
    askAboutSettled: true,
  });
  const { state } = answer.status;
  if (state !== operation.state) await (await driver()).tell({ ...operation, state });
  context.out.answer(flat(answer), () => reconciledText(answer));
  return exitCodeOfReconciled([answer]);
});

interface SweepOptions {
  readonly limit?: string;
  readonly perSecond: string;
  readonly from?: string;
  readonly everyMinutes?: string;
  readonly unschedule?: boolean;
}

const sweepCommand = action<SweepOptions, []>(async ({ context, driver }, options) => {
  const { everyMinutes, unschedule } = options;
  const scheduled = everyMinutes !== undefined || unschedule === true;
  const limit = wholeNumber('--limit', options.limit ?? (scheduled ? '1000' : '100000'), 1, 100_000);
  const perSecond = wholeNumber('--per-second', options.perSecond, 1, 10_000);
  if (scheduled) {
    const every = unschedule ? null : wholeNumber('--every-minutes', everyMinutes ?? '', 1, 10_080);
    const schedule = await (await driver()).schedule(every, limit);
    context.out.answer({ schedule, everyMinutes: every }, () => `schedule ${schedule}`);
    return ExitCodes.done;
  }
  const passing = await (await driver()).passing();
  const from = options.from === undefined ? null : wholeNumber('--from', options.from, 0, Number.MAX_SAFE_INTEGER);
  const answer = await sweep(context.ports(), passing, { limit, perSecond, from });
  const unreachable = answer.swept.some(({ result }) => result === 'unreachable');
  context.out.answer(answer, () =>
    [
      ...answer.swept.map(
        ({ operationId, caseId, reason, result }) =>
          `${operationId.slice(0, 18)} ${oneLine(caseId)}: ${reason}, ${result}`,
      ),
      `Looked at ${answer.looked}, passed on ${answer.swept.length}.${answer.next === null ? '' : ` There are more: sweep --from ${answer.next}.`}`,
    ].join('\n'),
  );
  return unreachable ? ExitCodes.unreliable : ExitCodes.done;
});

export function registerRecoveryCommands(program: Command): void {
  program
    .command('reconcile')
    .description('ask the receiver what happened; without an id: everything under way or unknown')
    .argument('[id]', 'operation identity')
    .action(reconcileCommand);
  program
    .command('sweep')
    .description('find decisions whose run was not told, open operations without a run, and what is due')
    .option('--limit <n>', 'look at no more than so many operations (100000); on a schedule: in one go (1000)')
    .option('--from <n>', 'go on where a sweep said that there are more')
    .option('--per-second <n>', 'look at no more than so many in a second', String(defaultPerSecond))
    .option('--every-minutes <n>', 'make a Temporal Schedule that sweeps so often')
    .option('--unschedule', 'remove that schedule')
    .action(sweepCommand);
}
