/** Opens ledger and receiver of a state directory and puts the ports together that every driver works with. */
import { defaultRecovery, type RecoverySettings } from '../core/recovery.ts';
import { CountersignError } from '../core/errors.ts';
import { normaliseText } from '../identity/index.ts';
import { openSqliteLedger } from '../ledger/sqlite/ledger.ts';
import type { Ports } from '../operations/ports.ts';
import type { CrashPoints } from '../ports/crash-points.ts';
import type { Drafter } from '../ports/drafter.ts';
import type { Receiver } from '../ports/receiver.ts';
import { openEmbeddedReceiver, type ReceiverKind } from './embedded-receiver.ts';
import type { StatePaths } from './state-directory.ts';

export interface OpenOptions {
  readonly crash: CrashPoints;
  readonly recovery?: Partial<RecoverySettings>;
  /** The receiver to use, made from the embedded one. Default: the embedded one itself. Closed like it. */
  readonly receiver?: (embedded: Receiver) => Receiver;
  /** Which embedded receiver a new state directory gets. Default: `sqlite`. */
  readonly receiverKind?: ReceiverKind;
  /** Writes the body of cases that come without one. Default: nobody, and such a case is malformed. */
  readonly drafter?: Drafter;
  /** How runs are told. Default: not at all, so that `sweep` does. */
  readonly wake?: Ports['wake'];
}

export interface OpenPorts extends Ports {
  close(): void;
}

/** Its name goes into the journal: better refused at the start than after the first, paid, answer. */
function checkedDrafter(drafter: Drafter | undefined): Drafter | null {
  if (drafter === undefined) return null;
  if (normaliseText(drafter.name) !== '') return drafter;
  throw new CountersignError('usage', { message: 'A drafter needs a name.', hint: 'Name the model and its version.' });
}

/** Throws catalogue errors when a file cannot be relied on; leaves nothing open then. */
export function openPorts(paths: StatePaths, options: OpenOptions): OpenPorts {
  const recovery = { ...defaultRecovery, ...options.recovery };
  const { crash, receiver: use = (embedded: Receiver): Receiver => embedded, wake = () => Promise.resolve() } = options;
  const minimums = {};
  const drafter = checkedDrafter(options.drafter);
  const ledger = openSqliteLedger(paths.ledger, { crash, recovery, minimums });
  try {
    const receiver = use(openEmbeddedReceiver(paths, ledger.ledgerId, crash, options.receiverKind));
    return {
      ledger,
      receiver,
      drafter,
      crash,
      recovery,
      minimums,
      wake,
      close: () => {
        receiver.close();
        ledger.close();
      },
    };
  } catch (thrown) {
    ledger.close();
    throw thrown;
  }
}
