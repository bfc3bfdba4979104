// What the identity tests share: the vectors, a full case, and generators of cases.
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import type { CaseInput } from '../../src/core/case.ts';
import { InputError } from '../../src/identity/index.ts';

interface Vectors {
  readonly framing: readonly { name: string; fields: string[]; bytes: string }[];
  readonly operations: readonly {
    name: string;
    case: CaseInput;
    evidenceId: string;
    policyId: string;
    operationId: string;
    canonicalBytes: string;
  }[];
  readonly evidence: readonly { name: string; sources: CaseInput['evidence']; evidenceId: string }[];
  readonly policy: readonly { name: string; policy: CaseInput['policy']; policyId: string }[];
  readonly refused: readonly { name: string; codeUnits: string[] }[];
}

export const vectors = JSON.parse(
  readFileSync(new URL('../vectors/identity.json', import.meta.url), 'utf8'),
) as Vectors;

/** T-1042 with every optional field; each call gives a fresh, mutable object. */
export function fullCase(): Record<string, unknown> & CaseInput {
  return {
    ...structuredClone<CaseInput>(vectors.operations[0]!.case),
    object: { id: 'ticket-1042', version: 3, scope: 'blue' },
    checks: [{ name: 'licensed-clauses', result: 'passed' }],
    eventId: 'evt-1',
    proposedBy: 'drafter',
    expiresAt: '2026-12-24T12:00:00.000Z',
    workflowVersion: 1,
  };
}

/** The InputError that `act` throws; anything else, and nothing, is a failure. */
export function refusal(act: () => unknown): InputError {
  try {
    act();
  } catch (error) {
    if (error instanceof InputError) return error;
    throw error;
  }
  throw new Error('accepted');
}

