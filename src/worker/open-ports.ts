/** Opens ledger and receiver of a state directory and puts the ports together that every driver works with. */
import { defaultRecovery, type RecoverySettings } from '../core/recovery.ts';
import { openSqliteLedger } from '../ledger/sqlite/ledger.ts';
import type { Ports } from '../operations/ports.ts';
import type { CrashPoints } from '../ports/crash-points.ts';
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
  /** How runs are told. Default: not at all, so that `sweep` does. */
  readonly wake?: Ports['wake'];
}

export interface OpenPorts extends Ports {
  close(): void;
}

/** Throws catalogue errors when a file cannot be relied on; leaves nothing open then. */
export function openPorts(paths: StatePaths, options: OpenOptions): OpenPorts {
  const recovery = { ...defaultRecovery, ...options.recovery };
  const { crash, receiver: use = (embedded: Receiver): Receiver => embedded, wake = () => Promise.resolve() } = options;
  const minimums = {};
  const ledger = openSqliteLedger(paths.ledger, { crash, recovery, minimums });
  try {
    const receiver = use(openEmbeddedReceiver(paths, ledger.ledgerId, crash, options.receiverKind));
    return {
      ledger,
      receiver,
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
