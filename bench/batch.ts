/** One fresh process of the source's workload; prints its milliseconds as JSON. */
import { oneBatch } from './ledger.ts';

process.stdout.write(JSON.stringify(await oneBatch()));
