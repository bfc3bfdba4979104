/**
 * One time axis. Faults and recoveries lie seconds apart, what surrounds them milliseconds: long quiet times are cut
 * out and marked, and what is left has one scale. Pure.
 */

interface Segment {
  readonly fromMs: number;
  readonly toMs: number;
  /** Where the segment's linear part begins. */
  readonly left: number;
}

export interface TimeAxis {
  readonly x: (ms: number) => number;
  readonly ticks: readonly { readonly x: number; readonly ms: number }[];
  /** Quiet times that are not drawn to scale. */
  readonly cuts: readonly { readonly x: number; readonly ms: number }[];
}

const mostCuts = 5;
/** A shorter quiet time is drawn, however much room it takes. */
const leastCutMs = 100;
const cutWidth = 44;
/** Room before and after a segment's linear part, for the marks of its ends. */
const margin = 14;
const tickDistance = 84;

/** The moments, among `times` in ascending order, after which a quiet time is cut out. */
function cutsAfter(times: readonly number[]): ReadonlySet<number> {
  const gaps = times.slice(1).map((ms, index) => ({ after: times[index] ?? ms, length: ms - (times[index] ?? ms) }));
  let rest = (times.at(-1) ?? 0) - (times[0] ?? 0);
  const cuts = new Set<number>();
  for (const { after, length } of gaps.toSorted((a, b) => b.length - a.length)) {
    // Of two moments alone the time between them is what there is to see.
    const worthIt = length >= leastCutMs && length > rest * 0.4 && rest - length > 0;
    if (!worthIt || cuts.size === mostCuts) break;
    cuts.add(after);
    rest -= length;
  }
  return cuts;
}

function spans(times: readonly number[]): { fromMs: number; toMs: number }[] {
  const cuts = cutsAfter(times);
  const found: { fromMs: number; toMs: number }[] = [];
  let fromMs = times[0] ?? 0;
  times.forEach((ms, index) => {
    if (!cuts.has(ms) && index < times.length - 1) return;
    found.push({ fromMs, toMs: ms });
    fromMs = times[index + 1] ?? ms;
  });
  return found.length > 0 ? found : [{ fromMs: 0, toMs: 0 }];
}

/** 1, 2 or 5 times a power of ten, at least `least`. */
function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(least, 1)));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= least) ?? 10 * power;
}

function ticksOf({ fromMs, toMs, left }: Segment, scale: number): { x: number; ms: number }[] {
  const ticks = [{ x: left, ms: fromMs }];
  if (scale === 0) return ticks;
  const step = niceStep(tickDistance / scale);
  for (let ms = Math.ceil(fromMs / step) * step; ms <= toMs; ms += step) {
    const x = left + (ms - fromMs) * scale;
    if (x - (ticks.at(-1)?.x ?? 0) >= tickDistance) ticks.push({ x, ms });
  }
  return ticks;
}

/** `times`: in ascending order, milliseconds. The axis begins at the first and fills `width` from `left`. */
export function timeAxis(times: readonly number[], left: number, width: number): TimeAxis {
  const distinct = [...new Set(times)];
  const parts = spans(distinct);
  const drawn = parts.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
  const room = width - parts.length * 2 * margin - (parts.length - 1) * cutWidth;
  const scale = drawn === 0 ? 0 : room / drawn;
  const segments: Segment[] = [];
  const cuts: { x: number; ms: number }[] = [];
  let edge = left;
  for (const { fromMs, toMs } of parts) {
    const before = segments.at(-1);
    if (before) {
      cuts.push({ x: edge + cutWidth / 2, ms: fromMs - before.toMs });
      edge += cutWidth;
    }
    segments.push({ fromMs, toMs, left: edge + margin });
    edge += 2 * margin + (toMs - fromMs) * scale;
  }
  return {
    x: (ms) => {
      const segment = segments.findLast(({ fromMs }) => fromMs <= ms) ?? segments[0];
      return segment ? segment.left + (ms - segment.fromMs) * scale : left;
    },
    ticks: segments.flatMap((segment) => ticksOf(segment, scale)),
    cuts,
  };
}
