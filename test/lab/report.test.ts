// The lab's page, read as text: what is in it, and that nothing in it runs, loads, or depends on colour alone.
import { expect, test } from 'vitest';
import { promiseNames } from '../../src/lab/names.ts';
import { reportHtml } from '../../src/lab/report/report.ts';
import { styles } from '../../src/lab/report/styles.ts';
import { lostReceipt, runCell, sampleCells, sampleResult } from './samples.ts';

const page = reportHtml(sampleResult());

interface Tag {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly closes: boolean;
  readonly closed: boolean;
}

/** Tags in order; attribute values hold no angle brackets, because they are escaped. */
function tagsOf(html: string): Tag[] {
  const body = html.replace(/<style>[^]*?<\/style>/, '').replace('<!doctype html>', '');
  return [...body.matchAll(/<(\/?)([a-z0-9]+)((?:\s+[\w:-]+="[^"<>]*")*)\s*(\/?)>/g)].map((match) => ({
    name: match[2]!,
    attributes: Object.fromEntries(
      [...match[3]!.matchAll(/([\w:-]+)="([^"]*)"/g)].map(([, key, value]) => [key!, value!] as const),
    ),
    closes: match[1] === '/',
    closed: match[4] === '/',
  }));
}

const tags = tagsOf(page);
const opened = (name: string): Tag[] => tags.filter((tag) => tag.name === name && !tag.closes);

/** The markup of one experiment. */
function sectionOf(html: string, id: string): string {
  const from = html.indexOf(`<article id="${id}"`);
  return html.slice(from, html.indexOf('</article>', from));
}

test('the page is well formed: every angle bracket belongs to a tag, and tags close in order', () => {
  const brackets =
    page
      .replace(/<style>[^]*?<\/style>/, '')
      .replace('<!doctype html>', '')
      .match(/</g) ?? [];
  expect(tags).toHaveLength(brackets.length);
  const open: string[] = [];
  for (const { name, closes, closed } of tags) {
    if (closes) expect(open.pop()).toBe(name);
    else if (!closed && name !== 'style') open.push(name);
  }
  expect(open).toEqual([]);
});

