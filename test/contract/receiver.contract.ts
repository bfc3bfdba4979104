// The contract of every receiver, as one suite. What is expected follows from what the receiver declares, so the
// suite also shows whether a declaration is true.
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { EffectRequest, Receiver } from '../../src/ports/receiver.ts';

export interface ReceiverHarness {
  readonly receiver: Receiver;
  /** The ledger it belongs to. */
  readonly ledgerId: string;
  /** The same destination, opened again; absent where it does not outlive the process. */
  readonly reopen?: () => Receiver;
  /** Waits until look-ups show what happened; for eventual ones. */
  readonly settle?: () => void;
}
export type MakeReceiver = () => ReceiverHarness;

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const idOf = (letter: string): string => `op-v1-${letter.repeat(64)}`;

function requestFrom(ledgerId: string, over: Partial<EffectRequest> = {}): EffectRequest {
  return {
    operationId: idOf('a'),
    payload: bytes('the frame'),
    attempt: 1,
    ledgerId,
    ledgerSequence: 5,
    ledgerHash: 'f'.repeat(64),
    ...over,
  };
}

/** `binding`: whether it refuses requests of another ledger. `declares`: what it must say of itself. */
export function receiverContract(
  name: string,
  make: MakeReceiver,
  declares: { readonly deduplicates: boolean; readonly lookup: string; readonly binding: boolean },
): void {
  const { deduplicates, lookup, binding } = declares;
  const found = async ({ receiver, settle }: ReceiverHarness, operationId: string): Promise<string | null> => {
    settle?.();
    return (await receiver.lookup(operationId)).payloadSha256;
  };

  describe(`${name} receiver`, () => {
    test('declares itself, the same every time', async () => {
      const { receiver } = make();
      const first = await receiver.describe();
      expect(first.declaration).toMatchObject({ deduplicates, lookup });
      expect(first.declaration.receiverId).not.toBe('');
      expect(await receiver.describe()).toEqual(first);
    });

    test('records an effect and says that it created it', async () => {
      const harness = make();
      const { declaration } = await harness.receiver.describe();
      const receipt = await harness.receiver.commit(requestFrom(harness.ledgerId));
      expect(receipt).toMatchObject({ answer: 'created', receiverId: declaration.receiverId });
      if (lookup !== 'none') expect(await found(harness, idOf('a'))).toBe(sha256(bytes('the frame')));
    });

    test('counts what it recorded, and never back', async () => {
      const { receiver, ledgerId } = make();
      const before = (await receiver.describe()).sequence;
      const first = await receiver.commit(requestFrom(ledgerId));
      const second = await receiver.commit(requestFrom(ledgerId, { operationId: idOf('b') }));
      const after = await receiver.describe();
      if (before === null) {
        expect([first.sequence, second.sequence, after.sequence]).toEqual([null, null, null]);
        return;
      }
      expect(first.sequence).toBe(before + 1);
      expect(second.sequence).toBe(before + 2);
      expect(after.sequence).toBe(before + 2);
    });

    test(`the same identity and payload again is ${deduplicates ? 'the effect that exists' : 'another effect'}`, async () => {
      const { receiver, ledgerId } = make();
      const { sequence } = await receiver.commit(requestFrom(ledgerId));
      const again = await receiver.commit(requestFrom(ledgerId, { attempt: 2 }));
      expect(again.answer).toBe(deduplicates ? 'exists' : 'created');
      if (deduplicates) expect(again.sequence).toBe(sequence);
    });

    if (deduplicates) {
      test.each(['the frame ', 'the fram', '', 'The frame'])(
        'another payload (%j) under the same identity is a conflict and changes nothing',
        async (text) => {
          const harness = make();
          const { receiver, ledgerId } = harness;
          const { sequence } = await receiver.commit(requestFrom(ledgerId));
          const other = await receiver.commit(requestFrom(ledgerId, { attempt: 2, payload: bytes(text) }));
          expect(other).toMatchObject({ answer: 'conflict', sequence });
          expect((await receiver.commit(requestFrom(ledgerId, { attempt: 3 }))).answer).toBe('exists');
          if (lookup !== 'none') expect(await found(harness, idOf('a'))).toBe(sha256(bytes('the frame')));
        },
      );

      test('of several requests at once exactly one creates the effect', async () => {
        const { receiver, ledgerId } = make();
        const attempts = [1, 2, 3, 4, 5].map((attempt) => receiver.commit(requestFrom(ledgerId, { attempt })));
        const answers = (await Promise.all(attempts)).map(({ answer }) => answer);
        expect(answers.sort()).toEqual(['created', 'exists', 'exists', 'exists', 'exists']);
      });
    }

    test('keeps any bytes as they are', async () => {
      const harness = make();
      const payload = Uint8Array.from({ length: 512 }, (_, index) => index % 256);
      await harness.receiver.commit(requestFrom(harness.ledgerId, { payload }));
      if (lookup !== 'none') expect(await found(harness, idOf('a'))).toBe(sha256(payload));
      for await (const effect of harness.receiver.effects?.() ?? []) {
        expect(effect.recomputedSha256).toBe(sha256(payload));
      }
    });

    if (lookup !== 'none') {
      test('a look at what was never recorded finds nothing, and changes nothing', async () => {
        const harness = make();
        const before = await harness.receiver.describe();
        expect(await found(harness, idOf('a'))).toBeNull();
        expect(await found(harness, idOf('a'))).toBeNull();
        expect(await harness.receiver.describe()).toEqual(before);
        expect((await harness.receiver.commit(requestFrom(harness.ledgerId))).answer).toBe('created');
      });

      test('one identity is not taken for another', async () => {
        const harness = make();
        await harness.receiver.commit(requestFrom(harness.ledgerId));
        expect(await found(harness, idOf('b'))).toBeNull();
      });
    }

    if (binding) {
      test('a request of another ledger is refused, and nothing happens', async () => {
        const harness = make();
        const foreign = harness.receiver.commit(requestFrom('ledger-of-somebody-else'));
        await expect(foreign).rejects.toMatchObject({ code: 'receiver_foreign' });
        expect(await found(harness, idOf('a'))).toBeNull();
      });
    }

    test('what can be listed is listed as it was sent', async () => {
      const { receiver, ledgerId } = make();
      if (!receiver.effects) return;
      await receiver.commit(requestFrom(ledgerId));
      await receiver.commit(requestFrom(ledgerId, { operationId: idOf('b'), attempt: 2, ledgerHash: 'e'.repeat(64) }));
      const listed = [];
      for await (const effect of receiver.effects()) listed.push(effect);
      const payloadSha256 = sha256(bytes('the frame'));
      expect(listed).toMatchObject([
        { operationId: idOf('a'), attempt: 1, ledgerId, ledgerHash: 'f'.repeat(64), payloadSha256 },
        { operationId: idOf('b'), attempt: 2, ledgerId, ledgerHash: 'e'.repeat(64), payloadSha256 },
      ]);
    });

    test('the newest effect shows how far the ledger had come', async () => {
      const { receiver, ledgerId } = make();
      if ((await receiver.describe()).newest === undefined) return;
      expect((await receiver.describe()).newest).toBeNull();
      await receiver.commit(requestFrom(ledgerId));
      await receiver.commit(
        requestFrom(ledgerId, { operationId: idOf('b'), ledgerSequence: 9, ledgerHash: 'e'.repeat(64) }),
      );
      expect((await receiver.describe()).newest).toEqual({ operationId: idOf('b'), ledgerHash: 'e'.repeat(64) });
    });

    test('what was recorded is there when it is opened again', async () => {
      const harness = make();
      if (!harness.reopen) return;
      const first = await harness.receiver.describe();
      await harness.receiver.commit(requestFrom(harness.ledgerId));
      harness.receiver.close();
      const again = harness.reopen();
      const { declaration, sequence } = await again.describe();
      expect(declaration).toEqual(first.declaration);
      if (first.sequence !== null) expect(sequence).toBe(first.sequence + 1);
      expect((await again.commit(requestFrom(harness.ledgerId, { attempt: 2 }))).answer).toBe('exists');
      again.close();
    });
  });
}
