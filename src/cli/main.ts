/** Entry of the command line: parses arguments, maps every ending to the contract's exit codes. */
import process from 'node:process';
import { Command, CommanderError, Option } from 'commander';
import { ExitCodes } from '../core/outcomes.ts';
import { receiverKinds } from '../worker/embedded-receiver.ts';
import { embed } from './command.ts';
import { driverNames, type Embedding } from './context.ts';
import { registerCaseCommands } from './commands/cases.ts';
import { registerDecisionCommands } from './commands/decisions.ts';
import { registerRecoveryCommands } from './commands/recovery.ts';
import { registerIntegrityCommands } from './commands/integrity.ts';
import { registerServiceCommands } from './commands/services.ts';
import { Output } from './output.ts';
import { packageVersion } from './package-info.ts';

/** Options of every command that take a value. */
const valued = ['--driver', '--state', '--receiver', '--crash-at'];

/** The command's name: the first argument that is neither an option nor an option's value. */
function commandIn(argv: readonly string[]): string | undefined {
  return argv.slice(2).find((arg, index, args) => !arg.startsWith('-') && !valued.includes(args[index - 1] ?? ''));
}

function build(argv: readonly string[]): Command {
  const program = new Command('countersign');
  // Options of every command are understood behind it, too: there `--version` belongs to `object set`.
  if (commandIn(argv) === undefined) program.version(packageVersion);
  program
    .description('Approval-gated operations: one reviewed proposal, one identity, at most one effect.')
    .addOption(new Option('--driver <driver>', 'who carries an operation on').choices(driverNames).default('temporal'))
    .option('--state <dir>', 'state directory (default: $COUNTERSIGN_STATE, else .countersign)')
    .addOption(
      new Option('--receiver <kind>', 'embedded receiver of a new state directory (default: sqlite)').choices(
        receiverKinds,
      ),
    )
    .option('--json', 'answer with one JSON document')
    .addOption(new Option('--crash-at <point>', 'deliberate fault: POINT[=exit|throw|pause]').hideHelp())
    .showHelpAfterError('(run with --help for usage)');
  registerCaseCommands(program);
  registerDecisionCommands(program);
  registerRecoveryCommands(program);
  registerIntegrityCommands(program);
  registerServiceCommands(program);
  return program;
}

/** commander throws instead of exiting, and reports through our own output, for every command. */
function overrideExits(command: Command, json: boolean): void {
  command.exitOverride();
  command.configureOutput({ writeErr: json ? () => undefined : (text) => process.stderr.write(text) });
  for (const child of command.commands) overrideExits(child, json);
}

/**
 * A reader that goes away (`| head`) ends no command half-way and changes no exit code: a refusal stays one. An answer
 * that could not be written for another reason (a full disk) is a fault, though what the command did stands.
 */
function surviveLostOutput(): void {
  process.stderr.on('error', () => undefined);
  process.stdout.on('error', (thrown: NodeJS.ErrnoException) => {
    if (thrown.code === 'EPIPE') return;
    process.stderr.write(`error The answer could not be written (${thrown.code ?? thrown.message}).\n`);
    process.once('exit', () => {
      if (Number(process.exitCode ?? 0) === 0) process.exitCode = ExitCodes.internal;
    });
  });
}

/** Runs the command of `argv` (as `process.argv`); sets the process's exit code. */
export async function main(argv: readonly string[], embedding: Embedding = {}): Promise<void> {
  const json = argv.includes('--json');
  const program = build(argv);
  embed(program, embedding);
  overrideExits(program, json);
  surviveLostOutput();
  try {
    await program.parseAsync([...argv]);
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) {
      process.exitCode = new Output(json).failure(thrown);
      return;
    }
    const asked = thrown.code === 'commander.helpDisplayed' || thrown.code === 'commander.version';
    process.exitCode = asked ? ExitCodes.done : ExitCodes.usage;
    if (!asked && json) {
      const noCommand = thrown.code === 'commander.help';
      const message = noCommand ? 'There is no command.' : thrown.message.replace(/^error: /, '');
      const hint = 'Run the command with --help.';
      process.stdout.write(`${JSON.stringify({ error: { code: 'usage', message, hint, pointer: null } })}\n`);
    }
  }
}
