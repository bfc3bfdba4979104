// The picture's geometry: marks of one moment stay apart, quiet times are cut out and marked, time never runs back.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lanes } from '../../src/lab/names.ts';
import {
  laneLabelWidth,
  pictureWidth,
  placeTimeline,
  type Mark,
  type Timeline,
} from '../../src/lab/report/timeline.ts';
import { timelinePicture } from '../../src/lab/report/picture.ts';
import type { TimelineEvent } from '../../src/lab/result.ts';
import { seed } from '../support/seed.ts';
import { lostReceipt } from './samples.ts';

const events = fc
  .array(
    fc.record({
      ms: fc.oneof(fc.nat(50), fc.nat(60_000)),
      lane: fc.constantFrom(...lanes),
      what: fc.constantFrom(
        'decision-asked',
        'effect-created',
        'looked',
        'worker-started',
        'a-name-far-too-long-to-be-drawn-whole',
      ),
      detail: fc.constant({}),
    }),
    { minLength: 1, maxLength: 200 },
  )
  .map((given) => given.toSorted((a, b) => a.ms - b.ms));

/** What a mark covers with its label, in the picture's units; a monospaced character at the picture's size is 6 wide. */
function boxOf({ x, y, label, labelled }: Mark) {
  const length = 10 + label.length * 6;
  return { left: labelled === 'right' ? x - 7 : x - length, right: labelled === 'right' ? x + length : x + 7, y };
}

function overlaps({ marks }: Timeline): number {
  const boxes = marks.map(boxOf);
  return boxes.filter((one, index) =>
    boxes
      .slice(0, index)
      .some((other) => Math.abs(one.y - other.y) < 14 && one.left < other.right && other.left < one.right),
  ).length;
}

test('no mark or label covers another, whatever coincides, and all are inside the picture and their lane', () => {
  fc.assert(
    fc.property(events, (given) => {
      const placed = placeTimeline(given);
      expect(overlaps(placed)).toBe(0);
      for (const mark of placed.marks) {
        const { left, right } = boxOf(mark);
        expect(left).toBeGreaterThanOrEqual(laneLabelWidth - 7);
        expect(right).toBeLessThanOrEqual(pictureWidth + 7);
        const band = placed.lanes.find(({ lane }) => lane === mark.event.lane)!;
        expect(mark.y - 7).toBeGreaterThanOrEqual(band.top);
        expect(mark.y + 7).toBeLessThanOrEqual(band.top + band.height);
      }
    }),
    { seed },
  );
});

test('the words at the ticks of the axis stay apart and inside the picture', () => {
  fc.assert(
    fc.property(events, (given) => {
      const { ticks } = placeTimeline(given).axis;
      const ends = ticks.map(({ x, ms }) => x + `${ms} ms`.length * 6);
      ends.forEach((end, index) => expect(end).toBeLessThan(ticks[index + 1]?.x ?? pictureWidth));
    }),
    { seed },
  );
});

test('a later event is never left of an earlier one, and equal times stand below each other', () => {
  fc.assert(
    fc.property(events, (given) => {
      const marks = placeTimeline(given).marks.toSorted((a, b) => a.number - b.number);
      marks.slice(1).forEach((mark, index) => {
        const before = marks[index]!;
        if (mark.event.ms === before.event.ms) expect(mark.x).toBe(before.x);
        else expect(mark.x).toBeGreaterThan(before.x);
      });
    }),
    { seed },
  );
});

test('there is one lane for each authority that occurs, in one order, and none for the others', () => {
  const occurring = lanes.filter((lane) => lostReceipt.some((event) => event.lane === lane));
  expect(placeTimeline(lostReceipt).lanes.map(({ lane }) => lane)).toEqual(occurring);
});

test('a quiet time of seconds among milliseconds is cut out, and its length is written down', () => {
  const { axis } = placeTimeline(lostReceipt);
  expect(axis.cuts.map(({ ms }) => ms)).toEqual([9012 - 846]);
  expect(axis.ticks.map(({ ms }) => ms)).toContain(812);
  expect(axis.ticks.map(({ ms }) => ms)).toContain(9012);
  expect(timelinePicture('p', 'one', lostReceipt).text).toContain('>8.2 s</text>');
});

test('between two moments nothing is cut out: the time between is what there is to see', () => {
  const two: TimelineEvent[] = [10, 9000].map((ms) => ({ ms, lane: 'ledger', what: 'claimed', detail: {} }));
  expect(placeTimeline(two).axis.cuts).toEqual([]);
});

test('approval, attempt, effect, fault and recovery have marks of their own', () => {
  const kinds = placeTimeline(lostReceipt).marks.map(({ event, kind }) => [event.what, kind]);
  expect(kinds).toEqual(
    expect.arrayContaining([
      ['decision-asked', 'approval'],
      ['activity-started', 'attempt'],
      ['effect-requested', 'attempt'],
      ['effect-created', 'effect'],
      ['fault-reached', 'fault'],
      ['workflow-replayed', 'recovery'],
      ['looked', 'recovery'],
    ]),
  );
});

test('what starts or looks before anything failed is no recovery; a person and the end of a fault are', () => {
  const given: TimelineEvent[] = [
    { ms: 1, lane: 'engine', what: 'worker-started', detail: {} },
    { ms: 2, lane: 'receiver', what: 'looked', detail: {} },
    { ms: 3, lane: 'fault', what: 'worker-stopped', detail: {} },
    { ms: 4, lane: 'fault', what: 'worker-released', detail: {} },
    { ms: 5, lane: 'engine', what: 'worker-started', detail: {} },
    { ms: 6, lane: 'person', what: 'ran-a-command', detail: {} },
  ];
  const marks = placeTimeline(given).marks.toSorted((a, b) => a.number - b.number);
  expect(marks.map(({ kind }) => kind)).toEqual(['other', 'other', 'fault', 'recovery', 'recovery', 'recovery']);
});

test('of very many events the first and the last are drawn, and how many are not is said', () => {
  const many: TimelineEvent[] = Array.from({ length: 400 }, (_, ms) => ({
    ms,
    lane: 'worker',
    what: 'looked',
    detail: {},
  }));
  const { marks, omitted } = placeTimeline(many);
  expect([marks.length, omitted]).toEqual([150, 250]);
  expect(marks.map(({ number }) => number)).toContain(400);
  expect(timelinePicture('p', 'one', many).text).toContain('250 events in the middle are not drawn');
});
