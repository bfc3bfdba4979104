/** Commands that run for long or load the Temporal SDK: loaded only when asked for, to keep the others quick. */
import type { Command } from 'commander';

type Action = (...given: unknown[]) => Promise<void>;

const lazily =
  (load: () => Promise<Action>): Action =>
  async (...given) =>
    (await load())(...given);

export function registerServiceCommands(program: Command): void {
  program
    .command('worker')
    .description('run the worker until it is stopped')
    .option('--task-queue <name>', 'task queue', 'countersign')
    .option('--lease-ms <ms>', 'how long the first attempt is left alone before it may be claimed again')
    .action(lazily(async () => (await import('./worker.ts')).worker));
  program
    .command('up')
    .description('start server and worker in the foreground, stop both on SIGINT or SIGTERM')
    .option('--port <port>', 'port of the Temporal server (default: a free one)')
    .option('--ui-port <port>', 'port of its web UI (default: a free one)')
    .option('--no-worker', 'only the server')
    .action(lazily(async () => (await import('./up.ts')).up));
  program
    .command('demo')
    .description(
      'the story of one approved operation, with a crash, on a Temporal server of its own, whatever TEMPORAL_ADDRESS says',
    )
    .option('--keep', 'keep its directory; --state names it and must not exist yet')
    .option('--out <dir>', 'where correctness.json is kept', 'out/demo')
    .action(lazily(async () => (await import('../demo/demo.ts')).demo));
  program
    .command('lab')
    .description('experiments: what Temporal alone, the ledger alone and both together do under the same faults')
    .argument('[situation]', 'one of --list; default: all')
    .option('--arm <arm>', 'only this arm')
    .option('--list', 'what there is; runs nothing')
    .option('--small', 'only the few that CI runs')
    .option('--seed <n>', 'where everything random comes from (default: the clock; printed)')
    .option('--repeat <n>', 'carry out every experiment so often', '1')
    .option('--jobs <n>', 'experiments at a time', '2')
    .option('--keep', 'keep databases and logs of every experiment')
    .option('--mutant <name>', 'build in one known bug and see whether it is caught; needs a checkout')
    .option('--out <dir>', 'where the run’s directory is made', 'out/lab')
    .action(lazily(async () => (await import('./lab.ts')).lab));
  program
    .command('compare')
    .description('the guarantee matrix of the last run of the lab; explains cells with --situation and --arm')
    .option('--run <dir>', 'directory of another run (default: the newest in out/lab)')
    .option('--situation <name>', 'explain this situation')
    .option('--arm <arm>', 'explain this arm')
    .action(lazily(async () => (await import('./compare.ts')).compare));
  program
    .command('doctor')
    .description('check what is installed, reachable and readable; changes nothing')
    .action(lazily(async () => (await import('./doctor.ts')).doctor));
}
