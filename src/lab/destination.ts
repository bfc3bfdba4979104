/**
 * The destination as every arm has it: the embedded receiver, made to behave as the situation says, with every request
 * and every answer in the journal before the caller hears of it.
 */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { operationIdOfPayload } from '../identity/index.ts';
import type { EffectRequest, Look, Receipt, Receiver } from '../ports/receiver.ts';
import type { FaultPoints } from './faults.ts';
import type { Note } from './journal.ts';
import type { ProcessSettings } from './settings.ts';

/** Stands in a stored key before what makes a second delivery another effect. */
const deliveryMark = '#';

export function destinationOver(
  embedded: Receiver,
  settings: Pick<ProcessSettings, 'destination' | 'shown'>,
  { note, faults }: { note: Note; faults: FaultPoints },
): Receiver {
  const { deduplicates, lookup, showsLate } = settings.destination;

  async function commit(request: EffectRequest): Promise<Receipt> {
    const { operationId: key, attempt } = request;
    const contentId = operationIdOfPayload(request.payload);
    await faults.waitAt('receiver.request-sent');
    note('receiver', 'effect-requested', { key, contentId, attempt });
    // A destination that does not deduplicate records each delivery under a name of its own.
    const stored = deduplicates ? key : `${key}${deliveryMark}${randomUUID()}`;
    const receipt = await embedded.commit({ ...request, operationId: stored });
    note('receiver', `effect-${receipt.answer}`, { key, contentId, attempt });
    faults.reach('receiver.committed');
    return receipt;
  }

  async function look(key: string): Promise<Look> {
    const hidden = showsLate && !existsSync(settings.shown);
    const seen = await embedded.lookup(key);
    const answer = hidden ? { ...seen, payloadSha256: null } : seen;
    note('receiver', 'looked', { key, found: answer.payloadSha256 !== null });
    return answer;
  }

  return {
    describe: async () => {
      const status = await embedded.describe();
      const plain = deduplicates ? status : { ...status, newest: null };
      return { ...plain, declaration: { ...status.declaration, deduplicates, lookup } };
    },
    commit,
    lookup: look,
    ...(embedded.effects ? { effects: () => embedded.effects?.() ?? nothing() } : {}),
    close: () => embedded.close(),
  };
}

async function* nothing(): AsyncGenerator<never> {
  // A receiver that cannot be listed has no effects to show.
}
