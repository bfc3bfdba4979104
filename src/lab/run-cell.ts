/** Carries out one experiment: a situation in an arm. Never throws for what the experiment brings; that is its result. */
import type { TemporalCli } from '../server/index.ts';
import { readEvidence } from './evidence.ts';
import { Experiment } from './experiment.ts';
import { judge } from './judging.ts';
import { armHasEngine, worst, type ArmName } from './names.ts';
import { observe, timelineOf } from './observed.ts';
import type { RunCell } from './result.ts';
import type { Situation } from './situations/index.ts';
import { BothWorld } from './worlds/both.ts';
import { LedgerWorld } from './worlds/ledger.ts';
import { PlatformWorld } from './worlds/platform.ts';
import type { World } from './worlds/world.ts';

export interface CellPlan {
  readonly situation: Situation;
  readonly arm: ArmName;
  readonly repetition: number;
  readonly seed: number;
  readonly directory: string;
  readonly cli: TemporalCli;
  readonly root: string;
}

function worldOf(experiment: Experiment): World {
  switch (experiment.arm) {
    case 'ledger':
      return new LedgerWorld(experiment);
    case 'both':
      return new BothWorld(experiment);
    default:
      return new PlatformWorld(experiment);
  }
}

async function play(situation: Situation, experiment: Experiment): Promise<string | null> {
  try {
    const world = worldOf(experiment);
    await world.open();
    await situation.run(world);
    experiment.note(armHasEngine(experiment.arm) ? 'engine' : 'ledger', 'settled');
    return null;
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown);
  }
}

export async function runCell(plan: CellPlan): Promise<RunCell> {
  const { situation, arm, repetition, seed, directory, cli, root } = plan;
  const began = Date.now();
  const experiment = new Experiment({ directory, arm, seed, cli, root, destination: situation.destination ?? {} });
  try {
    const trouble = await play(situation, experiment);
    const evidence = await readEvidence(experiment);
    const judgements = judge(evidence, trouble);
    return {
      situation: situation.name,
      arm,
      applicable: true,
      repetition,
      seed,
      verdict: worst(Object.values(judgements).map(({ verdict }) => verdict)),
      judgements,
      observed: observe(evidence, arm),
      timeline: timelineOf(evidence.events),
      seconds: Math.round((Date.now() - began) / 100) / 10,
      trouble,
    };
  } finally {
    await experiment.close();
  }
}
