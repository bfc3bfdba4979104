/**
 * One process at a ledger file, for tests of many at once: reads one JSON command a line from standard input, answers
 * one JSON line each, so that all processes can be let go at one barrier.
 */
import { openSqliteLedger } from '../../src/ledger/sqlite/ledger.ts';
import type { Ledger } from '../../src/ports/ledger.ts';
import { ManualClock } from './clock.ts';
import { World } from './ledger-world.ts';
import { answerLines } from './reply-process.ts';

export type Command =
  | { readonly do: 'open'; readonly path: string }
  | { readonly do: 'decide'; readonly operationId: string; readonly approved: boolean; readonly reviewer: string }
  | { readonly do: 'claim'; readonly operationId: string }
  | { readonly do: 'complete'; readonly operationId: string }
  | { readonly do: 'admit'; readonly caseId: string; readonly body: string }
  | { readonly do: 'admit many'; readonly prefix: string; readonly count: number };

let world: World | null = null;

/** Opens a ledger in place of the one before, so that the last handles of that one close at the same time, too. */
function open(path: string): Ledger {
  world?.ledger.close();
  const clock = new ManualClock();
  const ledger = openSqliteLedger(path, { clock });
  const unsupported = (): never => {
    throw new Error('not in this process');
  };
  world = new World({ ledger, clock, dump: unsupported, reopen: unsupported });
  return ledger;
}

async function run(command: Command): Promise<unknown> {
  if (command.do === 'open') return open(command.path).ledgerId;
  if (!world) throw new Error('nothing is open');
  switch (command.do) {
    case 'decide':
      return world.decide(command.operationId, { approved: command.approved, reviewer: command.reviewer });
    case 'claim':
      return (await world.claim(command.operationId)).outcome;
    case 'complete':
      return (await world.complete(command.operationId, 1)).view.operation.state;
    case 'admit': {
      const { outcome, view } = await world.admit({ caseId: command.caseId, body: command.body });
      return { outcome, operationId: view?.operation.operationId };
    }
    case 'admit many': {
      const outcomes: string[] = [];
      for (let index = 0; index < command.count; index += 1) {
        outcomes.push((await world.admit({ caseId: `${command.prefix}-${index}` })).outcome);
      }
      return outcomes;
    }
  }
}

await answerLines(run);