/** FC_SEED=… repeats a run. A failed property prints its seed itself; a test that samples has to print this one. */
export const seed = Number(process.env['FC_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
fc.configureGlobal({ seed });

// prettier-ignore
const PIECES = [
  'a', 'B', '2', ' ', '|', '\r\n', '\r', '\n', '\r\r\n', '\u0001', '\u001b', '\u0085', '\u2028', '\u2029', '\u202e', '\u200d',
  '\u00e9', 'e\u0301', '\ufeff', '\ufb01', '\ue000', '\uffff', '\ud7ff', '\u{10000}', '\u{1f512}', '\u{10ffff}', 'Proszę',
];

/** Well-formed text full of what encodings get wrong. */
export const text = fc.array(fc.constantFrom(...PIECES), { maxLength: 6 }).map((pieces) => pieces.join(''));
const illFormed = fc.constantFrom('\ud800', 'x\udc00', '\udc00\ud800', 'A\0', '\0');
/** Mostly well-formed; sometimes refused. */
const anyText = fc.oneof({ weight: 60, arbitrary: text }, { weight: 1, arbitrary: illFormed });

const edges = [0, -0, 1, 2, -1, 2 ** 31, 2 ** 32, 2 ** 53 - 1, -(2 ** 53 - 1), 2 ** 53, -(2 ** 53), 1e21, 0.5, -1.5];
const safeInteger = fc.oneof(fc.maxSafeInteger(), fc.constantFrom(...edges.filter(Number.isSafeInteger)));
const anyNumber = fc.oneof({ weight: 12, arbitrary: safeInteger }, { weight: 1, arbitrary: fc.constantFrom(...edges) });
const anyVersion = fc.oneof(
  { weight: 8, arbitrary: safeInteger },
  { weight: 8, arbitrary: fc.constantFrom<string | number>('2', 2, '02', ' 2', '-0', 'v2\r\n') },
  { weight: 8, arbitrary: anyText.filter((version) => version !== '') },
  { weight: 1, arbitrary: fc.constantFrom<unknown>('', null, true, 0.5, 2 ** 53, []) },
);
const anyPolicyValue = fc.oneof(
  { weight: 20, arbitrary: fc.oneof(anyText, anyNumber, fc.boolean()) },
  { weight: 1, arbitrary: fc.constantFrom<unknown>(null, [], {}, ['a']) },
);
const anyKey = fc.oneof(
  { weight: 20, arbitrary: anyText },
  { weight: 4, arbitrary: fc.constantFrom('a\r', 'a\n', 'a\r\n', 'toString', '__proto__', 'decisionTtlSeconds') },
  { weight: 1, arbitrary: fc.constantFrom('countersign.', 'countersign.expiresAt', 'Countersign.x') },
);
/** Built by fromEntries, so that an own `__proto__` key survives, as it does in JSON.parse. */
const anyPolicy = fc
  .uniqueArray(fc.tuple(anyKey, anyPolicyValue), { selector: ([key]) => key, maxLength: 5 })
  .map((entries) => Object.fromEntries(entries));
const pad = (value: number, length = 2): string => String(value).padStart(length, '0');
const fraction = fc
  .tuple(fc.constantFrom(1, 2, 3, 4, 6, 7, 9), fc.nat(10 ** 9 - 1))
  .map(([length, digits]) => '.' + pad(digits, 9).slice(0, length));
export const instant = fc
  .tuple(
    fc.integer({ min: 1971, max: 9998 }),
    fc.integer({ min: 1, max: 12 }),
    fc.integer({ min: 1, max: 31 }),
    fc.nat(23),
    fc.nat(59),
    fc.nat(59),
    fc.oneof(fc.constant(''), fraction),
    fc.oneof(
      fc.constant('Z'),
      fc.constant('-00:00'),
      fc
        .tuple(fc.constantFrom('+', '-'), fc.nat(23), fc.nat(59))
        .map(([sign, hours, minutes]) => `${sign}${pad(hours)}:${pad(minutes)}`),
    ),
  )
  .map(
    ([year, month, day, hour, minute, second, rest, offset]) =>
      `${pad(year, 4)}-${pad(month)}-${pad(day)}T${pad(hour)}:${pad(minute)}:${pad(second)}${rest}${offset}`,
  );
const anyExpiry = fc.oneof(
  { weight: 12, arbitrary: instant },
  {
    weight: 1,
    arbitrary: fc.constantFrom<unknown>('2026-12-24T12:00:00', '2026-12-24T12:00:60Z', 'soon', '', null, 5),
  },
);
const anySource = fc.record({ sourceId: anyText, version: anyVersion, quotation: anyText });

/** Any case that JSON can hold: most have an identity, some do not. The second implementation must say the same. */
export const anyCase = fc.record(
  {
    caseId: anyText,
    action: anyText,
    body: anyText,
    evidence: fc.array(anySource, { maxLength: 4 }),
    policy: anyPolicy,
    object: fc.record({ id: anyText, version: safeInteger, scope: anyText }, { requiredKeys: ['id'] }),
    expiresAt: anyExpiry,
  },
  { requiredKeys: ['caseId', 'action', 'body', 'evidence', 'policy'] },
);

const uniqueSources = fc.uniqueArray(
  fc.record({
    sourceId: text,
    version: fc.oneof(
      safeInteger,
      text.map((version) => version + 'v'),
    ),
    quotation: text,
  }),
  { maxLength: 5, selector: (source) => JSON.stringify(Object.values(source).map(canonical)) },
);
const uniquePolicy = fc
  .uniqueArray(fc.tuple(text, fc.oneof(text, safeInteger, fc.boolean())), {
    selector: ([key]) => canonical(key),
    maxLength: 5,
  })
  .map((entries): CaseInput['policy'] => Object.fromEntries(entries));

/** Cases that all have an identity. */
export const goodCase: fc.Arbitrary<CaseInput> = fc.record({
  caseId: text,
  action: text,
  body: text,
  evidence: uniqueSources,
  policy: uniquePolicy,
  object: fc.record({ id: text, version: safeInteger, scope: text }),
  expiresAt: instant.filter((value) => !Number.isNaN(Date.parse(value)) && !/-(02-(29|30)|..-31)T/.test(value)),
});

/** An independent, slower spelling of the line-end rule. */
export function canonical(value: string | number): string {
  return String(value).split('\r\n').join('\n').split('\r').join('\n');
}
