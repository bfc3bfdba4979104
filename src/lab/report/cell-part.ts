/** One situation of the report: its fault, then what each arm did with it. */
import type { TimelineEvent, LabResult, RunCell } from '../result.ts';
import { html, prose, type Markup } from './html.ts';
import { cellAnchor, situationAnchor, verdictTag } from './matrix-part.ts';
import { timelinePicture } from './picture.ts';
import type { CellSummary, SituationSummary } from './summary.ts';
import { countsOf, establishes, notApplicableMeans, shownOf } from './wording.ts';

function judgementTable({ judgements }: RunCell, { promises }: LabResult): Markup {
  const rows = promises.map(
    ({ name, title }) =>
      html`<tr>
        <th scope="row">${title}</th>
        <td class="${judgements[name].verdict}">${verdictTag(judgements[name].verdict)}</td>
        <td class="text">${judgements[name].why}</td>
      </tr> `,
  );
  return html`<table class="judgements">
    <caption>
      Verdict per promise
    </caption>
    <thead>
      <tr>
        <th scope="col">promise</th>
        <th scope="col">verdict</th>
        <th scope="col">why</th>
      </tr>
    </thead>
    <tbody>
      ${rows}
    </tbody>
  </table> `;
}

const terms = (entries: readonly (readonly [string, string])[]): Markup =>
  html`<dl>
    ${entries.map(
      ([term, text]) =>
        html`<dt>${term}</dt>
          <dd>${text}</dd>`,
    )}
  </dl>`;

const sentences = (texts: readonly string[], none: string): Markup =>
  texts.length === 0
    ? html`<p>${none}</p>`
    : html`<ol>
        ${texts.map((text) => html`<li>${text}</li>`)}
      </ol>`;

function observedPart({ observed }: RunCell, level: 5 | 6): Markup {
  const heading = (title: string): Markup => (level === 5 ? html`<h5>${title}</h5>` : html`<h6>${title}</h6>`);
  const contents = Object.entries(observed.effects.byContent);
  return html`${heading('Counted')} ${terms(countsOf(observed))}
  ${
    contents.length === 0
      ? null
      : html`<p>Effects by content:</p>
          ${terms(contents.map(([content, effects]) => [content, String(effects)]))}`
  }
  ${heading('What each authority shows at the end')} ${terms(shownOf(observed))} ${heading('What approvers were told')}
  ${sentences(observed.told, 'Nothing.')} ${heading('What a person had to do beside deciding')}
  ${sentences(observed.person, 'Nothing.')} `;
}

const detailText = ({ detail }: TimelineEvent): string =>
  Object.entries(detail)
    .map(([key, value]) => `${key} ${JSON.stringify(value)}`)
    .join(', ');

function eventList(events: readonly TimelineEvent[]): Markup {
  const rows = events.map(
    (event, index) =>
      html`<tr>
        <td>${index + 1}</td>
        <td>${Math.round(event.ms)}</td>
        <td>${event.lane}</td>
        <th scope="row">${event.what}</th>
        <td class="mono">${detailText(event)}</td>
      </tr> `,
  );
  return html`<details>
    <summary>The ${events.length} events as a list</summary>
    <table>
      <caption>
        Events, milliseconds since the experiment began
      </caption>
      <thead>
        <tr>
          <th scope="col">no.</th>
          <th scope="col">ms</th>
          <th scope="col">lane</th>
          <th scope="col">event</th>
          <th scope="col">details</th>
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </details> `;
}

function timelinePart(run: RunCell, id: string, title: string): Markup {
  if (run.timeline.length === 0) return html`<p>The journal holds no event of it.</p>`;
  const events = run.timeline.toSorted((a, b) => a.ms - b.ms);
  return html`<figure>${timelinePicture(id, title, events)}${eventList(events)}</figure> `;
}

interface Place {
  readonly result: LabResult;
  readonly situation: SituationSummary;
  readonly repetitions: number;
}

function runPart(run: RunCell, { result, situation, repetitions }: Place): Markup {
  const id = `${cellAnchor(run.situation, run.arm)}-${run.repetition}`;
  const title = `${situation.title}, ${run.arm}`;
  const repeated = `Repetition ${run.repetition} of ${repetitions}, seed ${run.seed}`;
  return html`${repetitions > 1 ? html`<h5>${repeated}</h5>` : null}
    <p>${verdictTag(run.verdict)} ${establishes(run, result.mutant)}</p>
    ${run.trouble === null ? null : html`<p class="warning">It did not come to its end: ${run.trouble}</p>`}
    ${judgementTable(run, result)}${timelinePart(run, id, title)}${observedPart(run, repetitions > 1 ? 6 : 5)}`;
}

function armPart(cell: CellSummary, situation: SituationSummary, result: LabResult): Markup | null {
  if (cell.verdict === 'not-run') return null;
  const body =
    cell.verdict === 'not-applicable'
      ? html`<p>${verdictTag(cell.verdict)} ${prose(cell.reason ?? '')}</p>
          <p class="note">${notApplicableMeans}</p>`
      : cell.runs.map((run) => runPart(run, { result, situation, repetitions: cell.runs.length }));
  const id = cellAnchor(cell.situation, cell.arm);
  return html`<article id="${id}" aria-labelledby="${id}-h">
    <h4 id="${id}-h">${cell.arm}: ${prose(situation.title)}</h4>
    ${body}
    <p class="back"><a href="#matrix">Back to the matrix</a></p>
  </article> `;
}

export function situationPart(situation: SituationSummary, result: LabResult): Markup {
  const id = situationAnchor(situation.name);
  return html`<section aria-labelledby="${id}">
    <h3 id="${id}">${prose(situation.title)} <code>${situation.name}</code></h3>
    <p>${prose(situation.fault)}</p>
    ${situation.cells.map((cell) => armPart(cell, situation, result))}
  </section> `;
}
