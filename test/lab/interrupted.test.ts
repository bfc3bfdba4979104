/** The lab interrupted: Ctrl-C in a terminal, kill -9, another lab at the same moment, a place that cannot be used. */
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { makeRunDirectory } from '../../src/lab/run-directory.ts';
import type { LabResult } from '../../src/lab/result.ts';
import { documentOf, endCommands, processOf, runCommand, startCommand, stillAlive } from '../support/processes.ts';
import { eventually } from '../support/temporal.ts';
import { temporaryDirectory } from '../support/temporary.ts';

const env = { TEMPORAL_CLI_PATH: inject('temporalCli') };

/** The lab in a process group of its own, as in a terminal; it is ended with the test. */
function started(args: readonly string[]) {
  const cwd = temporaryDirectory();
  const command = startCommand(['lab', '--json', '--out', 'runs', ...args], { cwd, env, ownGroup: true });
  onTestFinished(() => endCommands([command]));
  const files = (end: string): string[] =>
    existsSync(join(cwd, 'runs'))
      ? readdirSync(join(cwd, 'runs'), { recursive: true, encoding: 'utf8' })
          .filter((name) => name.endsWith(end))
          .map((name) => join(cwd, 'runs', name))
      : [];
  const noted = (what: string): Promise<true> =>
    eventually(`the journal has ${what}`, () =>
      files('journal.jsonl').some((path) => readFileSync(path, 'utf8').includes(`"what":"${what}"`)),
    );
  return { command, cwd, files, noted };
}

describe('a signal', () => {
  test('Ctrl-C in the terminal lets the experiment under way come to its end: its processes do not get it', async () => {
    const { command, files, noted } = started([
      'worker-killed-after-effect',
      '--arm',
      'both',
      '--repeat',
      '2',
      '--jobs',
      '1',
    ]);
    await noted('worker-started');

    command.killGroup('SIGINT');
    const finished = await command.finished(240_000);

    expect(finished.code).toBe(130);
    expect(documentOf(finished)).toMatchObject({ stopped: true, cells: { held: 1, violated: 0, unknown: 0 } });
    const [path = ''] = files('result.json');
    const { cells } = JSON.parse(readFileSync(path, 'utf8')) as LabResult;
    expect(cells).toMatchObject([{ verdict: 'held', trouble: null, observed: { effects: { total: 1 } } }]);
  });

  test('the second Ctrl-C ends the lab at once, and nothing it started stays', async () => {
    const { command, files, noted } = started(['attempt-outlives-its-timeout', '--arm', 'both']);
    await noted('worker-stopped');
    const held = files('.reached').map((path) => processOf(Number(readFileSync(path, 'utf8'))));

    command.killGroup('SIGINT');
    // Two signals of one kind that arrive at once count as one.
    await eventually('the lab has ended', () => {
      if (!command.gone) command.killGroup('SIGINT');
      return command.gone;
    });

    expect((await command.finished()).code).toBe(130);
    expect(held).toHaveLength(1);
    expect(await eventually('the held worker is gone', () => stillAlive(held).length === 0)).toBe(true);
  });

  test('kill -9 of the lab ends even a worker that SIGSTOP holds', async () => {
    const { command, files, noted } = started(['attempt-outlives-its-timeout', '--arm', 'both']);
    await noted('worker-stopped');
    const held = files('.reached').map((path) => processOf(Number(readFileSync(path, 'utf8'))));
    expect(stillAlive(held)).toHaveLength(1);

    command.kill('SIGKILL');

    expect(await eventually('the held worker is gone', () => stillAlive(held).length === 0)).toBe(true);
    expect(files('result.json')).toStrictEqual([]);
  });
});

describe('the place of a run', () => {
  test('two labs that begin in the same second have a directory each', () => {
    const place = temporaryDirectory();
    const began = new Date('2026-11-30T23:20:00.250Z');

    const made = [null, null, 'stale-check-dropped', null].map((mutant) => makeRunDirectory(place, began, mutant));

    expect(made).toStrictEqual(
      ['T232000Z', 'T232000Z-2', 'T232000Z-stale-check-dropped', 'T232000Z-3'].map((name) =>
        join(place, `2026-11-30${name}`),
      ),
    );
    expect(readdirSync(place)).toHaveLength(4);
  });

  test.each([
    ['a file', 'runs'],
    ['below a file', 'runs/below'],
    ['where no directory can be made', '/proc/none'],
  ])('%s: refused with a hint, and no experiment begins', async (_what, out) => {
    const cwd = temporaryDirectory();
    writeFileSync(join(cwd, 'runs'), 'mine');

    const finished = await runCommand(['lab', '--json', 'approved-twice', '--arm', 'ledger', '--out', out], {
      cwd,
      env,
    });

    expect(finished.code).toBe(69);
    expect(documentOf(finished)).toMatchObject({
      error: { code: 'state_unusable', hint: 'Name another directory with --out.' },
    });
    expect(readFileSync(join(cwd, 'runs'), 'utf8')).toBe('mine');
  });

  test('that is taken away while experiments run: the lab says so and begins no other', async () => {
    const { command, cwd, noted } = started(['approved-twice', '--arm', 'ledger', '--repeat', '100', '--jobs', '2']);
    await noted('effect-created');

    renameSync(join(cwd, 'runs'), join(cwd, 'moved'));
    const finished = await command.finished();

    expect(finished.code).toBe(69);
    expect(documentOf(finished)).toMatchObject({ error: { code: 'state_unusable' } });
    expect(existsSync(join(cwd, 'runs'))).toBe(false);
  });
});
