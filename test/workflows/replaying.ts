/** Recorded histories, and replaying them against a bundle. */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger, Worker, type InjectedSinks } from '@temporalio/worker';
import { interceptorsPath, payloadConverterPath, workflowsPath } from '../../src/worker/bundle.ts';
import { quietRuntime, type History, type HistoryEvent } from '../support/temporal.ts';
import type { Said, SaidSinks } from './said.ts';

export const historiesDirectory = fileURLToPath(new URL('histories/', import.meta.url));

/** One run as it was recorded. */
export interface Recording {
  readonly workflowId: string;
  readonly recordedWith: { readonly sdk: string; readonly server: string };
  /** What replaying it with the code that recorded it said. */
  readonly said: readonly Said[];
  readonly history: HistoryJson;
}

/**
 * As `History.toObject` has it, with enums, bytes and long integers as strings. The SDK's own `historyToJSON` cannot be
 * used: it fails where npm installs protobufjs more than once, as our lock file makes it do.
 */
export type HistoryJson = Readonly<Record<string, unknown>>;

interface HistoryClass {
  fromObject(from: object): History;
  toObject(history: History, how: { enums: typeof String; bytes: typeof String; longs: typeof String }): HistoryJson;
}

/** The very classes the SDK decodes with, from where it has them. */
function sdkHistory(): HistoryClass {
  const sdk = createRequire(createRequire(import.meta.url).resolve('@temporalio/client'));
  const proto = sdk('@temporalio/proto') as { temporal: { api: { history: { v1: { History: HistoryClass } } } } };
  return proto.temporal.api.history.v1.History;
}

const historyClass = sdkHistory();
type Kept = Pick<Recording, 'history' | 'workflowId'>;

export const historyToJson = (history: object): HistoryJson =>
  historyClass.toObject(historyClass.fromObject(history), { enums: String, bytes: String, longs: String });

export const fileOf = (name: string): string => `${historiesDirectory}${name}.json`;

export function recordedNames(): string[] {
  if (!existsSync(historiesDirectory)) return [];
  return readdirSync(historiesDirectory)
    .filter((file) => file.endsWith('.json'))
    .map((file) => file.slice(0, -'.json'.length))
    .sort();
}

export function readRecording(name: string): Recording {
  return JSON.parse(readFileSync(fileOf(name), 'utf8')) as Recording;
}

export const eventsOf = ({ history }: Pick<Recording, 'history'>): HistoryEvent[] =>
  historyClass.fromObject(history).events ?? [];

/** The workflow code of this checkout, with interceptors that note what a run says. */
export async function notingBundle(): Promise<string> {
  const { code } = await bundleWorkflowCode({
    workflowsPath,
    payloadConverterPath,
    workflowInterceptorModules: [interceptorsPath, fileURLToPath(new URL('said.ts', import.meta.url))],
    logger: new DefaultLogger('ERROR'),
  });
  return code;
}

export interface Replayed {
  /** Why the history does not fit the code; `null` where it does. */
  readonly error: Error | null;
  readonly said: readonly Said[];
}

/**
 * Replays histories one after the other, in one worker. Workflow ids are the original ones, because the code reads its
 * own; what is said is told apart by run.
 */
export async function replayAll(code: string, recordings: readonly Kept[]): Promise<Replayed[]> {
  quietRuntime();
  const said = new Map<string, Said[]>();
  const note = {
    fn: ({ runId }: { runId: string }, entry: Said): void => {
      // Through JSON, as every payload goes: what is undefined there is not said.
      said.set(runId, [...(said.get(runId) ?? []), JSON.parse(JSON.stringify(entry)) as Said]);
    },
    callDuringReplay: true,
  };
  const sinks: InjectedSinks<SaidSinks> = { said: { note } };
  const options = { workflowBundle: { code }, dataConverter: { payloadConverterPath }, sinks };
  const histories = recordings.map(({ workflowId, history }) => ({
    workflowId,
    history: historyClass.fromObject(history),
  }));
  const replayed: Replayed[] = [];
  for await (const { runId, error } of Worker.runReplayHistories(options, histories)) {
    replayed.push({ error: error ?? null, said: said.get(runId) ?? [] });
  }
  return replayed;
}
