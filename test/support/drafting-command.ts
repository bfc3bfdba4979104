/**
 * The product's own command line with a scripted drafter, as a process: `drafting-command ARGUMENTS…`. `DRAFT_CALLS` names
 * a file that has a line for each call, of whatever process; each call answers another text. The process ends without a
 * trace in the call whose number `DRAFT_DIES_AT` is, when the answer is there and before anybody could store it.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { main } from '../../src/cli/main.ts';
import { scriptedDrafter } from '../../src/drafter/scripted.ts';

export const draftingCommand = fileURLToPath(import.meta.url);

export const callsIn = (file: string): number =>
  existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean).length : 0;

if (process.argv[1] === draftingCommand) {
  const calls = process.env['DRAFT_CALLS'] ?? '';
  const drafter = scriptedDrafter(({ caseId }) => {
    appendFileSync(calls, `${caseId}\n`);
    const call = callsIn(calls);
    if (String(call) === process.env['DRAFT_DIES_AT']) process.kill(process.pid, 'SIGKILL');
    return `draft ${call}`;
  });
  await main(process.argv, { drafter });
}
