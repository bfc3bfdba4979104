/**
 * Where everything stands in the picture of an experiment: lanes, rows, marks and their labels. Marks of one moment are
 * put below each other, so none covers another. Pure; units are those of the picture.
 */
import { lanes, type Lane } from '../names.ts';
import type { TimelineEvent } from '../result.ts';
import { timeAxis, type TimeAxis } from './axis.ts';

export const markKinds = ['approval', 'attempt', 'effect', 'fault', 'recovery', 'other'] as const;
export type MarkKind = (typeof markKinds)[number];

/** What brings things on again; before anything failed it is how things begin. */
const bringsOn = /^(workflow-replayed|looked|server-started|worker-started|run-started)$/;
/** In the lane of faults: the end of one. */
const endsFault = /-(released|freed)$|^effects-show-from-now-on$/;
const attempts = /^effect-requested$|(^|-)(attempt|claim|execut)|^activity-/;

type Applies = (event: TimelineEvent, afterFault: boolean) => boolean;

/** The first row that applies names the kind of an event. */
const kindTable: readonly (readonly [MarkKind, Applies])[] = [
  ['recovery', ({ lane, what }) => lane === 'person' || (lane === 'fault' && endsFault.test(what))],
  ['recovery', ({ what }, afterFault) => afterFault && bringsOn.test(what)],
  ['fault', ({ lane }) => lane === 'fault'],
  ['approval', ({ lane, what }) => lane === 'approver' && /(^|-)(decision|approv)/.test(what)],
  ['effect', ({ lane, what }) => lane === 'receiver' && what === 'effect-created'],
  ['attempt', ({ what }) => attempts.test(what)],
];

function kindOf(event: TimelineEvent, firstFaultMs: number): MarkKind {
  const row = kindTable.find(([, applies]) => applies(event, event.ms >= firstFaultMs));
  return row?.[0] ?? 'other';
}

export interface Mark {
  /** Position in the list of events, from 1. */
  readonly number: number;
  readonly event: TimelineEvent;
  readonly kind: MarkKind;
  readonly x: number;
  readonly y: number;
  readonly label: string;
  /** Which side of the mark its label is on. */
  readonly labelled: 'right' | 'left';
}

export interface LaneBand {
  readonly lane: Lane;
  readonly top: number;
  readonly height: number;
}

export interface Timeline {
  readonly axis: TimeAxis;
  readonly lanes: readonly LaneBand[];
  readonly marks: readonly Mark[];
  /** Events in the list that have no mark. */
  readonly omitted: number;
  readonly height: number;
}

export const pictureWidth = 1000;
export const laneLabelWidth = 76;
const rowHeight = 17;
const lanePadding = 5;
export const axisHeight = 24;
/** Right of the axis, for the words at its last tick. */
const tickLabelWidth = 48;
/** Above the first lane, for what is written over cuts. */
const headHeight = 18;
const characterWidth = 6.1;
const markRadius = 7;
const longestLabel = 30;
/** More would be neither readable nor printable. */
const mostMarks = 150;

/** An event with its position in the list. */
type Numbered = readonly [number, TimelineEvent];

interface Interval {
  readonly from: number;
  readonly to: number;
}

/** Puts marks of one lane into the first row that has room for them with their label. */
function rowsOf(events: readonly Numbered[], axis: TimeAxis, firstFaultMs: number) {
  const rows: Interval[][] = [];
  const placed = events.map(([number, event]) => {
    const x = axis.x(event.ms);
    const name = event.what.length > longestLabel ? `${event.what.slice(0, longestLabel - 1)}…` : event.what;
    const label = `${number} ${name}`;
    const length = markRadius + 4 + label.length * characterWidth;
    const labelled = x + length > pictureWidth ? ('left' as const) : ('right' as const);
    const from = labelled === 'right' ? x - markRadius : x - length;
    const to = labelled === 'right' ? x + length : x + markRadius;
    let row = rows.findIndex((taken) => taken.every((other) => to + 4 < other.from || from > other.to + 4));
    if (row < 0) row = rows.push([]) - 1;
    rows[row]?.push({ from, to });
    return { number, event, kind: kindOf(event, firstFaultMs), x, row, label, labelled };
  });
  return { placed, rows: rows.length };
}

/** The first and the last ones, where there are too many. */
function drawable(numbered: readonly Numbered[]): readonly Numbered[] {
  if (numbered.length <= mostMarks) return numbered;
  return [...numbered.slice(0, mostMarks / 2), ...numbered.slice(-mostMarks / 2)];
}

/** `events`: in the order of time. */
export function placeTimeline(events: readonly TimelineEvent[]): Timeline {
  const numbered = drawable(events.map((event, index) => [index + 1, event] as const));
  const times = numbered.map(([, { ms }]) => ms);
  const axis = timeAxis(times, laneLabelWidth, pictureWidth - laneLabelWidth - tickLabelWidth);
  const firstFaultMs = events.find(({ lane }) => lane === 'fault')?.ms ?? Infinity;
  const bands: LaneBand[] = [];
  const marks: Mark[] = [];
  let top = headHeight;
  for (const lane of lanes) {
    const own = numbered.filter(([, event]) => event.lane === lane);
    if (own.length === 0) continue;
    const { placed, rows } = rowsOf(own, axis, firstFaultMs);
    const first = top + lanePadding + rowHeight / 2;
    for (const { row, ...mark } of placed) marks.push({ ...mark, y: first + row * rowHeight });
    const height = rows * rowHeight + 2 * lanePadding;
    bands.push({ lane, top, height });
    top += height;
  }
  return { axis, lanes: bands, marks, omitted: events.length - numbered.length, height: top + axisHeight };
}
