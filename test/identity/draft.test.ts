// Cases without a body: what is accepted of them, and the identity of the request for their text.
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { UndraftedCase } from '../../src/core/case.ts';
import {
  draftDigest,
  draftRequestId,
  evidenceId,
  frame,
  identify,
  parseCase,
  parseGivenCase,
} from '../../src/identity/index.ts';
import { effectivePolicyId } from '../../src/identity/policy.ts';
import { accepted, refusedCases } from './case-samples.ts';
import { fullCase, refusal } from './support.ts';

/** T-1042 with every field but those that belong to a body. */
function undrafted(change: object = {}): UndraftedCase & Record<string, unknown> {
  const { body: _body, checks: _checks, ...rest } = fullCase();
  return { ...rest, ...change };
}

describe('a case that may have no body', () => {
  test.each(accepted)('with a body is the case it always was: $name', ({ input }) => {
    expect(parseGivenCase(input())).toEqual(parseCase(input()));
  });

  test.each(refusedCases)('is refused where it always was: $name', ({ input, pointer }) => {
    const { pointer: found } = refusal(() => parseGivenCase(input()));
    // Without a body the first fault of two may be the other one.
    expect([pointer, '/checks']).toContain(found);
  });

  test('without one keeps everything else, and is read again as it is', () => {
    const read = parseGivenCase(undrafted({ policy: { 'a\r\nb': 'c\r' }, expiresAt: '2026-12-24T13:00:00+01:00' }));
    expect(read).toEqual(undrafted({ policy: { 'a\nb': 'c\n' }, expiresAt: '2026-12-24T12:00:00.000Z' }));
    expect(parseGivenCase(read)).toEqual(read);
  });

  test.each([
    ['checks', { checks: [{ name: 'clauses', result: 'passed' }] }, '/checks'],
    ['an empty list of checks', { checks: [] }, '/checks'],
    ['undefined as body', { body: undefined }, '/body'],
    ['null as body', { body: null }, '/body'],
    ['an unknown key', { text: 'x' }, '/text'],
    ['no evidence', { evidence: undefined }, '/evidence'],
    [
      'evidence over 256 KiB',
      { evidence: [{ sourceId: 'A', version: 1, quotation: 'x'.repeat(262_144) }] },
      '/evidence',
    ],
    ['a reserved policy key', { policy: { 'countersign.x': 1 } }, '/policy/countersign.x'],
    ['a date that is none', { expiresAt: 'tomorrow' }, '/expiresAt'],
  ])('without one is refused with %s', (_what, change, pointer) => {
    const fault = refusal(() => parseGivenCase(undrafted(change)));
    expect(fault.pointer).toBe(pointer);
    expect(fault.hint).not.toBe('');
  });
});

describe('the identity of a request for a draft', () => {
  test('is the digest of the protocol, case, action, evidence, policy and event, framed as an operation is', () => {
    const request = undrafted();
    const fields = [
      'countersign.draft.v1',
      request.caseId,
      request.action,
      evidenceId(request.evidence),
      effectivePolicyId(request),
    ];
    const expected = (event: string): string =>
      `draft-v1-${createHash('sha256')
        .update(frame([...fields, event]))
        .digest('hex')}`;
    expect(draftRequestId(request)).toBe(expected('evt-1'));
    const { eventId: _, ...withoutEvent } = request;
    expect(draftRequestId(withoutEvent)).toBe(expected(''));
  });

  test('is another one for every other case, action, source, policy, object, deadline and event', () => {
    const changes = [
      {},
      { caseId: 'T-2' },
      { action: 'refund' },
      { evidence: [] },
      { policy: {} },
      { object: { id: 'ticket-1042', version: 4, scope: 'blue' } },
      { expiresAt: '2026-12-24T12:00:00.001Z' },
      { eventId: 'evt-2' },
    ];
    const ids = changes.map((change) => draftRequestId(undrafted(change)));
    expect(new Set(ids).size).toBe(changes.length);
  });

  test('does not depend on who proposes, on the workflow version, or on spelling', () => {
    const id = draftRequestId(undrafted());
    expect(draftRequestId(undrafted({ proposedBy: 'somebody else', workflowVersion: 2 }))).toBe(id);
    expect(draftRequestId(undrafted({ expiresAt: '2026-12-24T13:00:00+01:00' }))).toBe(id);
    expect(draftRequestId(undrafted({ eventId: 'a\r\nb' }))).toBe(draftRequestId(undrafted({ eventId: 'a\nb' })));
  });

  test('is no identity of an operation, whatever the text becomes', () => {
    const { operationId } = identify({ ...undrafted(), body: '' });
    expect(draftRequestId(undrafted())).not.toContain(operationId.slice('op-v1-'.length));
  });
});

test('the digest of a draft is that of its UTF-8 bytes, a leading U+FEFF among them', () => {
  const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
  expect(draftDigest('\ufeffé\n')).toBe(sha256(Buffer.from([0xef, 0xbb, 0xbf, 0xc3, 0xa9, 0x0a])));
});
