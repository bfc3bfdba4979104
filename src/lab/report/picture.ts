/** The timeline of one experiment as inline SVG. Its colours are the page's: light, dark and print need no other picture. */
import type { TimelineEvent } from '../result.ts';
import { html, type Markup } from './html.ts';
import {
  axisHeight,
  laneLabelWidth,
  markKinds,
  pictureWidth,
  placeTimeline,
  type Mark,
  type MarkKind,
  type Timeline,
} from './timeline.ts';

/** Outlines around 0,0: the kind of a mark shows in its form as well as in its colour. */
const forms: Readonly<Record<MarkKind, string>> = {
  approval: 'M-6,0a6,6 0 1,0 12,0a6,6 0 1,0 -12,0Z',
  attempt: 'M-5,-5H5V5H-5Z',
  effect: 'M0,-7L7,0L0,7L-7,0Z',
  fault: 'M-6,-4L-4,-6L0,-2L4,-6L6,-4L2,0L6,4L4,6L0,2L-4,6L-6,4L-2,0Z',
  recovery: 'M-6,5L0,-6L6,5Z',
  other: 'M-3,0a3,3 0 1,0 6,0a3,3 0 1,0 -6,0Z',
};

const rounded = (value: number): number => Math.round(value * 10) / 10;

const quietText = (ms: number): string => (ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`);

function drawnMark({ event, kind, x, y, label, labelled }: Mark): Markup {
  const anchor = labelled === 'right' ? html`x="10"` : html`x="-10" text-anchor="end"`;
  return html`<g transform="translate(${rounded(x)},${rounded(y)})"
    ><title>${Math.round(event.ms)} ms, ${event.lane}: ${event.what}</title
    ><path class="mark ${kind}" d="${forms[kind]}" /><text ${anchor} y="3.5">${label}</text></g
  >`;
}

/** The picture in a sentence, for whoever does not see it. */
function inWords(events: readonly TimelineEvent[], marks: readonly Mark[]): string {
  const kinds = markKinds
    .map((kind) => [kind, marks.filter((mark) => mark.kind === kind)] as const)
    .filter(([kind, own]) => kind !== 'other' && own.length > 0)
    .map(([kind, own]) => `${own.length} × ${kind}, first at ${Math.round(own[0]?.event.ms ?? 0)} ms`);
  const ends = `${Math.round(events[0]?.ms ?? 0)} to ${Math.round(events.at(-1)?.ms ?? 0)} ms`;
  return `${events.length} events from ${ends}. ${kinds.join(', ')}. The list below has all of them.`;
}

const line = (name: string, path: string): Markup => html`<path class="${name}" d="${path}" />`;

function axisText(x: number, y: number, words: string, anchor: 'start' | 'middle'): Markup {
  return html`<text class="axis" x="${rounded(x)}" y="${y}" text-anchor="${anchor}">${words}</text>`;
}

/** Lines and words that belong to no single mark. */
function scenery({ axis, lanes, marks, height }: Timeline): readonly Markup[] {
  const bottom = height - axisHeight;
  const upright = (x: number): string => `M${rounded(x)},18V${bottom}`;
  return [
    ...axis.ticks.flatMap(({ x, ms }) => [
      line('tick', upright(x)),
      axisText(x, bottom + 16, `${Math.round(ms)} ms`, 'start'),
    ]),
    ...lanes.flatMap(({ lane, top, height: tall }) => [
      line('rule', `M0,${top}H${pictureWidth}`),
      html`<text class="lane" x="0" y="${top + tall / 2 + 4}">${lane}</text>`,
    ]),
    line('rule', `M0,${bottom}H${pictureWidth}${upright(laneLabelWidth - 6)}`),
    ...axis.cuts.flatMap(({ x, ms }) => [
      line('cut', `${upright(x - 3)}${upright(x + 3)}`),
      axisText(x, 12, quietText(ms), 'middle'),
    ]),
    ...marks.filter(({ kind }) => kind === 'fault').map(({ x }) => line('fault-line', upright(x))),
  ];
}

/** `id` is unique in the page; `title` names the experiment; `events` are in the order of time. */
export function timelinePicture(id: string, title: string, events: readonly TimelineEvent[]): Markup {
  const timeline = placeTimeline(events);
  const { marks, omitted, height } = timeline;
  const more =
    omitted === 0 ? null : html`<p class="note">${omitted} events in the middle are not drawn; the list has them.</p>`;
  return html`<div class="picture" role="region" tabindex="0" aria-label="Timeline, ${title}">
      <svg viewBox="0 0 ${pictureWidth} ${height}" role="img" aria-labelledby="${id}-t ${id}-d">
        <title id="${id}-t">Timeline: ${title}</title>
        <desc id="${id}-d">${inWords(events, marks)}</desc>
        ${scenery(timeline)}${marks.map(drawnMark)}
      </svg>
    </div>
    ${more}`;
}

/** What the forms mean, once per page. */
export function pictureLegend(): Markup {
  const entries = markKinds.map(
    (kind) =>
      html`<li>
        <svg class="key" viewBox="-8 -8 16 16" aria-hidden="true"><path class="mark ${kind}" d="${forms[kind]}" /></svg>
        ${kind}
      </li>`,
  );
  return html`<ul class="legend">
    ${entries}
  </ul>`;
}
