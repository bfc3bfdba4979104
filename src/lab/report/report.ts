/** `report.html`: one page that holds everything it shows, works without network and without scripts, and prints. */
import type { LabResult } from '../result.ts';
import { situationPart } from './cell-part.ts';
import { html, Markup } from './html.ts';
import { matrixPart } from './matrix-part.ts';
import { pictureLegend } from './picture.ts';
import { styles } from './styles.ts';
import { summarise, type GroupSummary } from './summary.ts';
import { mutantWarning, notApplicableMeans } from './wording.ts';

/** A browser then refuses scripts and connections, whatever text got into the page. */
const policy = "default-src 'none'; style-src 'unsafe-inline'";

function headPart(result: LabResult): Markup {
  const warning = mutantWarning(result);
  const facts: readonly (readonly [string, string])[] = [
    ['run', result.run],
    ['started', result.startedAt],
    ['took', `${Math.round(result.seconds)} s`],
    ['seed', String(result.seed)],
    ['repetitions', String(result.repeat)],
    ['mutant', result.mutant ?? 'none'],
  ];
  const all = [...facts, ...Object.entries(result.machine), ...Object.entries(result.versions)];
  const entries = all.map(
    ([term, text]) =>
      html`<div>
        <dt>${term}</dt>
        <dd>${String(text)}</dd>
      </div>`,
  );
  return html`<header>
    <h1>What the platform guarantees, what the ledger guarantees</h1>
    <p>
      Experiments on one machine, with real servers, real databases, real processes and real kills. They show what can
      happen and what did not happen here; they do not establish that something never happens.
    </p>
    ${warning === null ? null : html`<p class="warning">${warning}</p>`}
    <dl class="facts">${entries}</dl>
  </header> `;
}

function promisesPart({ promises }: LabResult): Markup {
  return html`<section aria-labelledby="promises">
    <h2 id="promises">The five promises</h2>
    <dl>
      ${promises.map(
        ({ name, title }) =>
          html`<dt><code>${name}</code></dt>
            <dd>${title}</dd>`,
      )}
    </dl>
    <p>
      Held, violated or unknown; a cell shows the worst of the five. Unknown: not everything could be read, or the
      experiment did not come to its end. ${notApplicableMeans}
    </p>
  </section> `;
}

function armsPart({ arms }: LabResult): Markup {
  const entries = arms.map(
    ({ name, title }) =>
      html`<dt id="arm-${name}"><code>${name}</code></dt>
        <dd>${title}</dd>`,
  );
  return html`<section aria-labelledby="arms">
    <h2 id="arms">The arms</h2>
    <dl>${entries}</dl>
  </section> `;
}

function legendPart(): Markup {
  return html`<section aria-labelledby="legend">
    <h2 id="legend">How to read a timeline</h2>
    <p>
      One lane per authority or actor, one time axis in milliseconds since the experiment began. A double line is a
      quiet time that is left out; its length stands above it. A dashed line is a fault. The numbers are those of the
      list under each picture.
    </p>
    ${pictureLegend()}
  </section> `;
}

function groupPart({ group, situations }: GroupSummary, result: LabResult): Markup {
  return html`<section>
    <h2>${group}</h2>
    ${situations.map((situation) => situationPart(situation, result))}
  </section> `;
}

export function reportHtml(result: LabResult): string {
  const groups = summarise(result);
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${policy}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Countersign lab: ${result.run}</title>
        <style>
          ${new Markup(styles)}
        </style>
      </head>
      <body>
        ${headPart(result)}
        <main>
          ${matrixPart(result, groups)}${promisesPart(result)}${armsPart(result)}${legendPart()}${groups.map((group) => groupPart(group, result))}
        </main>
      </body>
    </html> `;
  return page.text;
}
