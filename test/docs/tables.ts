/** The cells of every table row under a heading, up to the next heading; the head and the rule left out. */
export function rowsUnder(page: string, heading: string): string[][] {
  const [, rest] = page.split(`\n${heading}\n`);
  if (rest === undefined) throw new Error(`There is no heading ${heading}.`);
  const lines = rest.split(/\n#+ /)[0]!.split('\n');
  const rows = lines.filter((line) => line.startsWith('|')).slice(2);
  return rows.map((row) => row.split('|').slice(1, -1)).map((cells) => cells.map((text) => text.trim()));
}
