/** The use cases over a real SQLite ledger and a real or fake receiver in a directory of their own. */
import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { CountersignError } from '../../src/core/errors.ts';
import type { CaseInput, UndraftedCase } from '../../src/core/case.ts';
import type { OperationView, Resolution } from '../../src/core/records.ts';
import type { DeploymentMinimums } from '../../src/core/rules.ts';
import { openSqliteLedger } from '../../src/ledger/sqlite/ledger.ts';
import { resolve, revise, withdraw } from '../../src/operations/change.ts';
import { decide } from '../../src/operations/decide.ts';
import { execute } from '../../src/operations/execute.ts';
import type { Ports } from '../../src/operations/ports.ts';
import { propose } from '../../src/operations/propose.ts';
import { reconcile } from '../../src/operations/reconcile.ts';
import { readState } from '../../src/operations/state.ts';
import type { CrashPoint } from '../../src/ports/crash-points.ts';
import type { Drafter } from '../../src/ports/drafter.ts';
import type { Receiver } from '../../src/ports/receiver.ts';
import { openSqliteReceiver } from '../../src/receiver/sqlite.ts';
import { ManualClock } from './clock.ts';
import { FakeReceiver, type FakeReceiverOptions } from './fake-receiver.ts';
import { recovery, sampleCase } from './ledger-world.ts';
import { dump } from './sqlite-file.ts';

export interface PortsOptions {
  /** Options of a fake receiver; without them the receiver is the SQLite one. */
  readonly fake?: Omit<FakeReceiverOptions, 'clock'>;
  readonly minimums?: DeploymentMinimums;
  /** Default: none is configured. */
  readonly drafter?: Drafter;
}

/** The sample case as it is when a drafter has still to write its text. */
export function undrafted(over: Partial<UndraftedCase> = {}): UndraftedCase {
  const { body: _body, ...rest } = sampleCase();
  return { ...rest, ...over };
}

export class PortsWorld {
  readonly clock = new ManualClock();
  readonly ledgerPath: string;
  readonly receiverPath: string;
  readonly ports: Ports;
  /** The operations that were woken, in order. */
  readonly woken: string[] = [];
  private readonly faked: FakeReceiver | null;
  private throwAt: CrashPoint | null = null;

  constructor(root: string, options: PortsOptions = {}) {
    const directory = join(root, randomUUID());
    mkdirSync(directory, { mode: 0o700 });
    this.ledgerPath = join(directory, 'ledger.db');
    this.receiverPath = join(directory, 'receiver.db');
    const { clock } = this;
    const { minimums = {}, drafter = null } = options;
    const crash = { reach: (point: CrashPoint) => this.reach(point) };
    const ledger = openSqliteLedger(this.ledgerPath, { clock, crash, recovery, minimums });
    this.faked = options.fake ? new FakeReceiver({ clock, ...options.fake }) : null;
    const receiver: Receiver =
      this.faked ?? openSqliteReceiver(this.receiverPath, { ledgerId: ledger.ledgerId, clock, crash });
    this.ports = {
      ledger,
      receiver,
      drafter,
      crash,
      recovery,
      minimums,
      wake: async (operationIds) => {
        this.woken.push(...operationIds);
        return Promise.resolve();
      },
    };
  }

  /** The receiver, where it is a fake one. */
  get fake(): FakeReceiver {
    if (!this.faked) throw new Error('the receiver of this world is the SQLite one');
    return this.faked;
  }

  /** The next time the program comes to `point`, it fails there: what was committed before stays. */
  failAt(point: CrashPoint): void {
    this.throwAt = point;
  }

  private reach(point: CrashPoint): void {
    if (point !== this.throwAt) return;
    this.throwAt = null;
    throw new CountersignError('receiver_unavailable', { message: `a fault at ${point}` });
  }

  /** Both stores, whole. */
  both(): unknown {
    const effects = this.faked ? [...this.faked.happened] : dump(this.receiverPath);
    return { ledger: dump(this.ledgerPath), effects };
  }

  propose(over: Partial<CaseInput> = {}) {
    return propose(this.ports, sampleCase(over), { executor: 'command-1', run: null });
  }

  /** Anything at all, handed in by a command of a process with this drafter; by default that of this world. */
  proposeGiven(input: unknown, drafter: Drafter | null = this.ports.drafter) {
    return propose({ ...this.ports, drafter }, input, { executor: 'command-1', run: null });
  }

  decide(
    operationId: string,
    over: { approved?: boolean; reviewer?: string; requestId?: string; caseId?: string } = {},
  ) {
    const { requestId = null, caseId = null, ...said } = over;
    const message = { operationId, approved: true, reviewer: 'rita', ...said };
    return decide(this.ports, message, { caseId, requestId, via: 'command' });
  }

  async approved(over: Partial<CaseInput> = {}): Promise<string> {
    const { operationId } = await this.propose(over);
    const { outcome } = await this.decide(operationId);
    if (outcome !== 'recorded') throw new Error(`not approved: ${outcome}`);
    return operationId;
  }

  revise(operationId: string, changes: object, over: { caseId?: string; revisedBy?: string } = {}) {
    const { caseId = 'T-1042', revisedBy = 'rita' } = over;
    const input = { expectedOperationId: operationId, revisedBy, ...changes };
    return revise(this.ports, input, { caseId, executor: 'command-1', via: 'command' });
  }

  withdraw(operationId: string) {
    return withdraw(this.ports, { operationId, by: 'drafter', reason: 'not needed' }, { caseId: null, via: 'command' });
  }

  execute(operationId: string, executor = 'command-1') {
    return execute(this.ports, operationId, executor);
  }

  reconcile(operationId: string, askAboutSettled = false) {
    return reconcile(this.ports, operationId, { executor: 'command-2', askAboutSettled });
  }

  resolve(operationId: string, resolution: Resolution) {
    const reference = resolution === 'effect_happened' ? { reference: 'row 7' } : {};
    const word = { operationId, resolution, operator: 'olga', reason: 'asked the destination', ...reference };
    return resolve(this.ports, word, { caseId: null, via: 'command' });
  }

  read(operationId: string, attemptEnded = false, executor = 'run:1') {
    return readState(this.ports, {
      operationId,
      executor,
      run: null,
      knownOperationId: null,
      head: null,
      attemptEnded,
    });
  }

  async view(operationId: string): Promise<OperationView> {
    const view = await this.ports.ledger.view(operationId);
    if (!view) throw new Error(`no operation ${operationId}`);
    return view;
  }

  async state(operationId: string): Promise<string> {
    return (await this.view(operationId)).operation.state;
  }
}
