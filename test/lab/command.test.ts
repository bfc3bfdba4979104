/** `countersign lab` as its users run it: real processes, a server of its own where the arm has one. */
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import type { LabResult } from '../../src/lab/result.ts';
import { mutants } from '../../src/lab/mutants/list.ts';
import { armNames } from '../../src/lab/names.ts';
import { randomFrom, shuffled } from '../../src/lab/seeds.ts';
import { situations } from '../../src/lab/situations/index.ts';
import { documentOf, runCommand } from '../support/processes.ts';
import { temporaryDirectory } from '../support/temporary.ts';

const env = { TEMPORAL_CLI_PATH: inject('temporalCli') };

interface Answer {
  readonly directory: string;
  readonly report: string;
  readonly cells: Readonly<Record<string, number>>;
  readonly error?: { readonly code: string; readonly hint: string };
}

async function lab(args: readonly string[], cwd = temporaryDirectory()) {
  const finished = await runCommand(['lab', '--json', ...args], { cwd, env, timeoutMs: 240_000 });
  return { code: finished.code, answer: documentOf(finished) as Answer, cwd };
}

const resultIn = (cwd: string, { directory }: Answer): LabResult =>
  JSON.parse(readFileSync(join(cwd, directory, 'result.json'), 'utf8')) as LabResult;

describe('what there is', () => {
  test('--list names every situation, arm and mutant, and runs nothing', async () => {
    const { code, answer, cwd } = await lab(['--list']);

    expect(code).toBe(0);
    expect(answer).toMatchObject({
      situations: situations.map(({ name, title, fault }) => ({ name, title, fault })),
      arms: armNames.map((name) => ({ name })),
      mutants: mutants.map(({ name, bug }) => ({ name, bug })),
    });
    expect(readdirSync(cwd)).toStrictEqual([]);
  });

  test('every name is used once, every situation is carried out by some arm, every mutant has a place to show', () => {
    const names = situations.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length);
    expect(mutants.length).toBeGreaterThanOrEqual(12);
    for (const { absent = {} } of situations) expect(Object.keys(absent).length).toBeLessThan(armNames.length);
    for (const { name, situation, arm } of mutants) {
      const place = situations.find((one) => one.name === situation);
      expect(place, name).toBeDefined();
      expect(place?.absent?.[arm], name).toBeUndefined();
    }
  });

  test('one seed gives one order', () => {
    const order = (seed: number): number[] => shuffled([1, 2, 3, 4, 5, 6, 7, 8], randomFrom(seed));

    expect(order(7)).toStrictEqual(order(7));
    expect(order(7)).not.toStrictEqual(order(8));
    expect(order(7).toSorted()).toStrictEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });
});

describe('what it refuses, before anything is made', () => {
  test.each([
    [['receipt-lost'], 'Nearest by name: receipt-lost-thrown'],
    [['--arm', 'platform'], 'countersign lab --list'],
    [['--mutant', 'none-such'], 'countersign lab --list'],
    [['--mutant', 'stale-check-dropped', 'stale-tab'], 'alone'],
    [['--repeat', '0'], ''],
    [['--jobs', 'many'], ''],
    [['--seed', '-1'], ''],
  ])('%j', async (args, hint) => {
    const { code, answer, cwd } = await lab(args);

    expect({ code, error: answer.error?.code }).toStrictEqual({ code: 2, error: 'usage' });
    expect(answer.error?.hint).toContain(hint);
    expect(existsSync(join(cwd, 'out'))).toBe(false);
  });
});

describe('an experiment', () => {
  test('without an engine: its journal, its result and its page say what happened, and nothing else is left', async () => {
    const { code, answer, cwd } = await lab(['receipt-lost-command-exit-17', '--arm', 'ledger', '--seed', '5']);
    const result = resultIn(cwd, answer);

    expect({ code, cells: answer.cells }).toStrictEqual({ code: 0, cells: { held: 1, violated: 0, unknown: 0 } });
    expect(readdirSync(join(cwd, answer.directory)).sort()).toStrictEqual([
      'journal.jsonl',
      'report.html',
      'result.json',
    ]);
    expect(result).toMatchObject({ format: 'countersign.lab.v1', seed: 5, repeat: 1, mutant: null });
    expect(result.cells).toMatchObject([
      {
        situation: 'receipt-lost-command-exit-17',
        arm: 'ledger',
        observed: {
          effects: { total: 1, byIdentity: 1 },
          shown: { engine: null, ledger: 'Completed', receiver: '1 effect' },
          told: ['rosa, approving: no answer (exit 17)'],
          ranAgain: { receiverWrites: 1 },
        },
      },
    ]);
    const journal = readFileSync(join(cwd, answer.directory, 'journal.jsonl'), 'utf8');
    expect(journal).toContain('"what":"effect-created"');
    expect(journal).toContain('"what":"command-exited"');
  });

  test('with an engine and --keep: the naive arm writes twice where the product writes once', async () => {
    const cwd = temporaryDirectory();
    const naive = await lab(['receipt-lost-thrown', '--arm', 'platform-naive', '--keep'], cwd);
    const both = await lab(['receipt-lost-thrown', '--arm', 'both', '--keep'], cwd);

    expect({ code: naive.code, cells: naive.answer.cells }).toMatchObject({ code: 0, cells: { violated: 1 } });
    expect({ code: both.code, cells: both.answer.cells }).toMatchObject({ code: 0, cells: { held: 1 } });
    const [told] = resultIn(cwd, naive.answer).cells;
    expect(told).toMatchObject({
      observed: { effects: { total: 2, byIdentity: 2 }, ranAgain: { activityAttempts: 2, receiverWrites: 2 } },
      judgements: { 'at-most-one-effect': { verdict: 'violated' } },
    });
    const kept = join(cwd, both.answer.directory, 'receipt-lost-thrown--both--1', 'state');
    expect(readdirSync(kept)).toContain('ledger.db');
  });

  test('that is repeated has a seed of its own each time', async () => {
    const cwd = temporaryDirectory();
    mkdirSync(join(cwd, 'runs'));
    const { answer } = await lab(['approved-twice', '--arm', 'ledger', '--out', 'runs', '--repeat', '2'], cwd);

    expect(resultIn(cwd, answer).cells).toMatchObject([{ repetition: 1 }, { repetition: 2 }]);
    expect(new Set(resultIn(cwd, answer).cells.map((cell) => (cell.applicable ? cell.seed : 0))).size).toBe(2);
  });
});
