/** What every command works with: where the state is, which driver, how to answer. Opens nothing until it is needed. */
import { randomUUID } from 'node:crypto';
import process from 'node:process';
import { CountersignError } from '../core/errors.ts';
import type { RecoverySettings } from '../core/recovery.ts';
import type { CrashPoints } from '../ports/crash-points.ts';
import type { Drafter } from '../ports/drafter.ts';
import type { Receiver } from '../ports/receiver.ts';
import { armedCrashPoints, parseArming } from '../worker/crash.ts';
import type { ReceiverKind } from '../worker/embedded-receiver.ts';
import { openPorts, type OpenPorts } from '../worker/open-ports.ts';
import { prepareStateDirectory, type StatePaths } from '../worker/state-directory.ts';
import type { WorkerEmbedding } from '../worker/worker.ts';
import { ExitCodes } from '../core/outcomes.ts';
import { Output } from './output.ts';

export const driverNames = ['temporal', 'application'] as const;
export type DriverName = (typeof driverNames)[number];

export interface GlobalOptions {
  readonly driver: DriverName;
  readonly state?: string;
  readonly json?: boolean;
  readonly receiver?: ReceiverKind;
  /** Hidden: arms one crash point. */
  readonly crashAt?: string;
}

/** What a program that runs these commands in its own process puts around them; the lab does. */
export interface Embedding {
  /** In place of what --crash-at says. */
  readonly crash?: CrashPoints;
  readonly recovery?: Partial<RecoverySettings>;
  readonly receiver?: (embedded: Receiver) => Receiver;
  readonly drafter?: Drafter;
  readonly worker?: WorkerEmbedding;
}

export interface Context {
  readonly driver: DriverName;
  readonly env: NodeJS.ProcessEnv;
  readonly out: Output;
  /** Names this command's process as the executor of what it does. */
  readonly executor: string;
  readonly stateDir: string;
  readonly embedding: Embedding;
  /** Makes or checks the state directory; throws `state_unusable`. */
  paths(): StatePaths;
  /** Operations whose runs are to be told of what this command brought about; the driver tells them. */
  readonly toTell: Set<string>;
  /** Opens ledger and receiver once; closed when the command ends. */
  ports(): OpenPorts;
  close(): void;
}

/** An environment variable that is set to nothing counts as not set. */
export const nonEmpty = (value: string | undefined): string | undefined => (value === '' ? undefined : value);

export function createContext(options: GlobalOptions, embedding: Embedding = {}): Context {
  const env = process.env;
  const stateDir = options.state ?? nonEmpty(env['COUNTERSIGN_STATE']) ?? '.countersign';
  if (stateDir === '') throw new CountersignError('usage', { message: '--state needs a directory.' });
  const arming = options.crashAt === undefined ? null : parseArming(options.crashAt);
  let paths: StatePaths | null = null;
  let ports: OpenPorts | null = null;
  const context: Context = {
    driver: options.driver,
    env,
    out: new Output(options.json ?? false),
    executor: `command:${randomUUID()}`,
    stateDir,
    embedding,
    toTell: new Set(),
    paths: () => (paths ??= prepareStateDirectory(stateDir)),
    ports: () => {
      const { directory } = context.paths();
      const { crash, recovery, receiver, drafter } = embedding;
      const armed = armedCrashPoints(arming, {
        exitCode: ExitCodes.lostReceipt,
        pauseMarker: `${directory}/paused-at-crash-point`,
      });
      return (ports ??= openPorts(context.paths(), {
        crash: crash ?? armed,
        ...(recovery ? { recovery } : {}),
        ...(receiver ? { receiver } : {}),
        ...(drafter ? { drafter } : {}),
        wake: (operationIds) => {
          for (const operationId of operationIds) context.toTell.add(operationId);
          return Promise.resolve();
        },
        ...(options.receiver === undefined ? {} : { receiverKind: options.receiver }),
      }));
    },
    close: () => {
      ports?.close();
      ports = null;
    },
  };
  return context;
}
