/** Commands about the files themselves: verify, restore. */
import type { Command } from 'commander';
import { CountersignError } from '../../core/errors.ts';
import { ExitCodes } from '../../core/outcomes.ts';
import { textLimits } from '../../core/messages.ts';
import { verify } from '../../operations/verify.ts';
import { witnessAtStart } from '../../operations/witness.ts';
import { errorCode } from '../../core/errors.ts';
import { action } from '../command.ts';
import { oneLine } from '../text.ts';

const verifyCommand = action<object, []>(async ({ context }) => {
  const progress = context.out.progress('reading every record again');
  const answer = await verify(context.ports(), (operations) => progress.update(`${operations} operations`));
  progress.end();
  const { operations, journalRecords, effects, faults } = answer;
  const counts = `${operations} operations, ${journalRecords} journal records, ${effects ?? 'unlisted'} effects`;
  const first = faults[0];
  if (!first) {
    context.out.answer({ verified: true, ...answer }, () => `Verified: ${counts}.`);
    return ExitCodes.done;
  }
  context.out.refusal({ verified: false, first, ...answer }, () =>
    [
      `Not verified (${counts}).`,
      ...faults.map(({ subject, fault }) => `${oneLine(subject)}: ${oneLine(fault, 300)}`),
    ].join('\n'),
  );
  return ExitCodes.internal;
});

interface RestoreOptions {
  readonly accept?: boolean;
  readonly operator?: string;
  readonly reason?: string;
}

function named(option: string, value: string | undefined, limit: number): string {
  if (value !== undefined && value.trim() !== '' && value.length <= limit) return value;
  throw new CountersignError('usage', { message: `restore --accept needs ${option} (1 to ${limit} characters).` });
}

const restore = action<RestoreOptions, []>(async ({ context }, options) => {
  const ports = context.ports();
  let lacking: string | null = null;
  try {
    await witnessAtStart(ports);
    await ports.ledger.refuseIfSuspect();
  } catch (thrown) {
    if (errorCode(thrown) !== 'ledger_restored') throw thrown;
    lacking = thrown instanceof Error ? thrown.message : String(thrown);
  }
  if (!options.accept) {
    if (lacking !== null) throw new CountersignError('ledger_restored', { message: lacking });
    context.out.answer({ lacking: false }, () => 'The ledger has everything that the receiver has seen of it.');
    return ExitCodes.done;
  }
  const operator = named('--operator', options.operator, textLimits.name);
  const reason = named('--reason', options.reason, textLimits.reason);
  const answer = await ports.ledger.acceptRestore({ operator, reason });
  context.out.answer({ ...answer, lacked: lacking }, () =>
    answer.accepted
      ? `Accepted: the ledger goes on as generation ${answer.generation}.`
      : 'Nothing was lacking; nothing changed.',
  );
  return ExitCodes.done;
});

export function registerIntegrityCommands(program: Command): void {
  program
    .command('verify')
    .description('read every record again: identities, chains, states, effects; exit 1 with the first fault')
    .action(verifyCommand);
  program
    .command('restore')
    .description('whether this ledger is an older copy; --accept lets it go on after a person looked')
    .option('--accept', 'record that a person looked, and go on')
    .option('--operator <name>', 'who looked')
    .option('--reason <text>', 'what was found')
    .action(restore);
}
