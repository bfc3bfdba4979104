// README's commands as they stand, in its order, in bash, from the root of the repository; and what it claims of them.
//
// A shell block is run when the comment above it says `test: NAME`; `exit=N` is the exit code of its last command, and
// `eventually` means that it is run again, within a bound, because visibility is eventually consistent. A line
// `# → text` claims that the output so far goes on with that text (`…` stands for anything, white space for white space).
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { connect } from 'node:net';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { identify, parseCase } from '../../src/identity/index.ts';
import { prepareStateDirectory } from '../../src/worker/state-directory.ts';
import { databases, eventually } from '../support/temporal.ts';
import { temporaryDirectory } from '../support/temporary.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const readme = readFileSync(join(root, 'README.md'), 'utf8');

interface Block {
  readonly name: string;
  readonly script: string;
  readonly exitCode: number;
  readonly eventually: boolean;
  readonly background: boolean;
}

const shellBlocks = [...readme.matchAll(/(?:<!-- (.*) -->\n+)?```(?:sh|bash|shell|console)\n([\s\S]*?)```/g)];

function blockOf([, marker = '', script = '']: RegExpExecArray): Block | null {
  const named = /^test: ([\w-]+)(?: exit=(\d+))?( eventually)?( background)?$/.exec(marker);
  if (!named) return null;
  const [, name = '', exit = '0', polled, background] = named;
  return { name, script, exitCode: Number(exit), eventually: Boolean(polled), background: Boolean(background) };
}

const blocks = shellBlocks.map(blockOf).filter((block) => block !== null);

interface Ended {
  readonly exitCode: number | null;
  /** Standard output and standard error, as they came. */
  readonly output: string;
}

const scratch = temporaryDirectory();
const paths = prepareStateDirectory(join(scratch, 'state'));

/** A terminal of somebody who has set nothing but the state directory, and has `temporal` on the PATH. */
function terminalOf(stateDir: string): NodeJS.ProcessEnv {
  const own = /^(TEMPORAL_|COUNTERSIGN_|VITEST|FORCE_COLOR$|CI$)/;
  return {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !own.test(name))),
    PATH: `${join(scratch, 'bin')}${delimiter}${process.env['PATH'] ?? ''}`,
    COUNTERSIGN_STATE: stateDir,
    TMPDIR: scratch,
    NO_COLOR: '1',
  };
}

mkdirSync(join(scratch, 'bin'));
symlinkSync(inject('temporalCli'), join(scratch, 'bin', 'temporal'));

interface Started {
  readonly child: ChildProcess;
  output(): string;
  readonly ended: Promise<Ended>;
}

const running = new Set<ChildProcess>();

