/** The driver on Temporal: begins by update-with-start; decisions are written to the ledger first and the run is told. */
import { Client, Connection, WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { setTimeout as delay } from 'node:timers/promises';
import { CountersignError, errorCode } from '../../core/errors.ts';
import { presentProposal, presentStatus } from '../../core/presentation.ts';
import { isFinal } from '../../core/states.ts';
import { identify } from '../../identity/index.ts';
import { canonicalCase } from '../../operations/content.ts';
import { propose } from '../../operations/propose.ts';
import { connectionSettings } from '../../server/index.ts';
import { payloadConverterPath } from '../../worker/bundle.ts';
import { beginRun, passingToRuns, startRun, tellOrStart, workflowIdOf } from '../../worker/runs.ts';
import type { Context } from '../context.ts';
import type { Begun, Driver } from './driver.ts';

async function connect(context: Context): Promise<{ client: Client; connection: Connection }> {
  const settings = connectionSettings(context.env, context.stateDir);
  try {
    const connection = await Connection.connect({ ...settings.connectionOptions, connectTimeout: '5 seconds' });
    const { namespace } = settings;
    return { connection, client: new Client({ connection, namespace, dataConverter: { payloadConverterPath } }) };
  } catch (cause) {
    throw new CountersignError('server_unavailable', {
      message: `The Temporal server at ${settings.address} cannot be reached.`,
      cause,
    });
  }
}

/** The catalogue error or refusal that an update's failure stands for. */
function updateFailure(thrown: unknown): unknown {
  const cause = thrown instanceof WorkflowUpdateFailedError ? thrown.cause : thrown;
  if (!(cause instanceof ApplicationFailure) || cause.type !== 'malformed_input') return thrown;
  return new CountersignError('malformed_input', { message: cause.message });
}

/** The answer, or `null` when it has not come within `ms`. */
async function withinMs<T extends object>(ms: number, act: Promise<T>): Promise<T | null> {
  const stop = new AbortController();
  const timer = delay(ms, null, { signal: stop.signal }).catch(() => null);
  try {
    return await Promise.race([act, timer]);
  } finally {
    stop.abort();
    // The update goes on at the server; its late failure is nobody's any more.
    act.catch(() => undefined);
  }
}

/** How often the ledger's file is read while a command waits for an outcome. */
const readEveryMs = 40;

export function temporalDriver(context: Context): Driver {
  let connected: ReturnType<typeof connect> | null = null;
  const client = async (): Promise<Client> => (await (connected ??= connect(context))).client;
  const { executor } = context;

  async function recorded(operationId: string) {
    const view = await context.ports().ledger.view(operationId);
    return view && { proposal: presentProposal(view.operation), status: presentStatus(view, executor) };
  }

  async function begin(input: Parameters<Driver['begin']>[0], waitMs: number): Promise<Begun> {
    const content = canonicalCase(input);
    const { operationId } = identify(content);
    let begun: Awaited<ReturnType<typeof beginRun>> | null;
    try {
      begun = await withinMs(waitMs, beginRun(await client(), content));
    } catch (thrown) {
      const cause = thrown instanceof WorkflowUpdateFailedError ? thrown.cause : null;
      // The ledger refused the case: ask it again here, so that the answer is whole.
      if (!(cause instanceof ApplicationFailure) || cause.type === 'malformed_input') throw updateFailure(thrown);
      const answer = await propose(context.ports(), content, { executor, run: null });
      return { ...answer, workflowId: workflowIdOf(content.caseId), runId: null };
    }
    if (!begun) {
      throw new CountersignError('server_unavailable', {
        message: `The run ${workflowIdOf(content.caseId)} was started, but no worker has prepared its proposal yet.`,
        hint: 'Start one with `countersign worker` (or `countersign up`); the run goes on by itself then.',
      });
    }
    const { prepared, workflowId, runId } = begun;
    if (prepared.operationId === operationId) {
      const shown = await recorded(operationId);
      return {
        outcome: prepared.admission,
        operationId,
        proposal: shown?.proposal ?? prepared,
        status: shown?.status ?? null,
        workflowId,
        runId,
      };
    }
    // A run of this case is under way with other content: the ledger says what that means.
    const answer = await propose(context.ports(), content, { executor, run: null });
    if (answer.outcome === 'admitted' && answer.status) {
      const view = await context.ports().ledger.view(operationId);
      if (view) await startRun(await client(), view.operation);
    }
    return { ...answer, workflowId, runId };
  }

  async function tell(operation: Parameters<Driver['tell']>[0]): Promise<boolean> {
    try {
      return (await tellOrStart(await client(), context.ports().ledger, operation)) !== 'unreachable';
    } catch (thrown) {
      if (errorCode(thrown) === 'server_unavailable') return false;
      throw thrown;
    }
  }

  return {
    begin,
    tell,
    async follow(operation, { waitMs }) {
      const { ledger } = context.ports();
      const told = await tell(operation);
      const until = Date.now() + (told ? waitMs : 0);
      for (;;) {
        const view = await ledger.view(operation.operationId);
        if (!view) throw new CountersignError('not_found');
        const { state } = view.operation;
        if (isFinal(state) || Date.now() >= until) {
          return { status: presentStatus(view, executor), claim: null, why: null, told };
        }
        await delay(readEveryMs);
      }
    },
    passing: async () => passingToRuns(await client(), context.ports().ledger),
    close: async () => {
      const open = await connected?.catch(() => null);
      await open?.connection.close();
    },
  };
}
