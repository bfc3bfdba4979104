/** Waits until a server does the work of a client, not only until its port is open. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { messageOf, ServerError } from './errors.ts';
import type { SearchAttributes } from './search-attributes.ts';
import { addMissing } from './search-attributes.ts';

const pollMs = 25;
const callTimeoutMs = 2_000;
const grpcNotFound = 5;
const serving = 1;

interface ReadinessOptions {
  readonly address: string;
  readonly namespace: string;
  readonly searchAttributes: SearchAttributes;
  readonly timeoutMs: number;
  /** Waiting is pointless once this is false. */
  readonly alive: () => boolean;
}

/** History and matching join after the frontend answers; until then calls fail with "not enough hosts". */
async function probe(connection: Connection, { namespace, searchAttributes }: ReadinessOptions): Promise<void> {
  const { workflowService, healthService } = connection;
  const health = await healthService.check({ service: 'temporal.api.workflowservice.v1.WorkflowService' });
  const status: number = health.status;
  if (status !== serving) throw new Error('health is not SERVING');
  await workflowService.describeNamespace({ namespace });
  await workflowService.describeTaskQueue({ namespace, taskQueue: { name: 'countersign-probe' } });
  const execution = { workflowId: 'countersign-probe' };
  await workflowService.describeWorkflowExecution({ namespace, execution }).catch((error: unknown) => {
    if ((error as { code?: number }).code !== grpcNotFound) throw error;
  });
  await addMissing(connection, namespace, searchAttributes);
  // A newly added attribute counts once the server's own cache of the namespace has it.
  const query = Object.entries(searchAttributes).map(([name]) => `${name} IS NOT NULL`);
  if (query.length > 0) await workflowService.countWorkflowExecutions({ namespace, query: query.join(' AND ') });
}

/** A refused connection makes gRPC pause for a second before the next; asking the port itself costs nothing. */
async function portAnswers(address: string): Promise<boolean> {
  const [host = '', port = ''] = address.split(':');
  const socket = connect({ host, port: Number(port) });
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(callTimeoutMs) });
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** @throws ServerError when the server is not ready within the time, or is no longer alive. */
export async function waitUntilReady(options: ReadinessOptions): Promise<void> {
  const { address, timeoutMs, alive } = options;
  const deadline = Date.now() + timeoutMs;
  let last = 'no answer';
  let connection: Connection | null = null;
  try {
    while (alive()) {
      try {
        if (connection !== null || (await portAnswers(address))) {
          const open = (connection ??= Connection.lazy({ address }));
          await open.withDeadline(Date.now() + callTimeoutMs, () => probe(open, options));
          if (alive()) return;
        }
      } catch (error) {
        if (error instanceof ServerError) throw error;
        last = messageOf(error);
      }
      if (Date.now() >= deadline) break;
      await delay(pollMs);
    }
  } finally {
    await connection?.close();
  }
  const end = alive() ? `is not ready after ${timeoutMs / 1000} s (${last})` : 'ended while starting';
  throw new ServerError(`the Temporal server at ${address} ${end}`, 'See server.log in the state directory.');
}
