/** A process of its own that starts the server of a state directory, says so, and holds it until it is killed. */
import { findTemporalCli, startDevServer } from '../../src/server/index.ts';

const [stateDir = ''] = process.argv.slice(2);
const server = await startDevServer({ cli: await findTemporalCli(), stateDir, headless: true });
console.log(JSON.stringify({ pid: server.pid }));
setInterval(() => undefined, 1_000);
