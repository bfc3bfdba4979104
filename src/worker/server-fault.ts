/** What the SDK throws when the server, or what it was told about the server, is at fault: as the catalogue's error. */
import { isGrpcServiceError, ServiceError } from '@temporalio/client';
import { NamespaceNotFoundError } from '@temporalio/common';
import { CountersignError } from '../core/errors.ts';
import type { ConnectionSettings } from '../server/index.ts';

/** The worker's core has classes of its own, which would load it; a transport error is known by its name. */
function isTransportError(thrown: unknown): thrown is Error {
  return thrown instanceof Error && thrown.name === 'TransportError';
}

function namespaceIsMissing(thrown: unknown): boolean {
  if (thrown instanceof NamespaceNotFoundError) return true;
  return isTransportError(thrown) && /^Namespace \S+ was not found/.test(thrown.message);
}

/** The words of the innermost cause, first line only. */
function wordsOf(thrown: Error): string {
  let inner = thrown;
  while (inner.cause instanceof Error) inner = inner.cause;
  return inner.message.split('\n')[0] ?? '';
}

/** `server_unavailable` for a failure of the server; anything else unchanged. */
export function serverFault(thrown: unknown, { address, namespace }: ConnectionSettings): unknown {
  if (namespaceIsMissing(thrown)) {
    return new CountersignError('server_unavailable', {
      message: `The Temporal server at ${address} has no namespace ${JSON.stringify(namespace)}.`,
      hint: 'Set TEMPORAL_NAMESPACE to one it has, or make it: temporal operator namespace create --namespace NAME.',
      cause: thrown,
    });
  }
  if (thrown instanceof ServiceError || isGrpcServiceError(thrown) || isTransportError(thrown)) {
    return new CountersignError('server_unavailable', {
      message: `The Temporal server at ${address} failed: ${wordsOf(thrown)}`,
      cause: thrown,
    });
  }
  return thrown;
}
