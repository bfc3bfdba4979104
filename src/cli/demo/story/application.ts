/** The same lost receipt with no Temporal at all: separate processes, the ledger alone. */
import process from 'node:process';
import { changed, count, fingerprints, stateOf } from '../databases.ts';
import { recordedIdentity } from '../expectations.ts';
import type { Answered, Scene } from '../scene.ts';
import type { Stage } from '../stage.ts';

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

const run = (scene: Scene, ...args: string[]): Promise<Answered> =>
  scene.countersign(scene.scratch.application, '--driver', 'application', ...args);

const receiptLost = (stage: Stage) =>
  stage.step('The same lost receipt with no Temporal', async (scene) => {
    const { ledger, receiver } = scene.scratch.application;
    await stage.stopTemporal();
    const alive = scene.observe('application.server', isAlive(stage.server.pid));
    await run(scene, 'begin', scene.scratch.caseFile('T-1042.json'));
    const approve = ['approve', recordedIdentity, '--reviewer', 'alice'];
    const { pid, exitCode } = await run(scene, '--crash-at', 'receiver.committed', ...approve);
    const exit = scene.observe('application.exit', exitCode);
    const state = scene.observe('application.state', stateOf(ledger, recordedIdentity));
    const effects = scene.observe('application.lost', count(receiver, 'effects'));
    return {
      happened: `The Temporal server is stopped. The command (pid ${pid ?? 0}) approved, recorded the effect and died.`,
      proof: `${alive ? 'a' : 'no'} Temporal server runs; exit ${exit}; the ledger says ${state}; effects at the receiver: ${effects}.`,
    };
  });

const reconcileTwice = (stage: Stage) =>
  stage.step('Reconcile, twice', async (scene) => {
    const store = scene.scratch.application;
    const first = await run(scene, 'reconcile', recordedIdentity);
    const outcome = scene.observe('application.first', first.answer.outcome ?? 'nothing');
    const before = fingerprints(store);
    const second = await run(scene, 'reconcile', recordedIdentity);
    scene.observe('application.second', second.answer.outcome ?? 'nothing');
    const differ = scene.observe('application.changes', changed(before, fingerprints(store)).length);
    const state = scene.observe('application.completed', stateOf(store.ledger, recordedIdentity));
    const effects = scene.observe('application.effects', count(store.receiver, 'effects'));
    const attempts = scene.observe('application.attempts', count(store.ledger, 'attempts'));
    return {
      happened: `Two more processes (pids ${first.pid ?? 0} and ${second.pid ?? 0}) asked the receiver: ${outcome}, both times.`,
      proof: `the ledger says ${state}; effects: ${effects}; attempts: ${attempts}; tables changed by the second: ${differ}.`,
    };
  });

/** Stops workers and server first. */
export async function tellApplication(stage: Stage): Promise<void> {
  await receiptLost(stage);
  await reconcileTwice(stage);
}
