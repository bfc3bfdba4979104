/** The end of the demonstration: the table for people and the evidence for everybody else. */
import { createRequire } from 'node:module';
import { renameSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import process from 'node:process';
import Table from 'cli-table3';
import pc from 'picocolors';
import { CountersignError } from '../../core/errors.ts';
import type { DevServer } from '../../server/index.ts';
import { makeDirectory } from '../../server/make-directory.ts';
import { packageVersion } from '../package-info.ts';
import type { Check, Value } from './checks.ts';
import { ledgerRecords, receiverRecords, sqliteVersion } from './databases.ts';
import { short } from './narrator.ts';
import type { ProcessRecord } from './processes.ts';
import type { Scratch } from './scratch.ts';
import type { Unchanged } from './story/lost-receipt.ts';
import type { Told } from './told.ts';

export interface Evidence {
  readonly agree: boolean;
  /** Why the story stopped before its end, or `null`. */
  readonly stopped: string | null;
  readonly startedAt: string;
  readonly seconds: number;
  readonly versions: Readonly<Record<string, string>>;
  readonly checks: readonly Check[];
  readonly steps: readonly Told[];
  readonly processes: readonly ProcessRecord[];
  /** Both databases before and after the repeated approval. */
  readonly repeatedApproval: Unchanged | null;
  readonly records: Readonly<Record<string, unknown>>;
}

export function versions(server: DevServer): Record<string, string> {
  const sdk = createRequire(import.meta.url)('@temporalio/worker/package.json') as { version: string };
  return {
    countersign: packageVersion,
    node: process.versions.node,
    platform: `${process.platform} ${process.arch}`,
    temporalServer: server.serverVersion,
    temporalCli: server.cliVersion,
    temporalSdk: sdk.version,
    sqlite: sqliteVersion(),
  };
}

/** Whatever a broken story left behind; a database that is not there yet is no record. */
function recordsOf(read: () => unknown): unknown {
  try {
    return read();
  } catch (thrown) {
    return { unreadable: String(thrown) };
  }
}

export function readRecords({ review, naive, application }: Scratch): Record<string, unknown> {
  return {
    review: recordsOf(() => ({ ...ledgerRecords(review.ledger), ...receiverRecords(review.receiver) })),
    naive: recordsOf(() => receiverRecords(naive.receiver)),
    application: recordsOf(() => ({ ...ledgerRecords(application.ledger), ...receiverRecords(application.receiver) })),
  };
}

/** Made before the story, so that a place that cannot be written to is known at once. Throws `state_unusable`. */
export function makeEvidenceDirectory(out: string): string {
  const directory = resolve(out);
  try {
    makeDirectory(directory);
    return directory;
  } catch (cause) {
    const message = `The evidence cannot be kept in ${directory} (${String(cause)}).`;
    throw new CountersignError('state_unusable', { message, hint: 'Name another directory with --out.', cause });
  }
}

/** Returns the path. */
export function writeEvidence(directory: string, evidence: Evidence): string {
  const path = join(directory, 'correctness.json');
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, `${JSON.stringify(evidence, null, 2)}\n`);
  renameSync(temporary, path);
  return path;
}

const shown = (value: Value | null): string => (value === null ? 'not reached' : short(String(value)));

export function checksTable(checks: readonly Check[]): string {
  const head = ['check', 'expected', 'observed', 'agree'];
  // No line between the rows: there are many.
  const chars = { mid: '', 'left-mid': '', 'mid-mid': '', 'right-mid': '' };
  const table = new Table({ head, chars, style: { head: [], border: [] } });
  for (const { says, expected, observed, agree } of checks)
    table.push([says, shown(expected), shown(observed), agree ? pc.green('yes') : pc.red('NO')]);
  return table.toString();
}
