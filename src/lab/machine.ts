/** What a result says of the machine and the versions it was made with. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { arch, availableParallelism, platform, totalmem } from 'node:os';
import process from 'node:process';
import Database from 'better-sqlite3';
import { packageVersion } from '../cli/package-info.ts';
import type { TemporalCli } from '../server/index.ts';
import type { Detail } from './journal.ts';

export function machine(): Readonly<Record<string, Detail>> {
  const gibibytes = Math.round(totalmem() / 2 ** 30);
  return { platform: platform(), architecture: arch(), cores: availableParallelism(), memoryGiB: gibibytes };
}

function versionOf(name: string): string {
  const path = createRequire(import.meta.url).resolve(`${name}/package.json`);
  return (JSON.parse(readFileSync(path, 'utf8')) as { version: string }).version;
}

export function versions(cli: TemporalCli): Readonly<Record<string, string>> {
  const memory = new Database(':memory:');
  const sqlite = memory.prepare<[], string>('SELECT sqlite_version()').pluck().get() ?? 'unknown';
  memory.close();
  return {
    countersign: packageVersion,
    node: process.versions.node,
    temporalServer: cli.serverVersion,
    temporalCli: cli.version,
    temporalSdk: versionOf('@temporalio/worker'),
    sqlite,
  };
}
