// The second implementation (Python) over the vectors and over generated cases, refusals included.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CaseInput } from '../../src/core/case.ts';
import { evidenceId, identify, InputError, policyId } from '../../src/identity/index.ts';
import { python, pythonMinor, REFERENCE, referenceBatch } from './reference-process.ts';
import { anyCase, goodCase, seed, vectors } from './support.ts';

const GENERATED = 600;

if (pythonMinor === undefined) {
  console.warn('SKIPPED: no python3 here, so the second implementation of the identity was not run.');
} else {
  console.log(`second implementation: seed ${seed} (FC_SEED=${seed} repeats this run)`);
}

/** Python before 3.11 reads three or six fraction digits only, so such deadlines are left to newer ones. */
function readableByPython({ expiresAt }: CaseInput): boolean {
  if (pythonMinor! >= 11 || typeof expiresAt !== 'string') return true;
  return [undefined, 4, 7].includes(/\.\d+/.exec(expiresAt)?.[0].length);
}

/** This implementation's answer in the form of the other's; anything but an InputError is a failure of the test. */
function ours(input: CaseInput): Record<string, string> | undefined {
  try {
    const { payload, ...ids } = identify(input);
    return { ...ids, canonicalBytes: Buffer.from(payload).toString('hex') };
  } catch (error) {
    if (error instanceof InputError) return undefined;
    throw error;
  }
}

describe.skipIf(pythonMinor === undefined)('the second implementation', () => {
  test('still makes the vectors', () => {
    expect(JSON.parse(python(REFERENCE, ['--vectors'], ''))).toEqual(vectors);
  });

  test('agrees on every vector', () => {
    const items = [
      ...vectors.operations.map((vector) => ({ case: vector.case })),
      ...vectors.evidence.map((vector) => ({ evidence: vector.sources })),
      ...vectors.policy.map((vector) => ({ policy: vector.policy })),
    ];
    const expected = [
      ...vectors.operations.map((vector) => ours(vector.case)),
      ...vectors.evidence.map((vector) => ({ evidenceId: evidenceId(vector.sources) })),
      ...vectors.policy.map((vector) => ({ policyId: policyId(vector.policy) })),
    ];
    expect(referenceBatch(items).map((answer) => answer.ok)).toEqual(expected);
  });

  test(`agrees on ${GENERATED} generated cases, byte for byte, and on what is refused`, () => {
    const half = { seed, numRuns: GENERATED / 2 };
    const generated = [...fc.sample(anyCase, half), ...fc.sample(goodCase, half)];
    // As JSON, because that is how both get their cases: -0 becomes 0 on the way, 1e21 stays a number.
    const cases = (JSON.parse(JSON.stringify(generated)) as CaseInput[]).filter(readableByPython);
    const answers = referenceBatch(cases.map((input) => ({ case: input })));
    let refused = 0;
    cases.forEach((input, index) => {
      const answer = answers[index]!;
      expect(ours(input), `seed ${seed}: ${JSON.stringify(input)} ${answer.refused ?? ''}`).toEqual(answer.ok);
      if (answer.refused !== undefined) refused++;
    });
    expect(refused).toBeGreaterThan(20);
    expect(refused).toBeLessThan(GENERATED / 2);
  });

  test('refuses the same texts, alone in every position', () => {
    const base = vectors.operations[0]!.case;
    const bad = vectors.refused.map(({ codeUnits }) => String.fromCharCode(...codeUnits.map((u) => parseInt(u, 16))));
    const cases = bad.flatMap((text): CaseInput[] => [
      { ...base, caseId: text },
      { ...base, action: text },
      { ...base, body: text },
      { ...base, policy: { [text]: 1 } },
      { ...base, policy: { a: text } },
      { ...base, object: { id: text } },
      { ...base, object: { id: 'o', scope: text } },
      { ...base, evidence: [{ sourceId: text, version: 1, quotation: 'q' }] },
      { ...base, evidence: [{ sourceId: 'A', version: text, quotation: 'q' }] },
      { ...base, evidence: [{ sourceId: 'A', version: 1, quotation: text }] },
    ]);
    for (const answer of referenceBatch(cases.map((input) => ({ case: input })))) expect(answer.ok).toBeUndefined();
    for (const input of cases) expect(ours(input)).toBeUndefined();
  });
});