test('the page has no script, no handler and no address outside itself, and forbids them to the browser', () => {
  expect(opened('script')).toEqual([]);
  const attributes = tags.flatMap((tag) => Object.entries(tag.attributes));
  expect(attributes.filter(([name]) => /^on|^src|^style$|^action$/.test(name))).toEqual([]);
  const links = attributes.filter(([name]) => name.endsWith('href')).map(([, value]) => value);
  expect(links.filter((href) => !href.startsWith('#'))).toEqual([]);
  expect(styles).not.toMatch(/url\(|@import|https?:/);
  expect(attributes).toContainEqual(['content', 'default-src &#39;none&#39;; style-src &#39;unsafe-inline&#39;']);
});

test('hostile text is shown as text: markup escaped, controls and direction marks written out', () => {
  expect(page).toContain('&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; \\u{1b}[31mred');
  expect(page).toContain('\\u{202e}abc\\u{202c}');
  expect(page).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
});

test('code between backticks in the words of a situation is code, and escaped like everything else', () => {
  const titled = sampleResult().situations.map((one) => ({ ...one, title: 'After `reset <b>` of ` nothing' }));
  const heading = '<h4 id="situation-stale-tab--both-h">both: After <code>reset &lt;b&gt;</code> of ` nothing</h4>';
  expect(reportHtml(sampleResult({ situations: titled }))).toContain(heading);
});

test('a hostile run, situation, content, event and version cannot leave their place', () => {
  const evil = '"><img src=x onerror=alert(1)>';
  const [first] = sampleCells;
  const cell = {
    ...runCell('receipt-lost', 'both'),
    timeline: [{ ms: 1, lane: 'model' as const, what: evil, detail: { [evil]: evil } }],
  };
  const observed = { ...cell.observed, told: [evil], effects: { total: 1, byIdentity: 1, byContent: { [evil]: 1 } } };
  const result = sampleResult({
    run: evil,
    mutant: evil,
    versions: { [evil]: evil },
    situations: sampleResult().situations.map((one) => ({ ...one, title: evil, group: evil })),
    cells: [{ ...cell, observed, trouble: evil }, first!],
  });
  expect(tagsOf(reportHtml(result)).filter(({ name }) => name === 'img')).toEqual([]);
  expect(reportHtml(result)).not.toContain('<img');
});

test('headings are in order, no level left out, and the matrix comes first', () => {
  const levels = tags.filter(({ name, closes }) => /^h\d$/.test(name) && !closes).map(({ name }) => Number(name[1]));
  expect(levels[0]).toBe(1);
  expect(levels.filter((level) => level === 1)).toHaveLength(1);
  levels.slice(1).forEach((level, index) => expect(level - levels[index]!).toBeLessThanOrEqual(1));
  expect(opened('h2')[0]!.attributes['id']).toBe('matrix');
});

test('every header cell says what it heads, and every table has a caption', () => {
  expect(
    opened('th').filter(({ attributes }) => !['col', 'row', 'rowgroup'].includes(attributes['scope'] ?? '')),
  ).toEqual([]);
  expect(opened('caption')).toHaveLength(opened('table').length);
});

test('ids are unique, and every link and label leads to one', () => {
  const ids = tags.flatMap(({ attributes }) => attributes['id'] ?? []);
  expect(new Set(ids).size).toBe(ids.length);
  const targets = [...opened('a').map(({ attributes }) => attributes['href']!.slice(1))];
  const labels = tags.flatMap(({ attributes }) => (attributes['aria-labelledby'] ?? '').split(' ').filter(Boolean));
  expect([...targets, ...labels].filter((id) => !ids.includes(id))).toEqual([]);
});

test('a cell of the matrix has a sign and a word beside its colour, and the share where it was repeated', () => {
  const matrix = page.slice(page.indexOf('<table class="matrix">'), page.indexOf('</table>'));
  const cells = [...matrix.matchAll(/<td class="([\w-]+)">([^]*?)<\/td>/g)].map(([, verdict, content]) => [
    verdict,
    content!.replaceAll(/<[^>]*>/g, '').trim(),
  ]);
  expect(cells).toEqual([
    ['violated', '✗ violated'],
    ['held', '✓ held'],
    ['held', '✓ held'],
    ['held', '✓ held'],
    ['unknown', '? unknown in 1 of 2'],
    ['unknown', '? unknown'],
    ['violated', '✗ violated'],
    ['held', '✓ held'],
    ['not-applicable', '– not applicable'],
    ['held', '✓ held'],
    ['not-applicable', '– not applicable'],
    ['violated', '✗ violated'],
    ['not-run', '· not run'],
    ['held', '✓ held'],
    ['held', '✓ held'],
  ]);
});

test('an experiment is told whole: verdict and reason per promise, counts, authorities, what was told, and all events', () => {
  const section = sectionOf(page, 'situation-receipt-lost--platform-naive');
  for (const promise of promiseNames) expect(section).toContain(`Read for ${promise}: 2 effects.`);
  expect(section).toContain('it establishes that this arm can violate what is marked so');
  expect(section).toMatch(/<dt>activity attempts<\/dt>\s*<dd>3<\/dd>/);
  expect(section).toMatch(/<dt>from the fault to the settled state<\/dt>\s*<dd>8185 ms<\/dd>/);
  expect(section).toMatch(/<dt>engine<\/dt>\s*<dd>Completed<\/dd>/);
  expect(section).not.toMatch(/<dt>ledger<\/dt>/);
  expect(section).toMatch(/<li>recorded<\/li>/);
  const list = section.slice(section.indexOf('<details>'), section.indexOf('</details>'));
  for (const { what } of lostReceipt) expect(list).toContain(`<th scope="row">${what}</th>`);
});

test('every repetition has a section of its own, with its seed', () => {
  const section = sectionOf(page, 'situation-receipt-lost--both');
  expect(section).toContain('Repetition 1 of 2, seed 7');
  expect(section).toContain('Repetition 2 of 2, seed 8');
  expect(section.match(/<svg /g)).toHaveLength(2);
});

test('what was held is not said to be established, and what did not end says so', () => {
  expect(sectionOf(page, 'situation-receipt-lost--ledger')).toContain('It does not establish that none is possible');
  const broken = sectionOf(page, 'situation-server-killed--platform-naive');
  expect(broken).toContain('It did not come to its end: The server did not come back within 60 s.');
  expect(broken).toContain('speaks neither for nor against this arm');
  expect(broken).toContain('The journal holds no event of it.');
});

test('what is not applicable gives its reason and is not called held', () => {
  const section = sectionOf(page, 'situation-server-killed--ledger');
  expect(section).toContain('This arm has no server to kill.');
  expect(section).toContain('nothing is counted as held');
  expect(section).not.toContain('✓');
});

test('a run with a mutant says before everything else that a bug was built in', () => {
  const mutated = reportHtml(sampleResult({ mutant: 'stale-check-dropped' }));
  const warning = mutated.indexOf('A known bug was built in on purpose (stale-check-dropped)');
  expect(warning).toBeGreaterThan(0);
  expect(warning).toBeLessThan(mutated.indexOf('id="matrix"'));
  expect(page).not.toContain('A known bug');
});

test('a picture has a name and a description in words, and takes its colours from the page', () => {
  const pictures = opened('svg').filter(({ attributes }) => attributes['aria-hidden'] !== 'true');
  expect(pictures).toHaveLength(sampleCells.filter((cell) => cell.applicable && cell.timeline.length > 0).length);
  for (const { attributes } of pictures) {
    expect(attributes['role']).toBe('img');
    expect(attributes['aria-labelledby']).toMatch(/^\S+ \S+$/);
  }
  expect(tags.filter(({ attributes }) => attributes['fill'] ?? attributes['stroke'])).toEqual([]);
  expect(page).toContain('16 events from 812 to 9031 ms.');
});

test('dark has a value of its own for every colour, and colours stand nowhere else', () => {
  const names = (block: string): string[] => [...block.matchAll(/(--[\w-]+):/g)].map(([, name]) => name!);
  const [light, dark] = [styles.indexOf('@media screen'), styles.indexOf('* { box-sizing')];
  expect(names(styles.slice(0, light))).not.toEqual([]);
  expect(names(styles.slice(light, dark))).toEqual(names(styles.slice(0, light)));
  expect(styles.slice(dark).match(/#[0-9a-f]{3,6}\b/g)).toBeNull();
});
