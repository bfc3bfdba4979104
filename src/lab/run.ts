/** A run of the lab: many experiments, each in a directory of its own, and one result. */
import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TemporalCli } from '../server/index.ts';
import { machine, versions } from './machine.ts';
import { arms, armNames, promiseNames, promises, type ArmName } from './names.ts';
import type { Cell, LabResult, RunCell } from './result.ts';
import { runCell } from './run-cell.ts';
import { randomFrom, shuffled } from './seeds.ts';
import type { Situation } from './situations/index.ts';

export interface RunOptions {
  /** Empty. */
  readonly directory: string;
  readonly situations: readonly Situation[];
  readonly arms: readonly ArmName[];
  readonly seed: number;
  readonly repeat: number;
  /** Whether databases, logs and settings of the experiments stay. */
  readonly keep: boolean;
  /** Experiments at a time. */
  readonly jobs: number;
  readonly cli: TemporalCli;
  /** Where the processes' sources are; `mutant` names what was changed in them. */
  readonly root: string;
  readonly mutant: string | null;
  /** Called when a cell is done, with how many are. */
  readonly done: (cell: RunCell, finished: number, planned: number) => void;
  readonly stopped: () => boolean;
}

interface Plan {
  readonly situation: Situation;
  readonly arm: ArmName;
  readonly repetition: number;
  readonly seed: number;
}

function plansOf({ situations, arms: wanted, repeat, seed }: RunOptions): Plan[] {
  const random = randomFrom(seed);
  const plans = situations.flatMap((situation) =>
    wanted
      .filter((arm) => situation.absent?.[arm] === undefined)
      .flatMap((arm) =>
        Array.from({ length: repeat }, (_, index) => ({
          situation,
          arm,
          repetition: index + 1,
          seed: Math.floor(random() * 2 ** 31),
        })),
      ),
  );
  // Neighbours in the report must not share what an earlier one left behind.
  return shuffled(plans, random);
}

const nameOf = ({ situation, arm, repetition }: Plan): string => `${situation.name}--${arm}--${repetition}`;

async function carryOut(plan: Plan, options: RunOptions): Promise<RunCell> {
  const directory = join(options.directory, nameOf(plan));
  const cell = await runCell({ ...plan, directory, cli: options.cli, root: options.root });
  const lines = readFileSync(join(directory, 'journal.jsonl'), 'utf8').split('\n').filter(Boolean);
  const named = lines.map((line) => `{"cell":${JSON.stringify(nameOf(plan))},"event":${line}}\n`);
  appendFileSync(join(options.directory, 'journal.jsonl'), named.join(''), { mode: 0o600 });
  if (!options.keep) rmSync(directory, { recursive: true, force: true });
  return cell;
}

/** In the order of the report, whatever the order of the run. */
function inOrder(cells: readonly Cell[], situations: readonly Situation[]): Cell[] {
  const place = (cell: Cell): number =>
    situations.findIndex(({ name }) => name === cell.situation) * armNames.length + armNames.indexOf(cell.arm);
  const repetition = (cell: Cell): number => (cell.applicable ? cell.repetition : 0);
  return cells.toSorted((a, b) => place(a) - place(b) || repetition(a) - repetition(b));
}

/**
 * Runs the experiments and writes `journal.jsonl` and `result.json` into the run's directory. An experiment that does
 * not come to its end is part of the result. Throws where the directory cannot be written, once the experiments under way
 * have ended.
 */
export async function runLab(options: RunOptions): Promise<LabResult> {
  const began = Date.now();
  writeFileSync(join(options.directory, 'journal.jsonl'), '', { mode: 0o600 });
  const plans = plansOf(options);
  const waiting = [...plans];
  const cells: Cell[] = [];
  async function work(): Promise<void> {
    for (let plan = waiting.shift(); plan && !options.stopped(); plan = waiting.shift()) {
      const cell = await carryOut(plan, options).catch((thrown: unknown) => {
        // What one experiment could not write, none of the others can; they would run for nothing.
        waiting.length = 0;
        throw thrown;
      });
      cells.push(cell);
      options.done(cell, cells.length, plans.length);
    }
  }
  const ends = await Promise.allSettled(Array.from({ length: options.jobs }, work));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
  const absent = options.situations.flatMap((situation): Cell[] =>
    options.arms.flatMap((arm): Cell[] => {
      const reason = situation.absent?.[arm];
      return reason === undefined ? [] : [{ situation: situation.name, arm, applicable: false, reason }];
    }),
  );
  const result: LabResult = {
    format: 'countersign.lab.v1',
    run: options.directory.split('/').at(-1) ?? '',
    startedAt: new Date(began).toISOString(),
    seconds: Math.round((Date.now() - began) / 100) / 10,
    seed: options.seed,
    repeat: options.repeat,
    mutant: options.mutant,
    machine: machine(),
    versions: versions(options.cli),
    situations: options.situations.map(({ name, title, fault, group }) => ({ name, title, fault, group })),
    arms: options.arms.map((name) => ({ name, title: arms[name] })),
    promises: promiseNames.map((name) => ({ name, title: promises[name] })),
    cells: inOrder([...cells, ...absent], options.situations),
  };
  writeFileSync(join(options.directory, 'result.json'), `${JSON.stringify(result, null, 1)}\n`, { mode: 0o600 });
  return result;
}
