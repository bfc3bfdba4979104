/** The first part of the page: situations × arms, a verdict in every cell, each a link to what it rests on. */
import type { LabResult } from '../result.ts';
import { html, prose, type Markup } from './html.ts';
import { shareText, verdictSigns, type CellSummary, type CellVerdict, type GroupSummary } from './summary.ts';

const anchor = (name: string): string => name.replaceAll(/[^\w-]/g, '_');

export const situationAnchor = (situation: string): string => `situation-${anchor(situation)}`;
export const cellAnchor = (situation: string, arm: string): string => `${situationAnchor(situation)}--${arm}`;

/** Sign and word: in print, or to somebody who sees no colours, it says the same. */
function signAndWord(verdict: CellVerdict): Markup {
  const { sign, word } = verdictSigns[verdict];
  return html`<span aria-hidden="true">${sign}</span> ${word}`;
}

export const verdictTag = (verdict: CellVerdict): Markup =>
  html`<span class="tag ${verdict}">${signAndWord(verdict)}</span>`;

function matrixCell({ situation, arm, verdict, runs }: CellSummary): Markup {
  if (verdict === 'not-run') return html`<td class="not-run">${signAndWord(verdict)}</td>`;
  const share = shareText(runs, verdict);
  const repeated = share === null ? null : html` <span class="share">${share}</span>`;
  return html`<td class="${verdict}">
    <a href="#${cellAnchor(situation, arm)}">${signAndWord(verdict)}${repeated}</a>
  </td>`;
}

function matrixGroup({ group, situations }: GroupSummary, columns: number): Markup {
  const rows = situations.map(
    ({ name, title, cells }) =>
      html`<tr>
        <th scope="row"><a href="#${situationAnchor(name)}">${prose(title)}</a></th>
        ${cells.map(matrixCell)}
      </tr> `,
  );
  return html`<tbody>
    <tr>
      <th scope="rowgroup" colspan="${columns + 1}">${group}</th>
    </tr>
    ${rows}
  </tbody> `;
}

export function matrixPart({ arms }: LabResult, groups: readonly GroupSummary[]): Markup {
  return html`<section aria-labelledby="matrix">
    <h2 id="matrix">Guarantee matrix</h2>
    <div class="wide" role="region" tabindex="0" aria-label="Guarantee matrix">
      <table class="matrix">
        <caption>
          The worst verdict on the five promises, per situation and arm. Every cell leads to its experiment.
        </caption>
        <thead>
          <tr>
            <th scope="col">situation</th>
            ${arms.map(({ name }) => html`<th scope="col"><a href="#arm-${name}">${name}</a></th>`)}
          </tr>
        </thead>
        ${groups.map((group) => matrixGroup(group, arms.length))}
      </table>
    </div>
  </section> `;
}
