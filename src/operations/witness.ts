/** Holds the ledger against what others have seen of it: a restored older copy must not decide or claim. */
import type { Ledger } from '../ports/ledger.ts';
import type { EffectWitness } from '../ports/receiver.ts';
import type { Ports } from './ports.ts';

/** A journal head as a run keeps it between its steps. */
export interface Head {
  readonly operationId: string;
  readonly hash: string;
  readonly generation: number;
}

/** Throws `ledger_restored` when the ledger lacks the claim of the receiver's newest effect. */
export async function witnessReceiver(ledger: Ledger, receiverId: string, newest: EffectWitness | null): Promise<void> {
  if (!newest) return;
  await ledger.witness({
    subject: newest.operationId,
    hash: newest.ledgerHash,
    generation: null,
    source: `receiver ${receiverId}`,
  });
}

/** Throws `ledger_restored` when the ledger lacks a head that a run was shown. */
export async function witnessRun(ledger: Ledger, head: Head | null, source: string): Promise<void> {
  if (!head) return;
  const { operationId, hash, generation } = head;
  await ledger.witness({ subject: operationId, hash, generation, source });
}

/** To be asked once by every process before it decides or claims anything. */
export async function witnessAtStart(ports: Ports): Promise<void> {
  const { declaration, newest = null } = await ports.receiver.describe();
  await witnessReceiver(ports.ledger, declaration.receiverId, newest);
}
