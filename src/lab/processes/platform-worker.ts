/** A worker of a platform arm, as a process: `platform-worker SETTINGS`, with TEMPORAL_ADDRESS set. */
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker';
import { noCrashPoints } from '../../ports/crash-points.ts';
import { openSqliteReceiver } from '../../receiver/sqlite.ts';
import { cachedBundle } from '../../worker/bundle.ts';
import { createLogger, installRuntime } from '../../worker/logging.ts';
import { runUntilTold } from '../../worker/until-told.ts';
import { destinationOver } from '../destination.ts';
import { labDrafter } from '../drafting.ts';
import { faultPoints } from '../faults.ts';
import { journalAt } from '../journal.ts';
import { interceptorModules, observed } from '../observing.ts';
import { platformQueue } from '../platform/queue.ts';
import { platformActivities } from '../platform/activities.ts';
import { readSettings } from '../settings.ts';

const ledgerId = 'none: this arm has no ledger';
const suffix = import.meta.url.slice(import.meta.url.lastIndexOf('.'));

async function main(path: string): Promise<void> {
  const settings = readSettings(path);
  const note = journalAt(settings.journal, settings.by);
  const faults = faultPoints(settings, note);
  installRuntime(createLogger('lab-platform-worker'));
  const embedded = openSqliteReceiver(join(settings.state, 'receiver.db'), { ledgerId, crash: noCrashPoints });
  const receiver = destinationOver(embedded, settings, { note, faults });
  const drafter = labDrafter(settings, note);
  const connection = await NativeConnection.connect({ address: process.env['TEMPORAL_ADDRESS'] ?? '' });
  const modules = interceptorModules(settings.incompatible);
  const workflowsPath = fileURLToPath(new URL(`../platform/workflow${suffix}`, import.meta.url));
  const bundle = await cachedBundle([workflowsPath, ...modules], {
    workflowsPath,
    workflowInterceptorModules: [...modules],
  });
  const options: WorkerOptions = {
    connection,
    namespace: process.env['TEMPORAL_NAMESPACE'] ?? 'default',
    taskQueue: platformQueue,
    workflowBundle: bundle,
    activities: platformActivities({
      arm: settings.arm,
      receiver,
      faults,
      ledgerId,
      draft: (given) => drafter.draft(given),
    }),
    stickyQueueScheduleToStartTimeout: '1 second',
  };
  const worker = await Worker.create(observed(options, note, settings.fault));
  await runUntilTold(worker, async () => {
    receiver.close();
    await connection.close();
  });
}

await main(process.argv[2] ?? '');
