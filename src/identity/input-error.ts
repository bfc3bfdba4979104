// The one error that untrusted input causes, and the JSON pointer (RFC 6901) that says where the fault is.

/** Keys and array indexes from the root of the input to the fault. */
export type Path = readonly (string | number)[];

/** A JSON pointer, RFC 6901: `[]` is "", `['a/b', 0]` is "/a~1b/0". */
export function jsonPointer(path: Path): string {
  let pointer = '';
  for (const step of path) pointer += '/' + String(step).replaceAll('~', '~0').replaceAll('/', '~1');
  return pointer;
}

const SHOWN_CHARACTERS = 120;

/**
 * Untrusted text for a message or a terminal: controls, format characters (bidirectional ones too), line separators
 * and lone surrogates become `\u{…}`, and anything past 120 UTF-16 units is cut.
 */
export function printable(text: string): string {
  const cut = text.length > SHOWN_CHARACTERS ? text.slice(0, SHOWN_CHARACTERS) + '…' : text;
  return cut.replace(
    /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${Number(character.codePointAt(0)).toString(16)}}`,
  );
}

/**
 * Input that cannot become a case, a revision or an identity (contract, sections 1 and 2). Nothing was changed.
 * Recognise it by `code`: an error that crossed a process or a workflow sandbox is no longer an instance.
 * `pointer` is exact and therefore untrusted text; `message` shows it escaped and cut, and fits on one line.
 */
export class InputError extends Error {
  readonly code = 'malformed_input' as const;
  /** JSON pointer of the fault in the input; "" is the whole input. */
  readonly pointer: string;
  /** What would have been accepted, for the person who reads the message. */
  readonly hint: string;

  /** `reason` is a predicate: its subject is the pointer, or `input` where the fault is not in one place. */
  constructor(reason: string, path: Path, hint: string, input = 'the input') {
    const pointer = jsonPointer(path);
    super(`${pointer === '' ? input : printable(pointer)} ${reason}`);
    this.name = 'InputError';
    this.pointer = pointer;
    this.hint = hint;
  }
}
