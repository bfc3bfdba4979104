/** Where clients and workers connect to. */
import { resolve } from 'node:path';
import { realpathSync } from 'node:fs';
import type { ConnectionOptions } from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { messageOf, ServerError } from './errors.ts';
import { isRunning, readRecord } from './record.ts';

/** What both `Connection.connect` and `NativeConnection.connect` take. */
export type SharedConnectionOptions = Pick<ConnectionOptions, 'tls' | 'metadata'> & {
  readonly address: string;
  readonly apiKey?: string;
};

export interface ConnectionSettings {
  readonly address: string;
  /** To be given to client and worker; neither learns it from the connection. */
  readonly namespace: string;
  readonly connectionOptions: SharedConnectionOptions;
  /** Given from outside; the server of the state directory; or nothing was found and this is Temporal's default. */
  readonly source: 'environment' | 'state' | 'default';
}

const defaultAddress = 'localhost:7233';
const defaultNamespace = 'default';

/** A variable set to nothing counts as not set, as in the Temporal CLI. */
function withoutEmpty(env: NodeJS.ProcessEnv): Record<string, string> {
  const isSet = (entry: [string, string | undefined]): entry is [string, string] => Boolean(entry[1]);
  return Object.fromEntries(Object.entries(env).filter(isSet));
}

function loadEnvironment(env: Record<string, string>) {
  try {
    return loadClientConnectConfig({ overrideEnvVars: env });
  } catch (error) {
    const hint = 'Check TEMPORAL_* variables, the files they name, and the Temporal CLI’s configuration file.';
    throw new ServerError(`the Temporal connection settings cannot be read (${messageOf(error)})`, hint);
  }
}

function serverOf(stateDir: string) {
  try {
    const record = readRecord(realpathSync(resolve(stateDir)));
    return record !== null && isRunning(record) ? record : null;
  } catch {
    return null;
  }
}

/**
 * TEMPORAL_ADDRESS, or a profile asked for by TEMPORAL_PROFILE, wins, with namespace, API key and TLS as the Temporal
 * CLI understands them; else the server that runs for the state directory (plain, on loopback: key and TLS settings
 * are for other servers); else the CLI's own default.
 *
 * @throws ServerError when those settings name a file that cannot be read or a profile that does not exist.
 */
export function connectionSettings(env: NodeJS.ProcessEnv, stateDir: string): ConnectionSettings {
  const set = withoutEmpty(env);
  const configured = loadEnvironment(set);
  const { address: given, apiKey, tls, metadata } = configured.connectionOptions;
  const asked = set.TEMPORAL_ADDRESS !== undefined || (set.TEMPORAL_PROFILE !== undefined && given !== undefined);
  const server = asked ? null : serverOf(stateDir);
  if (server !== null) {
    const { address } = server;
    const namespace = set.TEMPORAL_NAMESPACE ?? server.namespace;
    return { address, namespace, connectionOptions: { address }, source: 'state' };
  }
  const address = given ?? defaultAddress;
  const connectionOptions: SharedConnectionOptions = {
    address,
    ...(typeof apiKey === 'string' ? { apiKey } : {}),
    ...(tls === undefined ? {} : { tls }),
    ...(metadata === undefined ? {} : { metadata }),
  };
  const namespace = configured.namespace ?? defaultNamespace;
  return { address, namespace, connectionOptions, source: asked ? 'environment' : 'default' };
}
