/** The ledger alone: settled operations against a bare primary-key read, and the source's own batches. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import BetterSqlite3 from 'better-sqlite3';
import { identify } from '../src/identity/index.ts';
import { decide } from '../src/operations/decide.ts';
import { drive } from '../src/operations/drive.ts';
import { propose } from '../src/operations/propose.ts';
import { reconcile } from '../src/operations/reconcile.ts';
import { noCrashPoints } from '../src/ports/crash-points.ts';
import { openPorts, type OpenPorts } from '../src/worker/open-ports.ts';
import { prepareStateDirectory } from '../src/worker/state-directory.ts';
import { benchCase } from './cases.ts';
import { median, timed } from './statistics.ts';

const executor = 'bench';

async function settledOperation(ports: OpenPorts, caseId: string): Promise<string> {
  const content = benchCase(caseId);
  const { operationId } = identify(content);
  await propose(ports, content, { executor, run: null });
  await decide(ports, { operationId, approved: true, reviewer: 'bench' }, { caseId, requestId: null, via: 'command' });
  await drive(ports, operationId, executor);
  return operationId;
}

export interface LedgerNumbers {
  /** Microseconds per call, medians of batches. */
  readonly bareReadUs: number;
  readonly decideUs: number;
  readonly claimUs: number;
  readonly reconcileUs: number;
}

const batches = 30;
const batchSize = 300;

/** Median microseconds per call of each act, in alternating batches: whatever else the machine does hits all alike. */
async function microseconds<K extends string>(
  acts: Readonly<Record<K, () => Promise<unknown>>>,
): Promise<Record<K, number>> {
  const names = Object.keys(acts) as K[];
  const samples = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<K, number[]>;
  for (let batch = 0; batch < batches; batch += 1) {
    for (const name of names) {
      const ms = await timed(async () => {
        for (let index = 0; index < batchSize; index += 1) await acts[name]();
      });
      samples[name].push((ms * 1000) / batchSize);
    }
  }
  return Object.fromEntries(names.map((name) => [name, median(samples[name])])) as Record<K, number>;
}

export async function measureLedger(): Promise<LedgerNumbers> {
  const stateDir = mkdtempSync(join(tmpdir(), 'countersign-bench-'));
  const paths = prepareStateDirectory(stateDir);
  const ports = openPorts(paths, { crash: noCrashPoints });
  const raw = new BetterSqlite3(paths.ledger, { readonly: true });
  try {
    const ids: string[] = [];
    for (let index = 0; index < 200; index += 1) ids.push(await settledOperation(ports, `settled-${index}`));
    let next = 0;
    const some = (): string => ids[next++ % ids.length] ?? '';
    const read = raw.prepare<[string]>('SELECT * FROM operations WHERE operation_id = ?');
    const { declaration } = await ports.receiver.describe();
    return await microseconds({
      bareReadUs: async () => read.get(some()),
      decideUs: () =>
        decide(
          ports,
          { operationId: some(), approved: true, reviewer: 'bench' },
          { caseId: null, requestId: null, via: 'command' },
        ),
      claimUs: () => ports.ledger.claim({ operationId: some(), declaration, receiverSequence: null, executor }),
      reconcileUs: () => reconcile(ports, some(), { executor, askAboutSettled: false }),
    });
  } finally {
    raw.close();
    ports.close();
    rmSync(stateDir, { recursive: true, force: true });
  }
}

export interface Batches {
  /** Milliseconds per batch of 100, one per fresh process. */
  readonly duplicateAdmissionsMs: number[];
  readonly completedReconciliationsMs: number[];
}

/** The source's workload, in this very process: 100 duplicate admissions, 100 reconciliations of a completed one. */
export async function oneBatch(): Promise<{ admissions: number; reconciliations: number }> {
  const stateDir = mkdtempSync(join(tmpdir(), 'countersign-bench-'));
  const ports = openPorts(prepareStateDirectory(stateDir), { crash: noCrashPoints });
  try {
    const operationId = await settledOperation(ports, 'T-1042');
    const content = benchCase('T-1042');
    const admissions = await timed(async () => {
      for (let index = 0; index < 100; index += 1) await propose(ports, content, { executor, run: null });
    });
    const reconciliations = await timed(async () => {
      for (let index = 0; index < 100; index += 1)
        await reconcile(ports, operationId, { executor, askAboutSettled: false });
    });
    return { admissions, reconciliations };
  } finally {
    ports.close();
    rmSync(stateDir, { recursive: true, force: true });
  }
}

export function measureBatches(processes: number): Batches {
  const numbers: Batches = { duplicateAdmissionsMs: [], completedReconciliationsMs: [] };
  const script = fileURLToPath(new URL('batch.ts', import.meta.url));
  for (let index = 0; index < processes; index += 1) {
    const { stdout, status, stderr } = spawnSync(process.execPath, ['--import', 'tsx', script], { encoding: 'utf8' });
    if (status !== 0) throw new Error(`The batch process failed: ${stderr}`);
    const { admissions, reconciliations } = JSON.parse(stdout) as { admissions: number; reconciliations: number };
    numbers.duplicateAdmissionsMs.push(admissions);
    numbers.completedReconciliationsMs.push(reconciliations);
  }
  return numbers;
}
