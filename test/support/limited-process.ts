/**
 * A ledger process that is run where it can write little or nothing: admits and approves case after case and prints one
 * line for each that was acknowledged, then what stopped it. Arguments: path of the ledger, most cases.
 */
import { errorCode } from '../../src/core/errors.ts';
import { openSqliteLedger } from '../../src/ledger/sqlite/ledger.ts';
import { ManualClock } from './clock.ts';
import { World } from './ledger-world.ts';

const [path = '', most = '0'] = process.argv.slice(2);
const say = (line: object): void => {
  process.stdout.write(`${JSON.stringify(line)}\n`);
};

try {
  const clock = new ManualClock();
  const ledger = openSqliteLedger(path, { clock });
  const world = new World({ ledger, clock, dump: () => null, reopen: () => ledger });
  say({ opened: ledger.ledgerId });
  for (let index = 0; index < Number(most); index += 1) {
    const operationId = await world.propose({ caseId: `L-${index}`, body: 'x'.repeat(2_000) });
    say({ admitted: operationId });
    const { outcome } = await world.decide(operationId);
    say({ [outcome]: operationId });
  }
  say({ stopped: null });
} catch (thrown) {
  say({ stopped: errorCode(thrown) ?? String(thrown) });
}
