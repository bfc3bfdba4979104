/** What an experiment tells a process it starts: a small JSON file, named as the process's first argument. */
import { readFileSync, writeFileSync } from 'node:fs';
import type { Lookup } from '../core/recovery.ts';
import type { CrashPoint } from '../ports/crash-points.ts';
import type { ArmName } from './names.ts';

/**
 * How a process fails at a point. `hold`: it stands there, its whole thread, until it is released or killed. `wait`: the
 * destination is slow, and the process goes on with other things meanwhile.
 */
export const manners = ['exit', 'throw', 'hold', 'wait'] as const;
export type Manner = (typeof manners)[number];

export interface Fault {
  readonly point: CrashPoint;
  readonly manner: Manner;
  /** How often, in this process. Default: once. */
  readonly times?: number;
  /**
   * The process polls for nothing while it stands there. A process that will be stopped must not: a task that the server
   * hands to one of its polls is lost until its timeout.
   */
  readonly alone?: boolean;
}

/** How the destination behaves, the same for every arm. */
export interface Destination {
  readonly deduplicates: boolean;
  readonly lookup: Lookup;
  /** Whether an effect shows in look-ups only once somebody says so (`Experiment.showEffects`). */
  readonly showsLate: boolean;
}

export const plainDestination: Destination = { deduplicates: true, lookup: 'authoritative', showsLate: false };

export interface ProcessSettings {
  readonly arm: ArmName;
  /** Names the process in the journal. */
  readonly by: string;
  readonly journal: string;
  readonly state: string;
  readonly fault: Fault | null;
  readonly exitCode: number;
  /** Written by a held process when it has arrived. */
  readonly reached: string;
  /** Its existence lets a held process go on. */
  readonly release: string;
  readonly destination: Destination;
  /** Its existence makes effects of a destination that shows late visible. */
  readonly shown: string;
  /** Deploys workflow code that does not fit the histories of waiting runs. */
  readonly incompatible: boolean;
  readonly leaseMs: number;
}

export function writeSettings(path: string, settings: ProcessSettings): void {
  writeFileSync(path, JSON.stringify(settings), { mode: 0o600, flag: 'wx' });
}

/** Trusted: this lab wrote it a moment ago. */
export const readSettings = (path: string): ProcessSettings =>
  JSON.parse(readFileSync(path, 'utf8')) as ProcessSettings;
