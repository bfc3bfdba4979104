/** Markdown as the generated pages use it. */

export const made = (from: string): string =>
  `<!-- Generated from ${from} by scripts/generate-docs.ts: change it there, then run \`node --import tsx scripts/generate-docs.ts\`. -->`;

export const code = (text: string): string => `\`${text}\``;
const cell = (text: string): string => text.replaceAll('|', '\\|');

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
