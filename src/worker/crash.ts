/**
 * Arms one crash point, by an explicit option only. What an armed process does when it arrives there is a deliberate
 * fault; nothing else in the program reads this.
 */
import { writeFileSync } from 'node:fs';
import { CountersignError } from '../core/errors.ts';
import { crashPoints, noCrashPoints, type CrashPoint, type CrashPoints } from '../ports/crash-points.ts';

export const crashManners = ['exit', 'throw', 'pause'] as const;
export type CrashManner = (typeof crashManners)[number];

export interface Arming {
  readonly point: CrashPoint;
  readonly manner: CrashManner;
}

/** Reads `POINT` or `POINT=MANNER` (default `exit`). Throws `usage` for a point or manner that does not exist. */
export function parseArming(text: string): Arming {
  const [point = '', manner = 'exit', ...rest] = text.split('=');
  const known = crashPoints.find((name) => name === point);
  const how = crashManners.find((name) => name === manner);
  if (known && how && rest.length === 0) return { point: known, manner: how };
  throw new CountersignError('usage', {
    message: `${JSON.stringify(text)} names no crash point.`,
    hint: `Use POINT or POINT=MANNER with POINT one of ${crashPoints.join(', ')} and MANNER one of ${crashManners.join(', ')}.`,
  });
}

/** Blocks this thread for good: whoever paused the process here is going to kill it. */
function blockForEver(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

export interface ArmedOptions {
  readonly exitCode: number;
  /** Written when a paused process has arrived, so that whoever waits to kill it knows. */
  readonly pauseMarker: string;
}

/** Fires once: a process that survives (`throw`) goes on without the fault, as a retry after a passing fault would. */
export function armedCrashPoints(arming: Arming | null, options: ArmedOptions): CrashPoints {
  if (!arming) return noCrashPoints;
  let fired = false;
  return {
    reach(point) {
      if (fired || point !== arming.point) return;
      fired = true;
      switch (arming.manner) {
        case 'exit':
          process.exit(options.exitCode);
          break;
        case 'pause':
          writeFileSync(options.pauseMarker, `${process.pid}\n`, { mode: 0o600 });
          blockForEver();
          break;
        case 'throw':
          throw new Error(`Deliberate fault at crash point ${point}.`);
      }
    },
  };
}
