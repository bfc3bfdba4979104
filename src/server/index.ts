/** What the rest of the project uses of this folder. */
export type { ConnectionSettings, SharedConnectionOptions } from './connection-settings.ts';
export { connectionSettings } from './connection-settings.ts';
export { startDevServer } from './dev-server.ts';
export type { FailedStep } from './errors.ts';
export { CliNotFoundError, ServerError } from './errors.ts';
export { acquireFileLock } from './file-lock.ts';
export { makeDirectory } from './make-directory.ts';
export type { CliSource, FindCliOptions, TemporalCli } from './find-cli.ts';
export { findTemporalCli } from './find-cli.ts';
export type { ServerExit } from './launch.ts';
export type { DevServer, StartOptions } from './server-types.ts';
export type { SearchAttributes } from './search-attributes.ts';
export { countersignSearchAttributes } from './search-attributes.ts';
