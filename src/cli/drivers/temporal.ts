/** The driver on Temporal: begins by update-with-start; decisions are written to the ledger first and the run is told. */
import { Client, Connection } from '@temporalio/client';
import { setTimeout as delay } from 'node:timers/promises';
import { CountersignError, errorCode } from '../../core/errors.ts';
import { presentStatus } from '../../core/presentation.ts';
import { isFinal } from '../../core/states.ts';
import { connectionSettings, type ConnectionSettings } from '../../server/index.ts';
import { payloadConverterPath } from '../../worker/bundle.ts';
import { passingToRuns, tellOrStart, tellRuns } from '../../worker/runs.ts';
import { serverFault } from '../../worker/server-fault.ts';
import { scheduleSweep, unscheduleSweep } from '../../worker/sweep-schedule.ts';
import type { Context } from '../context.ts';
import { begin } from './temporal-begin.ts';
import type { Driver } from './driver.ts';

interface Connected {
  readonly client: Client;
  readonly connection: Connection;
  readonly settings: ConnectionSettings;
}

async function connect(context: Context): Promise<Connected> {
  const settings = connectionSettings(context.env, context.stateDir);
  try {
    const connection = await Connection.connect({ ...settings.connectionOptions, connectTimeout: '5 seconds' });
    const { namespace } = settings;
    const client = new Client({ connection, namespace, dataConverter: { payloadConverterPath } });
    return { connection, client, settings };
  } catch (cause) {
    throw new CountersignError('server_unavailable', {
      message: `The Temporal server at ${settings.address} cannot be reached.`,
      cause,
    });
  }
}

/** How often the ledger's file is read while a command waits for an outcome. */
const readEveryMs = 40;

export function temporalDriver(context: Context): Driver {
  let connected: ReturnType<typeof connect> | null = null;
  const { executor } = context;

  /** Failures of the server come out as `server_unavailable`, whatever the SDK calls them. */
  async function withClient<T>(act: (client: Client) => Promise<T>): Promise<T> {
    const { client, settings } = await (connected ??= connect(context));
    try {
      return await act(client);
    } catch (thrown) {
      throw serverFault(thrown, settings);
    }
  }

  async function tell(operation: Parameters<Driver['tell']>[0]): Promise<boolean> {
    try {
      return await withClient(async (client) => {
        const { ledger } = context.ports();
        const passed = await tellOrStart(client, ledger, operation);
        context.toTell.delete(operation.operationId);
        // What this command set free is told, too: its runs wait for that alone.
        for (const operationId of context.toTell) await tellRuns(client, ledger, operationId, 'untold');
        context.toTell.clear();
        return passed !== 'unreachable';
      });
    } catch (thrown) {
      if (errorCode(thrown) === 'server_unavailable') return false;
      throw thrown;
    }
  }

  return {
    begin: (content, waitMs) => withClient((client) => begin(context, client, content, waitMs)),
    tell,
    async follow(operation, { waitMs, decidedHere }) {
      const { ledger } = context.ports();
      const told = await tell(operation);
      const until = Date.now() + (told ? waitMs : 0);
      for (;;) {
        const view = await ledger.view(operation.operationId);
        if (!view) throw new CountersignError('not_found');
        const { state } = view.operation;
        if (isFinal(state) || Date.now() >= until) {
          // Whichever run wrote the effect of a decision made here, it wrote it for this decision.
          const created = view.attempts.find(({ answer }) => answer === 'created');
          const writer = decidedHere && created ? created.executor : executor;
          return { status: presentStatus(view, writer), claim: null, why: null, told };
        }
        await delay(readEveryMs);
      }
    },
    passing: () =>
      withClient(async (client) => {
        const passing = passingToRuns(client, context.ports().ledger);
        return {
          pass: (operation) => withClient(() => passing.pass(operation)),
          alive: (operation) => withClient(() => passing.alive(operation)),
        };
      }),
    schedule: (everyMinutes, limit) =>
      withClient(async (client) => {
        if (everyMinutes !== null) return scheduleSweep(client, everyMinutes, limit);
        return (await unscheduleSweep(client)) ? 'removed' : 'absent';
      }),
    close: async () => {
      const open = await connected?.catch(() => null);
      await open?.connection.close();
    },
  };
}
