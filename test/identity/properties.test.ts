// Properties of the identity that no list of examples can show.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CaseInput } from '../../src/core/case.ts';
import { compareUtf8 } from '../../src/identity/canonical.ts';
import { evidenceId, frame, identify, normaliseText, parsePayload, policyId } from '../../src/identity/index.ts';
import { anyCase, canonical, goodCase, refusal, text } from './support.ts';

const id = (input: CaseInput): string => identify(input).operationId;

describe('text and frames', () => {
  test('normalisation is the line-end rule, and doing it twice changes nothing', () => {
    fc.assert(
      fc.property(text, (value) => {
        expect(normaliseText(value)).toBe(canonical(value));
        expect(normaliseText(normaliseText(value))).toBe(normaliseText(value));
      }),
    );
  });

  test('two lists of fields have the same bytes only when their normalised fields are the same', () => {
    const fields = fc.array(text, { maxLength: 4 });
    // The second list is often a cut of the first one at another place: the border is what a frame protects.
    const recut = fields.chain((list) =>
      fc.tuple(
        fc.constant(list),
        fc.oneof(
          fields,
          fc.nat(12).map((at) => cut(list.join(''), at)),
        ),
      ),
    );
    fc.assert(
      fc.property(recut, ([left, right]) => {
        const same = JSON.stringify(left.map(canonical)) === JSON.stringify(right.map(canonical));
        expect(Buffer.compare(frame(left), frame(right)) === 0).toBe(same);
      }),
    );
  });

  test('the comparator is the order of the UTF-8 bytes', () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(Math.sign(compareUtf8(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
      }),
    );
    const units = fc.string({ unit: 'binary', maxLength: 4 });
    fc.assert(
      fc.property(units, units, (a, b) => {
        expect(Math.sign(compareUtf8(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
      }),
    );
  });

  test('a frame has memory of its own', () => {
    expect(frame(['a']).buffer.byteLength).toBe(5);
    const { payload } = identify(fc.sample(goodCase, 1)[0]!);
    expect(payload.buffer.byteLength).toBe(payload.byteLength);
  });
});

describe('identity', () => {
  test('the order of evidence and of policy keys is irrelevant', () => {
    fc.assert(
      fc.property(goodCase, fc.nat(), (input, turn) => {
        const evidence = rotate(input.evidence, turn);
        const policy = Object.fromEntries(rotate(Object.entries(input.policy), turn));
        expect(id({ ...input, evidence, policy })).toBe(id(input));
        expect(evidenceId([...input.evidence].reverse())).toBe(evidenceId(input.evidence));
        expect(policyId(policy)).toBe(policyId(input.policy));
      }),
    );
  });

  test('line ends are irrelevant in every text', () => {
    fc.assert(
      fc.property(goodCase, (input) => {
        const saved = JSON.parse(
          JSON.stringify(input).replaceAll('\\r\\n', '\\n').replaceAll('\\r', '\\n'),
        ) as CaseInput;
        expect(id({ ...saved, policy: input.policy })).toBe(id(input));
      }),
    );
  });

  test('2 and "2" are the same version, -0 is 0, and a default spelled out is the default', () => {
    fc.assert(
      fc.property(goodCase, fc.maxSafeInteger(), (input, version) => {
        const source = { sourceId: 'S', quotation: 'q' };
        const as = (value: number | string): string => id({ ...input, evidence: [{ ...source, version: value }] });
        expect(as(version)).toBe(as(String(version)));
        expect(as(-0)).toBe(as('0'));
        expect(policyId({ a: -0 })).toBe(policyId({ a: 0 }));
        const object = { id: 'o' };
        expect(id({ ...input, object })).toBe(id({ ...input, object: { ...object, version: 1, scope: 'default' } }));
      }),
    );
  });

  test('a change of any field that belongs to it changes it', () => {
    const added = (input: CaseInput): CaseInput[] => [
      { ...input, caseId: input.caseId + 'x' },
      { ...input, action: input.action + 'x' },
      { ...input, body: input.body + ' ' },
      { ...input, evidence: [...input.evidence, { sourceId: 'new source', version: 1, quotation: '' }] },
      { ...input, policy: { ...input.policy, 'a new key': false } },
      { ...input, object: { ...input.object!, id: input.object!.id + 'x' } },
      { ...input, object: { ...input.object!, version: input.object!.version! > 0 ? 0 : 1 } },
      { ...input, object: { ...input.object!, scope: (input.object!.scope ?? 'default') + 'x' } },
      { ...input, expiresAt: '2027-01-01T00:00:00.001Z' },
      { ...input, caseId: input.action + 'y', action: input.caseId },
      { ...input, policy: { ...input.policy, 'a new key': 'false' } },
    ];
    fc.assert(
      fc.property(goodCase, (given) => {
        const input = { ...given, object: { version: 5, ...given.object! } };
        const all = [input, ...added(input)].map(id);
        expect(new Set(all).size).toBe(all.length);
      }),
    );
  });

  test('what does not belong to it does not change it', () => {
    fc.assert(
      fc.property(goodCase, (input) => {
        const more = { checks: [{ name: 'n', result: 'r' }], eventId: 'e', proposedBy: 'p', workflowVersion: 2 };
        expect(id({ ...input, ...more })).toBe(id(input));
      }),
    );
  });

  test('the payload holds the canonical texts and gives the identity again', () => {
    fc.assert(
      fc.property(goodCase, (input) => {
        const { payload, ...ids } = identify(input);
        expect(parsePayload(payload)).toEqual({
          protocol: 'decisionflow.operation.v1',
          caseId: canonical(input.caseId),
          action: canonical(input.action),
          body: canonical(input.body),
          evidenceId: ids.evidenceId,
          policyId: ids.policyId,
        });
      }),
    );
  });

  test('a case it refuses is refused with a pointer into the case', () => {
    fc.assert(
      fc.property(anyCase, (input) => {
        try {
          identify(input as CaseInput);
        } catch {
          expect(refusal(() => identify(input as CaseInput)).pointer).toMatch(
            /^\/(caseId|action|body|evidence\/\d+(\/(sourceId|version|quotation))?|policy\/[^]*|object\/(id|scope)|expiresAt)$/,
          );
        }
      }),
    );
  });
});

function cut(whole: string, at: number): string[] {
  const characters = Array.from(whole);
  return [characters.slice(0, at).join(''), characters.slice(at).join('')];
}

function rotate<T>(list: readonly T[], turn: number): T[] {
  const at = list.length === 0 ? 0 : turn % list.length;
  return [...list.slice(at), ...list.slice(0, at)].reverse();
}
