/**
 * THE WRONG WAY, on purpose: a worker whose activity makes a random key for every attempt. The receiver is the same as
 * everywhere and deduplicates by key; a retry under a new key is a new effect to it. A process of the demonstration:
 * `worker.ts DIRECTORY [CRASH-POINT]`, with TEMPORAL_ADDRESS and TEMPORAL_NAMESPACE set.
 */
import { randomUUID } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { activityInfo, heartbeat } from '@temporalio/activity';
import { bundleWorkflowCode, NativeConnection, Worker } from '@temporalio/worker';
import { ExitCodes } from '../../../core/outcomes.ts';
import type { Receiver } from '../../../ports/receiver.ts';
import { openSqliteReceiver } from '../../../receiver/sqlite.ts';
import { armedCrashPoints, parseArming } from '../../../worker/crash.ts';
import { createLogger, installRuntime } from '../../../worker/logging.ts';
import { runUntilTold } from '../../../worker/until-told.ts';
import type { NaiveActivities } from './workflow.ts';

const ledgerId = 'none: the naive arm has no ledger';
const suffix = import.meta.url.slice(import.meta.url.lastIndexOf('.'));

function naiveActivities(receiver: Receiver): NaiveActivities {
  return {
    async record(body) {
      heartbeat();
      // The fault: this attempt's own key. The next attempt makes another one.
      const operationId = `random-${randomUUID()}`;
      const { attempt } = activityInfo();
      const payload = Buffer.from(body);
      await receiver.commit({ operationId, payload, attempt, ledgerId, ledgerSequence: 0, ledgerHash: '' });
    },
  };
}

/** Made by the first worker, used by the second: bundling takes seconds. */
async function workflowBundle(directory: string): Promise<{ codePath: string }> {
  const codePath = join(directory, 'workflow-bundle.js');
  if (existsSync(codePath)) return { codePath };
  const workflowsPath = fileURLToPath(new URL(`./workflow${suffix}`, import.meta.url));
  const { code } = await bundleWorkflowCode({ workflowsPath });
  writeFileSync(codePath, code, { mode: 0o600 });
  return { codePath };
}

async function main([directory = '', point]: readonly string[]): Promise<void> {
  installRuntime(createLogger('naive-worker'));
  const crash = armedCrashPoints(point === undefined ? null : parseArming(point), {
    exitCode: ExitCodes.workerLostReceipt,
    pauseMarker: join(directory, 'paused-at-crash-point'),
  });
  const receiver = openSqliteReceiver(join(directory, 'receiver.db'), { ledgerId, crash });
  const connection = await NativeConnection.connect({ address: process.env['TEMPORAL_ADDRESS'] ?? '' });
  const worker = await Worker.create({
    connection,
    namespace: process.env['TEMPORAL_NAMESPACE'] ?? 'default',
    taskQueue: 'naive',
    workflowBundle: await workflowBundle(directory),
    activities: naiveActivities(receiver),
    stickyQueueScheduleToStartTimeout: '1 second',
  });
  await runUntilTold(worker, async () => {
    receiver.close();
    await connection.close();
  });
}

await main(process.argv.slice(2));
