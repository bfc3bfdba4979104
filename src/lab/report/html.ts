/** Markup with every inserted text escaped: what an experiment recorded is untrusted. */
import { visible } from '../../cli/text.ts';

/** Text that is markup already. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Insert = Markup | string | number | null | readonly Insert[];

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** For content and for quoted attributes. Controls and direction marks become visible, as on a terminal. */
function escaped(text: string): string {
  return visible(text).replace(/[&<>"']/g, (character) => entities[character] ?? '');
}

function inserted(value: Insert): string {
  if (value === null) return '';
  if (value instanceof Markup) return value.text;
  if (typeof value === 'string' || typeof value === 'number') return escaped(String(value));
  return value.map(inserted).join('');
}

/**
 * A template whose literal parts are markup and whose values are text, unless they are markup themselves. The source's
 * indentation is left out.
 */
export function html(literals: TemplateStringsArray, ...values: readonly Insert[]): Markup {
  const parts = literals.map(
    (literal, index) => literal.replaceAll(/\s*\n\s*/g, '\n') + inserted(values[index] ?? null),
  );
  return new Markup(parts.join(''));
}

/** A sentence of ours with `code` between backticks. */
export function prose(sentence: string): readonly Insert[] {
  return sentence.split(/`([^`]+)`/).map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part));
}
