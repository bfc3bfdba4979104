/**
 * Decodes payloads, and answers a marker for those it cannot decode. The SDK's own converter throws instead, which
 * fails the workflow task again and again: one bad signal would block every later approval of the run.
 */
import { defaultPayloadConverter, type Payload, type PayloadConverter } from '@temporalio/common';

/** What a handler finds in place of an undecodable argument. No message has this shape, so every handler refuses it. */
export interface Undecodable {
  readonly undecodable: { readonly encoding: string; readonly why: string };
}

function encodingOf(payload: Payload): string {
  const bytes = payload.metadata?.['encoding'];
  return bytes ? String.fromCharCode(...bytes.slice(0, 100)) : 'none';
}

export const payloadConverter: PayloadConverter = {
  toPayload: (value, context) => defaultPayloadConverter.toPayload(value, context),
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- the interface's own signature
  fromPayload<T>(payload: Payload, context?: Parameters<PayloadConverter['fromPayload']>[1]): T {
    try {
      return defaultPayloadConverter.fromPayload<T>(payload, context);
    } catch (thrown) {
      const marker: Undecodable = { undecodable: { encoding: encodingOf(payload), why: String(thrown).slice(0, 200) } };
      return marker as T;
    }
  },
};
