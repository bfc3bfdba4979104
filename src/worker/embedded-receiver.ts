/** Which embedded receiver a state directory has: chosen once, by the first process that opens it, and kept. */
import { existsSync } from 'node:fs';
import { CountersignError } from '../core/errors.ts';
import type { CrashPoints } from '../ports/crash-points.ts';
import type { Receiver } from '../ports/receiver.ts';
import { openFilesReceiver } from '../receiver/files.ts';
import { openSqliteReceiver } from '../receiver/sqlite.ts';
import type { StatePaths } from './state-directory.ts';

export const receiverKinds = ['sqlite', 'files'] as const;
export type ReceiverKind = (typeof receiverKinds)[number];

function kindOf(paths: StatePaths, wanted: ReceiverKind | undefined): ReceiverKind {
  const has = { sqlite: existsSync(paths.receiver), files: existsSync(paths.receiverFiles) };
  if (has.sqlite && has.files) {
    throw new CountersignError('state_unusable', {
      message: `${paths.directory} holds two receivers, receiver.db and receiver-files.`,
      hint: 'Move the one away that does not belong to this ledger.',
    });
  }
  const existing = has.sqlite ? 'sqlite' : has.files ? 'files' : null;
  if (existing !== null && wanted !== undefined && existing !== wanted) {
    throw new CountersignError('usage', {
      message: `This state directory has the ${existing} receiver, not ${wanted}.`,
      hint: 'A receiver is chosen once: another one would know nothing of the effects before it.',
    });
  }
  return existing ?? wanted ?? 'sqlite';
}

/** Opens the state directory's receiver, or makes one of the `wanted` kind (default `sqlite`). */
export function openEmbeddedReceiver(
  paths: StatePaths,
  ledgerId: string,
  crash: CrashPoints,
  wanted: ReceiverKind | undefined,
): Receiver {
  const options = { ledgerId, crash };
  return kindOf(paths, wanted) === 'files'
    ? openFilesReceiver(paths.receiverFiles, options)
    : openSqliteReceiver(paths.receiver, options);
}
