/** Command `doctor`: what is installed, reachable and readable. Changes nothing. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { Connection } from '@temporalio/client';
import Table from 'cli-table3';
import pc from 'picocolors';
import { errorCode } from '../../core/errors.ts';
import { ExitCodes } from '../../core/outcomes.ts';
import { connectionSettings, findTemporalCli } from '../../server/index.ts';
import { hasSearchAttributes } from '../../worker/search-attributes.ts';
import { taskQueue } from '../../worker/runs.ts';
import { action } from '../command.ts';
import type { Context } from '../context.ts';
import { oneLine } from '../text.ts';

interface Check {
  readonly name: string;
  /** `absent`: not there, and not needed for everything. */
  readonly result: 'ok' | 'absent' | 'failed';
  readonly detail: string;
  readonly hint: string | null;
}

const ok = (name: string, detail: string): Check => ({ name, result: 'ok', detail, hint: null });

function failed(name: string, thrown: unknown, result: 'absent' | 'failed' = 'failed'): Check {
  const hint = typeof thrown === 'object' && thrown !== null && 'hint' in thrown ? String(thrown.hint) : null;
  const code = errorCode(thrown);
  return {
    name,
    result,
    detail: `${thrown instanceof Error ? thrown.message : String(thrown)}${code ? ` [${code}]` : ''}`,
    hint,
  };
}

function checkState(context: Context): Check[] {
  const directory = resolve(context.stateDir);
  if (!existsSync(join(directory, 'ledger.db'))) {
    return [
      {
        name: 'state',
        result: 'absent',
        detail: `${directory} holds no ledger yet`,
        hint: 'It is made by the first command that needs it.',
      },
    ];
  }
  try {
    const { ledger } = context.ports();
    return [ok('state', directory), ok('ledger', ledger.ledgerId)];
  } catch (thrown) {
    return [failed('ledger', thrown)];
  }
}

async function checkReceiver(context: Context): Promise<Check[]> {
  if (!existsSync(join(resolve(context.stateDir), 'receiver.db'))) return [];
  try {
    const { declaration, sequence } = await context.ports().receiver.describe();
    return [ok('receiver', `${declaration.receiverId}, ${sequence ?? 0} effects`)];
  } catch (thrown) {
    return [failed('receiver', thrown)];
  }
}

async function checkCli(context: Context): Promise<Check> {
  try {
    // Looking must not fetch anything: doctor changes nothing.
    const { path, version, source } = await findTemporalCli({ env: context.env, fetch: false });
    return ok('temporal CLI', `${version} (${source}) at ${path}`);
  } catch (thrown) {
    return failed('temporal CLI', thrown, 'absent');
  }
}

async function checkServer(context: Context): Promise<Check[]> {
  const settings = connectionSettings(context.env, context.stateDir);
  const { address, namespace } = settings;
  let connection: Connection;
  try {
    connection = await Connection.connect({ ...settings.connectionOptions, connectTimeout: '3 seconds' });
  } catch {
    const hint = 'Run `countersign up`, set TEMPORAL_ADDRESS, or use --driver application.';
    return [{ name: 'temporal server', result: 'absent', detail: `${address} does not answer`, hint }];
  }
  try {
    const info = await connection.workflowService.getSystemInfo({});
    const queue = await connection.workflowService.describeTaskQueue({
      namespace,
      taskQueue: { name: taskQueue },
      // eslint-disable-next-line @typescript-eslint/no-unsafe-enum-assignment -- TASK_QUEUE_TYPE_WORKFLOW; the enum is not exported
      taskQueueType: 1,
    });
    const pollers = queue.pollers.length;
    const attributes = await hasSearchAttributes(connection, namespace);
    return [
      ok('temporal server', `${info.serverVersion} at ${address}, namespace ${namespace}`),
      attributes
        ? ok('search attributes', 'registered')
        : {
            name: 'search attributes',
            result: 'absent',
            detail: 'not registered',
            hint: 'Lists by CountersignState need them; everything else works without.',
          },
      pollers > 0
        ? ok('worker', `${pollers} on task queue ${taskQueue}`)
        : {
            name: 'worker',
            result: 'absent',
            detail: `nobody polls task queue ${taskQueue}`,
            hint: 'Run `countersign worker`.',
          },
    ];
  } catch (thrown) {
    return [failed('temporal server', thrown)];
  } finally {
    await connection.close();
  }
}

const marks = { ok: pc.green('ok'), absent: pc.yellow('absent'), failed: pc.red('failed') } as const;

function checksText(checks: readonly Check[]): string {
  const table = new Table({ style: { head: [], border: [] } });
  for (const { name, result, detail, hint } of checks)
    table.push([name, marks[result], oneLine(detail, 100), hint === null ? '' : oneLine(hint, 80)]);
  return table.toString();
}

export const doctor = action<object, []>(async ({ context }) => {
  const checks = [
    ok('node', process.version),
    ...checkState(context),
    ...(await checkReceiver(context)),
    await checkCli(context),
    ...(await checkServer(context)),
  ];
  const healthy = checks.every(({ result }) => result !== 'failed');
  context.out.answer({ healthy, checks }, () => checksText(checks));
  return healthy ? ExitCodes.done : ExitCodes.unreliable;
});
