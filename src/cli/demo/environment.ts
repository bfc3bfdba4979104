/** What the demonstration's processes find in their environment: nothing that a user set for other servers. */
import process from 'node:process';
import type { DevServer } from '../../server/index.ts';

/** A proxy or profile of the user's own must not lead a command elsewhere. */
function withoutSettings(): NodeJS.ProcessEnv {
  const others = Object.entries(process.env).filter(([name]) => !/^(TEMPORAL|COUNTERSIGN)_/.test(name));
  return Object.fromEntries(others);
}

/** `server`: `null` where there is to be none; `configFile`: an empty file in place of the user's own settings. */
export function childEnvironment(
  stateDir: string,
  server: Pick<DevServer, 'address' | 'namespace'> | null,
  configFile: string,
): NodeJS.ProcessEnv {
  const own = { ...withoutSettings(), COUNTERSIGN_STATE: stateDir, TEMPORAL_CONFIG_FILE: configFile };
  if (!server) return own;
  return { ...own, TEMPORAL_ADDRESS: server.address, TEMPORAL_NAMESPACE: server.namespace };
}
