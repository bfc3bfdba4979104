/** The faults of an experiment, planted where the product names its dangerous gaps. */
import { existsSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import type { CrashPoint, CrashPoints } from '../ports/crash-points.ts';
import type { Note } from './journal.ts';
import type { ProcessSettings } from './settings.ts';

/** A held process that nobody releases ends by itself. */
const longestHoldMs = 120_000;
const heldTooLong = 70;

/** Blocks the thread, heartbeats included, until the release file is there. */
function hold({ reached, release }: ProcessSettings): void {
  writeFileSync(reached, `${process.pid}\n`, { mode: 0o600 });
  const asleep = new Int32Array(new SharedArrayBuffer(4));
  for (const until = Date.now() + longestHoldMs; !existsSync(release);) {
    if (Date.now() > until) process.exit(heldTooLong);
    Atomics.wait(asleep, 0, 0, 10);
  }
}

export interface FaultPoints extends CrashPoints {
  /** Where the destination may be slow: settles when it is released. */
  waitAt(point: CrashPoint): Promise<void>;
}

export function faultPoints(settings: ProcessSettings, note: Note): FaultPoints {
  const { fault } = settings;
  let left = fault ? (fault.times ?? 1) : 0;
  const due = (point: CrashPoint, waits: boolean): boolean => {
    if (left === 0 || point !== fault?.point || waits !== (fault.manner === 'wait')) return false;
    left -= 1;
    note('fault', 'fault-reached', { point, manner: fault.manner });
    return true;
  };
  return {
    reach(point) {
      if (!due(point, false)) return;
      if (fault?.manner === 'exit') process.exit(settings.exitCode);
      if (fault?.manner === 'throw') throw new Error(`Deliberate fault at ${point}: the receipt is lost.`);
      hold(settings);
      note('fault', 'fault-released', { point });
    },
    async waitAt(point) {
      if (!due(point, true)) return;
      writeFileSync(settings.reached, `${process.pid}\n`, { mode: 0o600 });
      for (const until = Date.now() + longestHoldMs; !existsSync(settings.release);) {
        if (Date.now() > until) process.exit(heldTooLong);
        await delay(10);
      }
      note('fault', 'fault-released', { point });
    },
  };
}
