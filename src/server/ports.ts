/** Free ports on the loopback interface. */
import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';
import { createServer } from 'node:net';
import { errnoOf, messageOf, ServerError } from './errors.ts';

export const loopback = '127.0.0.1';

async function listen(port: number): Promise<Server> {
  const server = createServer();
  server.listen(port, loopback);
  await once(server, 'listening');
  return server;
}

const close = (server: Server): Promise<unknown> => new Promise((resolve) => server.close(resolve));

/**
 * All are held at once so that they differ. Between letting go and the server's bind somebody else may take one:
 * the caller starts again with others when the server says so.
 */
export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(Array.from({ length: count }, () => listen(0)));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map(close));
  return ports;
}

/**
 * Asked before the server is started: it would say the same, but meanwhile another server that listens there would
 * answer in its place.
 *
 * @throws ServerError when a port that was asked for is none, is taken, or may not be used.
 */
export async function checkPort(name: string, port: number | undefined): Promise<void> {
  if (port === undefined) return;
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    const hint = 'Give a number from 1 to 65535, or none for a free port.';
    throw new ServerError(`${name} ${port} is not a port number`, hint);
  }
  try {
    await close(await listen(port));
  } catch (error) {
    const taken = errnoOf(error) === 'EADDRINUSE';
    const hint = 'Give another one (--port, --ui-port), or none for a free one, or stop what listens there.';
    throw new ServerError(`${name} ${port} ${taken ? 'is taken' : `cannot be used (${messageOf(error)})`}`, hint);
  }
}
