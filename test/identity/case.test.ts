// Cases and revisions as they arrive: a table of faults, each with the pointer of the fault.
import { describe, expect, test } from 'vitest';
import { identify, parseCase, parseRevision } from '../../src/identity/index.ts';
import { accepted, refusedCases } from './case-samples.ts';
import { fullCase, refusal, vectors } from './support.ts';

const KiB = 1024;
const parsed = (change: object): ReturnType<typeof parseCase> => parseCase({ ...fullCase(), ...change });

describe('parseCase accepts', () => {
  test.each(accepted)('$name', ({ input }) => {
    const once = parseCase(input());
    expect(parseCase(once)).toEqual(once);
    expect(parseCase(JSON.parse(JSON.stringify(once)))).toEqual(once);
    expect(identify(once)).toEqual(identify(input() as never));
  });

  test('a case with nothing changed but spelling', () => {
    const body = '\ufeff one \r\n two\rthree ';
    const policy = { 'a\r\nb': 'c\r', n: -0 };
    const evidence = [{ sourceId: 'S', version: -0, quotation: '\r' }];
    const read = parsed({ body, policy, evidence, expiresAt: '2026-12-24T13:00:00.0009+01:00' });
    expect(read).toEqual({
      ...fullCase(),
      body: '\ufeff one \n two\nthree ',
      policy: { 'a\nb': 'c\n', n: 0 },
      evidence: [{ sourceId: 'S', version: 0, quotation: '\n' }],
      expiresAt: '2026-12-24T12:00:00.000Z',
    });
  });

  test('a case without optional fields, and fills none in', () => {
    const minimal = vectors.operations[0]!.case;
    expect(parseCase(minimal)).toEqual(minimal);
    expect(parsed({ object: { id: 'o' } }).object).toEqual({ id: 'o' });
  });

  test('bytes of the body are counted in UTF-8 with LF', () => {
    expect(parsed({ body: 'é'.repeat(64 * KiB) }).body).toHaveLength(64 * KiB);
    expect(parsed({ body: '\r\n'.repeat(128 * KiB) }).body).toHaveLength(128 * KiB);
    expect(refusal(() => parsed({ body: 'é'.repeat(64 * KiB) + 'x' })).pointer).toBe('/body');
  });

  test('a copy: later changes of the input do not reach it', () => {
    const input = fullCase();
    const read = parseCase(input);
    (input.evidence as unknown[]).length = 0;
    (input.policy as Record<string, unknown>)['label'] = 'changed';
    expect(read).toEqual(fullCase());
  });
});

describe('parseCase refuses', () => {
  test.each(refusedCases)('$name, at "$pointer"', ({ input, pointer }) => {
    const error = refusal(() => parseCase(input()));
    expect(error.pointer).toBe(pointer);
    expect(error.code).toBe('malformed_input');
    expect(error.hint).not.toBe('');
    expect(error.message).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });

  test('an accessor without running it', () => {
    let runs = 0;
    const input = Object.defineProperty(fullCase(), 'body', { enumerable: true, get: () => String(runs++) });
    expect(refusal(() => parseCase(input)).pointer).toBe('/body');
    expect(runs).toBe(0);
  });

  test('a proxy that throws, and one that was revoked', () => {
    const hostile = new Proxy(
      {},
      {
        ownKeys: () => {
          throw new TypeError('no');
        },
      },
    );
    expect(refusal(() => parseCase(hostile)).message).toBe('the input cannot be read');
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    expect(refusal(() => parseCase(proxy)).pointer).toBe('');
  });

  test('a case that is small as text and larger than 1 MiB as JSON', () => {
    const evidence = [{ sourceId: 'S', version: 1, quotation: '\u0001'.repeat(255 * KiB) }];
    const error = refusal(() => parsed({ evidence }));
    expect(error).toMatchObject({ pointer: '', message: 'the input is larger than 1 MiB as JSON' });
  });

  test('with a message a person can read', () => {
    expect(refusal(() => parsed({ body: 7 })).message).toBe('/body must be a string, not 7');
    expect(refusal(() => parsed({ evidence: {} })).message).toBe('/evidence must be an array, not an object');
    expect(refusal(() => parsed({ workflowVersion: '1' })).message).toBe(
      '/workflowVersion must be a safe integer, not a string',
    );
    expect(refusal(() => parsed({ object: null })).message).toBe('/object must be an object, not null');
    expect(refusal(() => parsed({ '\u001b[31m\u202e': 1 })).message).toBe('/\\u{1b}[31m\\u{202e} is an unknown key');
    expect(refusal(() => parsed({ ['k'.repeat(500)]: 1 })).message).toBe(`/${'k'.repeat(119)}… is an unknown key`);
    expect(refusal(() => parsed({ caseId: 'x'.repeat(201) })).hint).toContain('1 to 200 characters');
    expect(refusal(() => parsed({ policy: { irreversible: 1 } })).hint).toContain('true or false');
    expect(refusal(() => parsed({ evidence: [{}] })).hint).toContain('Names the source');
    expect(refusal(() => parsed({ checks: [1] })).hint).toContain('name, result');
    expect(refusal(() => parsed({ object: { id: 'o', x: 1 } })).hint).toContain('What the operation acts on');
    expect(refusal(() => parsed({ policy: 1 })).hint).toMatch(/^At most 100 entries/);
    expect(refusal(() => parsed({ evidence: 1 })).hint).toMatch(/^The sources it rests on/);
    expect(refusal(() => parseCase(1)).hint).toMatch(/^A case: caseId/);
    expect(refusal(() => parseRevision(1)).hint).toMatch(/^A revision: expectedOperationId/);
    expect(refusal(() => parsed({ toString: 1 })).hint).toContain('caseId, action, body');
  });
});

describe('parseRevision', () => {
  const expectedOperationId = 'op-v1-' + '0'.repeat(64);
  const base = { expectedOperationId, revisedBy: 'editor' };

  test('takes any of body, evidence and policy, by the rules of a case', () => {
    const { body, evidence, policy } = fullCase();
    expect(parseRevision({ ...base, body: 'a\r\n' })).toEqual({ ...base, body: 'a\n' });
    expect(parseRevision({ ...base, body, evidence, policy })).toEqual({ ...base, body, evidence, policy });
    expect(parseRevision({ ...base, evidence: [] })).toEqual({ ...base, evidence: [] });
  });

  const refused: readonly [name: string, value: unknown, pointer: string][] = [
    ['nothing', undefined, ''],
    ['no change', base, ''],
    ['a short identity', { ...base, body: 'x', expectedOperationId: 'op-v1-00' }, '/expectedOperationId'],
    ['no reviser', { expectedOperationId, body: 'x' }, '/revisedBy'],
    ['an empty reviser', { ...base, revisedBy: '', body: 'x' }, '/revisedBy'],
    ['a case field', { ...base, body: 'x', caseId: 'T-1' }, '/caseId'],
    ['a large body', { ...base, body: 'x'.repeat(128 * KiB + 1) }, '/body'],
    [
      'evidence twice',
      { ...base, evidence: [0, 0].map(() => ({ sourceId: 'A', version: 1, quotation: 'q' })) },
      '/evidence/1',
    ],
    ['a reserved key', { ...base, policy: { 'countersign.x': 1 } }, '/policy/countersign.x'],
    ['null as policy', { ...base, policy: null }, '/policy'],
    ['undefined as body', { ...base, body: undefined }, '/body'],
  ];

  test.each(refused)('refuses %s', (_name, value, pointer) => {
    const error = refusal(() => parseRevision(value));
    expect(error.pointer).toBe(pointer);
    expect(error.hint).not.toBe('');
  });
});
