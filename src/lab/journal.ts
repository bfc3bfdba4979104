/**
 * The raw journal of an experiment: one JSON line per event, appended by every process that takes part, the moment it
 * happens. All processes share this machine's clock. Nothing reads it while the experiment runs.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { lanes, type Lane } from './names.ts';

export type Detail = string | number | boolean | null;

export interface LabEvent {
  /** Milliseconds since the epoch. */
  readonly atMs: number;
  readonly lane: Lane;
  /** What happened, in kebab case: `decision-asked`, `effect-created`. */
  readonly what: string;
  /** The process it happened in. */
  readonly by: string;
  readonly detail: Readonly<Record<string, Detail>>;
}

export type Note = (lane: Lane, what: string, detail?: Readonly<Record<string, Detail>>) => void;

/** Appends to `path`. A line is one write, so lines of several processes never mix. */
export function journalAt(path: string, by: string): Note {
  return (lane, what, detail = {}) => {
    const event: LabEvent = { atMs: Date.now(), lane, what, by, detail };
    appendFileSync(path, `${JSON.stringify(event)}\n`, { mode: 0o600 });
  };
}

export interface ReadJournal {
  readonly events: readonly LabEvent[];
  /** Lines that could not be read: an experiment with any of them is unknown. */
  readonly unreadable: number;
}

function parsed(line: string): LabEvent | null {
  try {
    const event = JSON.parse(line) as Partial<LabEvent>;
    const lane = lanes.find((name) => name === event.lane);
    const whole = lane && typeof event.atMs === 'number' && typeof event.what === 'string';
    return whole ? (event as LabEvent) : null;
  } catch {
    return null;
  }
}

/** In the order of time; events of one instant in the order they were written. */
export function readJournal(path: string): ReadJournal {
  if (!existsSync(path)) return { events: [], unreadable: 1 };
  const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean);
  const events = lines.map(parsed).filter((event): event is LabEvent => event !== null);
  return { events: events.toSorted((a, b) => a.atMs - b.atMs), unreadable: lines.length - events.length };
}
