/** Run by `scripts/bootstrap.mjs` before a target that needs the Temporal CLI, so that a long fetch is seen as such. */
import { ServerError } from './errors.ts';
import { findTemporalCli } from './find-cli.ts';

try {
  const cli = await findTemporalCli({ log: (line) => console.error(line) });
  if (cli.source === 'download' || cli.source === 'pip') console.error(`Temporal CLI ${cli.version}: ${cli.path}`);
} catch (error) {
  if (!(error instanceof ServerError)) throw error;
  console.error(`error: ${error.message}\nhint: ${error.hint}`);
  process.exitCode = 69;
}
