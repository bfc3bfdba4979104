/** A process of its own that starts the server of a state directory, says how that went, and holds it until killed. */
import { findTemporalCli, startDevServer } from '../../src/server/index.ts';

const [stateDir = ''] = process.argv.slice(2);
try {
  const server = await startDevServer({ cli: await findTemporalCli(), stateDir, headless: true });
  console.log(JSON.stringify({ pid: server.pid }));
  setInterval(() => undefined, 1_000);
} catch (error) {
  // Nothing else keeps this process alive, so a promise nobody settles would end it without a word.
  console.log(JSON.stringify({ message: (error as Error).message }));
}
