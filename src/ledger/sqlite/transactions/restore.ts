/** Transactions that notice an older copy of the ledger, and that record a person's word to go on with it. */
import { CountersignError } from '../../../core/errors.ts';
import type { RestoreAnswer, RestoreInput, Witness } from '../../../ports/ledger.ts';
import type { Store } from '../store.ts';

/** Whether this file has what `witness` saw of the ledger. */
export function isKnown(store: Store, witness: Witness): boolean {
  const { subject, hash, generation } = witness;
  const current = store.restorations.generation();
  // A copy from before an accepted restoration cannot know of it.
  if (generation !== null && generation > current) return false;
  if (store.journal.holds(subject, hash) || store.restorations.isAccepted(hash)) return true;
  // What was lost in a restoration that a person accepted is not missed again.
  return generation !== null && generation < current;
}

/** Notes that something is lacking; from then on nothing is decided or claimed. */
export function suspect(store: Store, { hash, source, subject }: Witness): void {
  if (store.restorations.suspicion()) return;
  store.restorations.suspect({ hash, source });
  const detail = { hash, subject, source };
  store.journal.append({ subject: 'ledger', actor: source, what: 'lacks a record', detail }, store.now());
}

/** Throws `ledger_restored` while a suspicion stands. */
export function refuseSuspect(store: Store): void {
  const suspicion = store.restorations.suspicion();
  if (!suspicion) return;
  throw new CountersignError('ledger_restored', {
    message: `The ledger lacks a record that ${suspicion.source} has seen (${suspicion.hash.slice(0, 12)}…).`,
  });
}

export function acceptRestore(store: Store, { operator, reason }: RestoreInput): RestoreAnswer {
  const suspicion = store.restorations.suspicion();
  const generation = store.restorations.generation();
  if (!suspicion) return { accepted: false, generation };
  const nowMs = store.now();
  store.restorations.insert(generation + 1, suspicion, operator, reason, nowMs);
  store.restorations.clear();
  const detail = { ...suspicion, reason, generation: generation + 1 };
  store.journal.append({ subject: 'ledger', actor: operator, what: 'restoration accepted', detail }, nowMs);
  return { accepted: true, generation: generation + 1 };
}
