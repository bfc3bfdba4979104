/** Untrusted text on a terminal: nothing in a draft may move the cursor, hide text or look like our own output. */

/**
 * Controls, bidirectional and zero-width characters, and whatever else a terminal draws nothing for (fillers, variation
 * selectors), become visible as `\u{…}`; line ends and tabs stay.
 */
export function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu, (character) => {
    if (character === '\n' || character === '\t') return character;
    return `\\u{${Number(character.codePointAt(0)).toString(16)}}`;
  });
}

/** One line of untrusted text, whole: for what a decision rests on. */
export function wholeLine(text: string): string {
  return visible(text).replaceAll('\n', '⏎').replaceAll('\t', ' ');
}

/** One line of untrusted text, cut where it is too long for its place. */
export function oneLine(text: string, limit = 120): string {
  const line = wholeLine(text);
  return line.length > limit ? `${line.slice(0, limit - 1)}…` : line;
}

/** A duration in milliseconds for people: the largest unit that fits. */
export function ageText(ms: number): string {
  const units: readonly (readonly [string, number])[] = [
    ['d', 86_400_000],
    ['h', 3_600_000],
    ['m', 60_000],
  ];
  const unit = units.find(([, length]) => ms >= length);
  return unit ? `${Math.floor(ms / unit[1])}${unit[0]}` : `${Math.max(0, Math.floor(ms / 1000))}s`;
}