/** In a process group of its own, so that it can be interrupted as a terminal does it. */
function bash(script: string, env: NodeJS.ProcessEnv): Started {
  let output = '';
  const child = spawn('bash', ['-c', `exec 2>&1\n${script}`], {
    cwd: root,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  running.add(child);
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  const ended = new Promise<Ended>((resolve) => {
    child.once('close', (exitCode) => {
      running.delete(child);
      resolve({ exitCode, output });
    });
  });
  return { child, output: () => output, ended };
}

function interrupt(child: ChildProcess, name: NodeJS.Signals): void {
  if (child.pid === undefined || !running.has(child)) return;
  try {
    process.kill(-child.pid, name);
  } catch {
    // The group has ended meanwhile.
  }
}

afterAll(async () => {
  for (const child of running) interrupt(child, 'SIGINT');
  await eventually('everything that was started has ended', () => running.size === 0, 30_000).catch(() => {
    for (const child of running) interrupt(child, 'SIGKILL');
  });
});

const squeezed = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

/** What the block's `# →` lines claim and its output does not hold, in their order. */
function missing(script: string, output: string): string[] {
  const claims = [...script.matchAll(/^# → (.+)$/gm)].map(([, claim = '']) => claim);
  const text = squeezed(output);
  let from = 0;
  return claims.filter((claim) => {
    const found = claim.split('…').reduce((at, part) => {
      const next = at < 0 ? -1 : text.indexOf(squeezed(part), at);
      return next < 0 ? -1 : next + squeezed(part).length;
    }, from);
    if (found >= 0) from = found;
    return found < 0;
  });
}

const caseIn = (file: string) => parseCase(JSON.parse(readFileSync(join(root, file), 'utf8')));
const first = caseIn('examples/T-1042.json');
const revision = JSON.parse(readFileSync(join(root, 'examples/T-1042.revision.json'), 'utf8')) as { body: string };
const ids = {
  first: identify(first).operationId,
  second: identify({ ...first, body: revision.body }).operationId,
  other: identify(caseIn('examples/T-1043.json')).operationId,
};

interface StatusAnswer {
  readonly queryResult: readonly { readonly refusals: unknown }[];
}

/** What holds after a block beyond the text it prints: read past the code under test, from both databases. */
const afterwards: Readonly<Record<string, (output: string, terminal: NodeJS.ProcessEnv) => void | Promise<void>>> = {
  'refused-signals': (output) => {
    const { queryResult } = JSON.parse(output.slice(output.indexOf('{'))) as StatusAnswer;
    expect(queryResult[0]?.refusals).toMatchObject([
      { message: 'approval', outcome: 'stale_proposal', operationId: ids.first, by: 'noor' },
      { message: 'approval', outcome: 'malformed_input', operationId: ids.second, by: 'noor' },
    ]);
    expect(databases.decisions(paths)).toEqual([]);
  },
  'refused-stale-update': () => expect(databases.decisions(paths)).toEqual([]),
  'refused-malformed-update': () => expect(databases.decisions(paths)).toEqual([]),
  'same-update-id': () => {
    expect(databases.decisions(paths)).toEqual([]);
    expect(databases.effects(paths)).toBe(0);
  },
  approve: () => {
    expect(databases.decisions(paths)).toMatchObject([{ operation_id: ids.second, approved: 1, via: 'update' }]);
    expect(databases.operations(paths, 'T-1042')).toMatchObject([
      { operation_id: ids.first, state: 'Superseded', attempts: 0 },
      { operation_id: ids.second, state: 'Completed', attempts: 1 },
    ]);
    expect(databases.effectsOf(paths, ids.second)).toBe(1);
  },
  'list-empty': (output) => expect(output).not.toContain('review/T-1042'),
  conflicting: () => expect(databases.decisions(paths)).toMatchObject([{ operation_id: ids.second, approved: 1 }]),
  terminated: async (_output, terminal) => {
    expect(databases.effectsOf(paths, ids.other)).toBe(1);
    // Why the lists ask for running ones: a run that was terminated keeps what it last said.
    await passesWithin(30_000, async () => {
      const list = `temporal workflow list --query "CountersignState = 'Pending' AND ExecutionStatus = 'Terminated'"`;
      expect((await bash(list, terminal).ended).output).toContain('review/T-1043');
    });
  },
  'started-again': () => {
    expect(databases.operation(paths, ids.other)).toMatchObject({ state: 'Completed', attempts: 1 });
    expect(databases.effects(paths)).toBe(2);
  },
};

/** Runs `act` until it passes; fails with its last fault when the bound is over. */
async function passesWithin(boundMs: number, act: () => Promise<void>): Promise<void> {
  for (const deadline = Date.now() + boundMs; ;) {
    try {
      await act();
      return;
    } catch (thrown) {
      if (Date.now() > deadline) throw thrown;
      await delay(200);
    }
  }
}

test('every shell block of README is run here, or says why it is not', () => {
  const unmarked = shellBlocks.filter(([, marker]) => !/^(test: [\w-]+|not run here: .+)/.test(marker ?? ''));
  expect(unmarked.map(([, , script]) => script)).toEqual([]);
  const names = blocks.map(({ name }) => name);
  expect([...new Set(names)]).toEqual(names);
  expect(names).toEqual(expect.arrayContaining(Object.keys(afterwards)));
});

test('the example is the case of the story that the demo tells', () => {
  expect(first).toEqual(caseIn('test/cases/T-1042.json'));
});

describe('README, in its order', () => {
  const terminal = terminalOf(paths.directory);
  let up: Started | null = null;

  /** Runs `up` in one terminal and pastes the line it prints into the other. */
  async function startUp(script: string): Promise<void> {
    const started = bash(script, { ...terminal });
    up = started;
    const line = await eventually('`up` says that it is ready', () => {
      if (!running.has(started.child)) throw new Error(`\`up\` has ended:\n${started.output()}`);
      return /^Ready\. In another terminal: (export TEMPORAL_ADDRESS=\S+ .*)\n/m.exec(started.output())?.[1];
    });
    const pasted = await bash(`${line}; env -0`, terminal).ended;
    for (const entry of pasted.output.split('\0')) {
      const at = entry.indexOf('=');
      if (/^(TEMPORAL_|COUNTERSIGN_STATE=)/.test(entry)) terminal[entry.slice(0, at)] = entry.slice(at + 1);
    }
    expect(terminal['TEMPORAL_ADDRESS']).toMatch(/^127\.0\.0\.1:\d+$/);
    expect(terminal['COUNTERSIGN_STATE']).toBe(paths.directory);
  }

  test.each(blocks)('$name', async ({ name, script, exitCode, background, eventually: polled }) => {
    if (background) {
      await startUp(script);
      return;
    }
    await passesWithin(polled ? 30_000 : 0, async () => {
      const ended = await bash(script, terminal).ended;
      expect({ ...ended, missing: missing(script, ended.output) }).toEqual({ ...ended, exitCode, missing: [] });
      await afterwards[name]?.(ended.output, terminal);
    });
  });

  test('Ctrl-C ends `up`, its worker and its server', async () => {
    const { child, ended } = up!;
    interrupt(child, 'SIGINT');
    expect(await ended).toMatchObject({ exitCode: 0 });
    const [host, port] = terminal['TEMPORAL_ADDRESS']!.split(':');
    const answers = await new Promise<boolean>((resolve) => {
      const socket = connect(Number(port), host, () => resolve(true)).once('error', () => resolve(false));
      socket.once('close', () => socket.destroy());
    });
    expect(answers).toBe(false);
  });
});

test('without a worker a signal is kept and counts later, and an update is neither accepted nor answered', async () => {
  const queue = `readme-${process.pid}`;
  const id = `review/readme-${process.pid}`;
  const state = prepareStateDirectory(join(scratch, 'without-worker'));
  const terminal = {
    ...terminalOf(state.directory),
    TEMPORAL_ADDRESS: inject('temporalAddress'),
    TEMPORAL_NAMESPACE: inject('temporalNamespace'),
  };
  const temporal = (args: string) => bash(`temporal workflow ${args}`, terminal).ended;
  const approval = `--workflow-id ${id} --input-file examples/T-1043.approval.json`;

  const input = '--input-file examples/T-1043.json';
  await temporal(`start --type reviewOperation --task-queue ${queue} --workflow-id ${id} ${input}`);
  onTestFinished(async () => {
    await temporal(`terminate --workflow-id ${id}`);
  });
  const update = await temporal(`update execute --name decide ${approval} --command-timeout 4s`);
  const signal = await temporal(`signal --name approval ${approval}`);
  const history = await temporal(`show --workflow-id ${id} --output json`);

  expect(update.exitCode).toBe(1);
  expect(history.output).not.toContain('WORKFLOW_EXECUTION_UPDATE');
  expect(signal.output).toContain('Signal workflow succeeded');

  const worker = bash(`exec bin/countersign worker --task-queue ${queue}`, terminal);
  const result = await temporal(`result --workflow-id ${id} --output json`);
  interrupt(worker.child, 'SIGTERM');
  expect(result.output).toContain('"status": "Committed"');
  expect(databases.decisions(state)).toMatchObject([{ operation_id: ids.other, approved: 1, via: 'signal' }]);
  expect(await worker.ended).toMatchObject({ exitCode: 0 });
});

test('the table of commands has exactly the commands that there are', async () => {
  const { output } = await bash('bin/countersign --help', terminalOf(paths.directory)).ended;
  const [, list = ''] = output.split('\nCommands:\n');
  const there = [...list.matchAll(/^ {2}(\S+)/gm)].map(([, name]) => name).filter((name) => name !== 'help');
  const [, table = ''] = readme.split('| command ');
  const documented = [...table.split('\n\n')[0]!.matchAll(/^\| `([\w-]+)/gm)].map(([, name]) => name);
  expect([...new Set(documented)].sort()).toEqual([...there].sort());
});
