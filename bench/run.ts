/** `npm run bench`: everything in one run on one development server; ratios, because absolute times are a machine's. */
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import ora from 'ora';
import { findTemporalCli, startDevServer } from '../src/server/index.ts';
import { measureBatches, measureLedger } from './ledger.ts';
import { latencyPicture, numberTable, ratioTable, reached, writeResult, type Ratio } from './report.ts';
import { median } from './statistics.ts';
import { measureTemporal, p50, p99, type TemporalNumbers } from './temporal.ts';

const { values: options } = parseArgs({
  options: { json: { type: 'boolean', default: false }, quick: { type: 'boolean', default: false } },
});
const spinner = ora({
  stream: process.stderr,
  isSilent: !(process.stderr.isTTY && process.stderr.columns > 0) || options.json,
});
const progress = (text: string): void => {
  spinner.start(text);
};

async function onServer(): Promise<{ numbers: TemporalNumbers; server: string }> {
  const stateDir = mkdtempSync(join(tmpdir(), 'countersign-bench-'));
  progress('starting the development server');
  const cli = await findTemporalCli({});
  const server = await startDevServer({ cli, stateDir, headless: true });
  try {
    const plan = options.quick
      ? { rounds: 20, warmUp: 5, together: 50, repeats: 1, progress }
      : { rounds: 200, warmUp: 20, together: 500, repeats: 3, progress };
    return { numbers: await measureTemporal(server.address, stateDir, plan), server: server.serverVersion };
  } finally {
    await server.stop();
    rmSync(stateDir, { recursive: true, force: true });
  }
}

const { numbers, server } = await onServer();
progress('the ledger alone');
const ledger = await measureLedger();
progress('batches in fresh processes');
const batches = measureBatches(3);
spinner.stop();

const { bare, answered, settled } = numbers.sequential;
const throughput = { bare: median(numbers.throughput.bare), product: median(numbers.throughput.product) };
const ratios: Ratio[] = [
  {
    name: 'decision recorded (update answered) / bare approval to result, p50',
    value: p50(answered) / p50(bare),
    aim: { kind: 'most', value: 1 },
  },
  { name: 'approval to result / bare, p50', value: p50(settled) / p50(bare), aim: { kind: 'most', value: 1.25 } },
  {
    name: 'throughput, all approved together / bare',
    value: throughput.product / throughput.bare,
    aim: { kind: 'least', value: 0.8 },
  },
  {
    name: 'decide of a settled operation / primary-key read',
    value: ledger.decideUs / ledger.bareReadUs,
    aim: { kind: 'most', value: 3 },
  },
  {
    name: 'claim of a settled operation / primary-key read',
    value: ledger.claimUs / ledger.bareReadUs,
    aim: { kind: 'most', value: 3 },
  },
  {
    name: 'reconcile of a settled operation / primary-key read',
    value: ledger.reconcileUs / ledger.bareReadUs,
    aim: { kind: 'most', value: 3 },
  },
];

const ms = (value: number): string => `${value.toFixed(1)} ms`;
const rows: [string, string][] = [
  ['bare: approval to result, p50 / p99', `${ms(p50(bare))} / ${ms(p99(bare))}`],
  ['reviewOperation: update answered, p50 / p99', `${ms(p50(answered))} / ${ms(p99(answered))}`],
  ['reviewOperation: approval to result, p50 / p99', `${ms(p50(settled))} / ${ms(p99(settled))}`],
  ['bare: throughput, median', `${throughput.bare.toFixed(0)} per second`],
  ['reviewOperation: throughput, median', `${throughput.product.toFixed(0)} per second`],
  ['primary-key read', `${ledger.bareReadUs.toFixed(1)} µs`],
  [
    'decide / claim / reconcile of a settled operation',
    `${ledger.decideUs.toFixed(1)} / ${ledger.claimUs.toFixed(1)} / ${ledger.reconcileUs.toFixed(1)} µs`,
  ],
  ['100 duplicate admissions, median of 3 fresh processes', ms(median(batches.duplicateAdmissionsMs))],
  ['100 completed reconciliations, median of 3 fresh processes', ms(median(batches.completedReconciliationsMs))],
];

const machine = {
  node: process.version,
  cpu: cpus()[0]?.model ?? 'unknown',
  cores: cpus().length,
  temporalServer: server,
};
const flags = ['journal_mode=WAL', 'synchronous=FULL', 'history.transferProcessorMaxPollRPS=2000'];
const directory = 'out/bench';
writeResult(directory, {
  machine,
  flags,
  ratios: ratios.map((ratio) => ({ ...ratio, reached: reached(ratio) })),
  numbers,
  ledger,
  batches,
});
await latencyPicture(`${directory}/latency.svg`, {
  'bare: result': bare,
  'reviewOperation: decision recorded': answered,
  'reviewOperation: result': settled,
});
if (options.json) process.stdout.write(`${JSON.stringify({ machine, flags, ratios, rows })}\n`);
else {
  process.stdout.write(
    `Temporal server ${server} with ${flags.join(', ')}; Node ${process.version}, ${machine.cores} × ${machine.cpu}\n`,
  );
  process.stdout.write(
    `${numberTable(rows)}\n${ratioTable(ratios)}\nWritten: ${directory}/result.json, ${directory}/latency.svg\n`,
  );
}
