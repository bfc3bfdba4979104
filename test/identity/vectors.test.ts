// The shared vectors: what any implementation of decisionflow.operation.v1 must give.
import { describe, expect, test } from 'vitest';
import type { CaseInput } from '../../src/core/case.ts';
import { evidenceId, frame, identify, normaliseText, parseCase, policyId } from '../../src/identity/index.ts';
import { fullCase, refusal, vectors } from './support.ts';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

describe('framing', () => {
  test.each(vectors.framing)('$name', ({ fields, bytes }) => {
    expect(hex(frame(fields))).toBe(bytes);
  });
});

describe('operations', () => {
  test.each(vectors.operations)('$name', (vector) => {
    const identity = identify(vector.case);
    expect({ ...identity, payload: hex(identity.payload) }).toEqual({
      evidenceId: vector.evidenceId,
      policyId: vector.policyId,
      operationId: vector.operationId,
      payload: vector.canonicalBytes,
    });
  });

  test.each(vectors.operations)('$name: the parsed case has the same identity', (vector) => {
    expect(identify(parseCase(vector.case)).operationId).toBe(vector.operationId);
  });
});

describe('evidence', () => {
  test.each(vectors.evidence)('$name', (vector) => {
    expect(evidenceId(vector.sources)).toBe(vector.evidenceId);
  });
});

describe('policy', () => {
  test.each(vectors.policy)('$name', (vector) => {
    expect(policyId(vector.policy)).toBe(vector.policyId);
  });
});

/** Every place where text enters an identity, with the pointer of a fault there. */
const positions: readonly [pointer: string, put: (bad: string) => Partial<CaseInput>][] = [
  ['/caseId', (bad) => ({ caseId: bad })],
  ['/action', (bad) => ({ action: bad })],
  ['/body', (bad) => ({ body: `before ${bad} after` })],
  ['/evidence/1/sourceId', (bad) => ({ evidence: [source('A', 1, 'q'), source(bad, 1, 'q')] })],
  ['/evidence/0/version', (bad) => ({ evidence: [source('A', bad, 'q')] })],
  ['/evidence/0/quotation', (bad) => ({ evidence: [source('A', 1, bad)] })],
  ['/policy/key', (bad) => ({ policy: { key: bad } })],
  ['/policy/*', (bad) => ({ policy: { [bad]: 1 } })],
  ['/object/id', (bad) => ({ object: { id: bad } })],
  ['/object/scope', (bad) => ({ object: { id: 'o', scope: bad } })],
];
const source = (sourceId: string, version: string | number, quotation: string) => ({ sourceId, version, quotation });

describe.each(vectors.refused)('refused: $name', ({ codeUnits }) => {
  const bad = String.fromCharCode(...codeUnits.map((unit) => parseInt(unit, 16)));

  test('as a text and as a field', () => {
    expect(refusal(() => normaliseText(bad)).pointer).toBe('');
    expect(refusal(() => frame(['ok', bad])).pointer).toBe('/1');
  });

  test.each(positions)('at %s, by identify and by parseCase', (pointer, put) => {
    const input = { ...fullCase(), ...put(bad) };
    const expected = pointer.replace('*', () => bad);
    expect(refusal(() => identify(input)).pointer).toBe(expected);
    expect(refusal(() => parseCase(input)).pointer).toBe(expected);
  });
});
