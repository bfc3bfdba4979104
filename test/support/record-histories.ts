/**
 * Plays scenarios on a real server and keeps their histories for the replay tests:
 *
 *   node --import tsx test/support/record-histories.ts [NAME…]
 *
 * Without a name it records what has no history yet. A recorded history is evidence of runs that may still be waiting
 * somewhere: replace one only before a release that could have made such a run; otherwise add a scenario.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { format } from 'prettier';
import { findTemporalCli, startDevServer, type TemporalCli } from '../../src/server/index.ts';
import {
  eventsOf,
  fileOf,
  historiesDirectory,
  historyToJson,
  notingBundle,
  recordedNames,
  replayAll,
  type HistoryJson,
  type Recording,
} from '../workflows/replaying.ts';
import { continuedAsNew, continuedNames, scenarios } from '../workflows/scenarios.ts';
import { longHistorySoon, startOwnServer } from './own-server.ts';
import { openEnvironment, settingsFor, troubledTasks, type Environment, type ReviewHandle } from './temporal.ts';

function sdkVersion(): string {
  const manifest = new URL('../../node_modules/@temporalio/workflow/package.json', import.meta.url);
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version;
}

/** Without the name of this machine and the place of this checkout on it. */
function anonymous(history: HistoryJson): HistoryJson {
  const root = fileURLToPath(new URL('../../', import.meta.url));
  return JSON.parse(
    JSON.stringify(history, (_key, value: unknown) =>
      typeof value === 'string' ? value.replaceAll(root, '').replaceAll(`@${hostname()}`, '@recorder') : value,
    ),
  ) as HistoryJson;
}

async function keep(name: string, handle: ReviewHandle, code: string, cli: TemporalCli): Promise<void> {
  const history = anonymous(historyToJson(await handle.fetchHistory()));
  const recordedWith = { sdk: sdkVersion(), server: cli.serverVersion };
  const { workflowId } = handle;
  const [replayed] = await replayAll(code, [{ workflowId, history }]);
  const { error, said } = replayed!;
  if (error) throw new Error(`${name} cannot be replayed by the code that made it`, { cause: error });
  const troubles = troubledTasks(eventsOf({ history }));
  if (troubles.length > 0) throw new Error(`${name} had trouble: ${troubles.join('; ')}`);
  const recording: Recording = { workflowId, recordedWith, said, history };
  writeFileSync(fileOf(name), await format(JSON.stringify(recording), { parser: 'json', printWidth: 120 }));
  process.stdout.write(`${name}\n`);
}

async function within<T>(address: string, namespace: string, act: (at: Environment) => Promise<T>): Promise<T> {
  const at = await openEnvironment(settingsFor(address, namespace));
  try {
    return await act(at);
  } finally {
    await at.close();
  }
}

async function recordScenarios(names: readonly string[], code: string, cli: TemporalCli): Promise<void> {
  const stateDir = mkdtempSync(join(tmpdir(), 'countersign-record-'));
  const server = await startDevServer({ cli, stateDir, headless: true });
  try {
    for (const name of names) {
      const play = scenarios[name];
      if (!play) throw new Error(`There is no scenario ${name}.`);
      await within(server.address, server.namespace, async (at) => keep(name, await play(at), code, cli));
    }
  } finally {
    await server.stop();
    rmSync(stateDir, { recursive: true, force: true });
  }
}

async function recordContinued(code: string, cli: TemporalCli): Promise<void> {
  const server = await startOwnServer(cli.path, longHistorySoon);
  try {
    await within(server.address, server.namespace, async (at) => {
      for (const [name, handle] of Object.entries(await continuedAsNew(at))) await keep(name, handle, code, cli);
    });
  } finally {
    await server.stop();
  }
}

const asked = process.argv.slice(2);
const all = [...Object.keys(scenarios), ...continuedNames];
const names = asked.length > 0 ? asked : all.filter((name) => !recordedNames().includes(name));
const isContinued = (name: string): boolean => (continuedNames as readonly string[]).includes(name);
mkdirSync(historiesDirectory, { recursive: true });
const cli = await findTemporalCli({});
const code = await notingBundle();
await recordScenarios(
  names.filter((name) => !isContinued(name)),
  code,
  cli,
);
if (names.some(isContinued)) await recordContinued(code, cli);
process.exit(0);
