// Every crash point × {exit, thrown error, kill -9} × driver, as data. The whole matrix runs with COUNTERSIGN_FULL=1;
// otherwise one manner per point and driver, in rotation, so that all three appear in both drivers.
import type { DriverName } from '../../src/cli/context.ts';
import { crashManners, type CrashManner } from '../../src/worker/crash.ts';
import { crashRows, type CrashRow } from '../../scripts/crash-rows.ts';

export const drivers = ['application', 'temporal'] as const satisfies readonly DriverName[];

export interface Cell {
  readonly row: CrashRow;
  readonly manner: CrashManner;
}

const words: Readonly<Record<CrashManner, string>> = {
  exit: 'exits',
  throw: 'fails with an error',
  pause: 'is killed',
};

/** Names the test of a cell; test/docs/recovery.test.ts looks for it. */
export const titleOf = ({ row, manner }: Cell): string =>
  `a process that ${words[manner]} at ${row.point} leaves what docs/recovery.md says, and the case ends as it says`;

/** Every cell that a driver has. */
export function everyCell(driver: DriverName): Cell[] {
  const has = crashRows.filter((row) => driver === 'temporal' || row.application !== null);
  return has.flatMap((row) => crashManners.map((manner) => ({ row, manner })));
}

/** The cells to run now: all of them, or one for each point. */
export function cellsToRun(driver: DriverName, full = process.env['COUNTERSIGN_FULL'] === '1'): Cell[] {
  const all = everyCell(driver);
  if (full) return all;
  // The drivers take different manners at the same point.
  const first = driver === 'temporal' ? 0 : 1;
  return all.filter(({ row, manner }) => {
    const turn = crashRows.indexOf(row) + first;
    return manner === crashManners[turn % crashManners.length];
  });
}
