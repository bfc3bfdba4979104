/** How a process of a crew works: one JSON command a line from standard input, one JSON answer a line. */
import { createInterface } from 'node:readline';
import { errorCode } from '../../src/core/errors.ts';

/** What a command answered; `error`: what it threw, with its catalogue code where it has one. */
export interface Reply {
  readonly answer?: unknown;
  readonly error?: { readonly code: string | null; readonly text: string };
}

/** Says that it is ready, then answers until its input ends. */
export async function answerLines(run: (command: never) => Promise<unknown>): Promise<void> {
  process.stdout.write('ready\n');
  for await (const line of createInterface({ input: process.stdin })) {
    let reply: Reply;
    try {
      reply = { answer: await run(JSON.parse(line) as never) };
    } catch (thrown) {
      reply = { error: { code: errorCode(thrown), text: String(thrown) } };
    }
    process.stdout.write(`${JSON.stringify(reply)}\n`);
  }
}
