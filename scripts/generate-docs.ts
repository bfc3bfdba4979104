/**
 * Writes docs/states.md, docs/errors.md and README's diagram from the tables in src/core, docs/recovery.md from the rows
 * that the crash tests hold, and the boundaries in docs/ARCHITECTURE.md from the rules that check them, so that none of
 * them says what the code does not.
 * `--check` writes nothing and exits 1, naming each file that differs.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { format } from 'prettier';
import { catalogue } from '../src/core/errors.ts';
import { finalStatus } from '../src/core/next-step.ts';
import {
  admitOutcomes,
  claimOutcomes,
  decideOutcomes,
  ExitCodes,
  exitCodeOfOutcome,
  resolveOutcomes,
  reviseOutcomes,
  withdrawOutcomes,
  type Outcome,
} from '../src/core/outcomes.ts';
import { holdsObject, isFinal, stateNames, transitions, type Event, type State } from '../src/core/states.ts';
import { code, made, table } from './markdown.ts';
import { recoveryPage } from './recovery-page.ts';

const root = fileURLToPath(new URL('../', import.meta.url));

const rowsOf = (state: State): [Event, State][] => Object.entries(transitions[state]) as [Event, State][];

/** One arrow per pair of states, with every event that leads along it. */
function arrows(state: State): string[] {
  const targets = [...new Set(rowsOf(state).map(([, to]) => to))];
  return targets.map((to) => {
    const events = rowsOf(state).filter(([, target]) => target === to);
    return `    ${state} --> ${to}: ${events.map(([event]) => event).join(', ')}`;
  });
}

function diagram(): string {
  return [
    '```mermaid',
    'stateDiagram-v2',
    '    [*] --> Pending: admit',
    ...stateNames.flatMap(arrows),
    ...stateNames.filter(isFinal).map((state) => `    ${state} --> [*]`),
    '```',
  ].join('\n');
}

function statesPage(): string {
  const states = stateNames.map((state) => {
    const status = finalStatus(state);
    const kind = isFinal(state) ? 'final' : 'open';
    return [code(state), kind, holdsObject(state) ? 'holds it' : '', status === null ? '' : code(status)];
  });
  const moves = stateNames.flatMap((state) => rowsOf(state).map(([event, to]) => [code(state), code(event), code(to)]));
  return `# States of an operation

${made('src/core/states.ts')}

${diagram()}

An event that has no row for a state changes nothing there. A case that is admitted against its object (another scope or
version, permission revoked, expired) is recorded as \`Pending\` and closed in the same transaction.

## States

An open operation keeps its case: another content for it is refused. One that holds its object keeps every other
operation on that object from being claimed. The result's \`status\` is what a run returns.

${table(['state', 'kind', 'object', 'status in the result'], states)}

## Transitions

${table(['from', 'event', 'to'], moves)}
`;
}

const useCases: readonly (readonly [name: string, outcomes: readonly Outcome[]])[] = [
  ['admit', admitOutcomes],
  ['decide', decideOutcomes],
  ['revise', reviseOutcomes],
  ['withdraw', withdrawOutcomes],
  ['claim', claimOutcomes],
  ['resolve', resolveOutcomes],
];

const exitMeanings: Readonly<Record<keyof typeof ExitCodes, string>> = {
  done: 'done, or the same again',
  internal: 'internal fault; `verify` found a fault',
  usage: 'malformed input or usage',
  stale: 'the content is not what is under review now',
  caseMismatch: 'the case is taken by other content, or its event or workflow version does not fit',
  conflict: 'a decision, a state or the receiver stands against it',
  unknown: 'the outcome is unknown',
  busy: 'somebody else is at work on the object or the operation',
  notAuthorized: 'not authorized',
  notFound: 'not found, or not in the state that the command is for',
  refused: 'refused for what the operation or its object is by now',
  lostReceipt: 'deliberate: a command armed with a crash point',
  workerLostReceipt: 'deliberate: a worker armed with a crash point',
  unreliable: 'server, database or clock cannot be relied on',
};

function outcomesPart(): string {
  const parts = useCases.map(([name, outcomes]) => {
    const rows = outcomes.map((outcome) => [code(outcome), String(exitCodeOfOutcome[outcome])]);
    return `### ${name}\n\n${table(['outcome', 'exit code'], rows)}`;
  });
  return parts.join('\n\n');
}

function errorsPage(): string {
  const named = new Set(useCases.flatMap(([, outcomes]) => outcomes));
  const others = (Object.keys(exitCodeOfOutcome) as Outcome[]).filter((outcome) => !named.has(outcome));
  const exits = (Object.keys(ExitCodes) as (keyof typeof ExitCodes)[]).map((name) => [
    String(ExitCodes[name]),
    exitMeanings[name],
  ]);
  const errors = Object.entries(catalogue).map(([name, entry]) => [
    code(name),
    entry.message,
    entry.hint,
    entry.retryable ? 'yes' : 'no',
    String(entry.exitCode),
  ]);
  return `# Outcomes, errors and exit codes

${made('src/core/outcomes.ts and src/core/errors.ts')}

An expected result is an **outcome**: it is returned. A failure is an **error**: it is thrown, and recognised by its
code alone. A refused update fails with an ApplicationFailure whose \`type\` is the outcome or the error's code.

## Exit codes

${table(['exit', 'meaning'], exits)}

## Outcomes

In order of precedence: the first that applies is the answer.

${outcomesPart()}

### receiver commit

The receiver's other answers, \`exists\` and \`created\`, are receipts and have no exit code of their own.

${table(
  ['outcome', 'exit code'],
  others.map((outcome) => [code(outcome), String(exitCodeOfOutcome[outcome])]),
)}

## Errors

\`--json\` answers \`{"error":{"code","message","hint","pointer"}}\`. The message and the hint may be more specific than
here. Retryable: the same call may succeed later with nothing changed by a person.

${table(['code', 'message', 'hint', 'retryable', 'exit'], errors)}
`;
}

type Patterns = string | readonly string[];

/** As far as the rules of .dependency-cruiser.cjs go. */
interface Rule {
  readonly name: string;
  readonly comment?: string;
  readonly from: { readonly path?: Patterns; readonly pathNot?: Patterns };
  readonly to: {
    readonly path?: Patterns;
    readonly pathNot?: Patterns;
    readonly circular?: boolean;
    readonly couldNotResolve?: boolean;
    readonly dependencyTypes?: Patterns;
    readonly dependencyTypesNot?: Patterns;
  };
}

/** `a(b|c)d` → `abd`, `acd`; a pattern that is more than that stays as it is. */
function alternatives(pattern: string): string[] {
  const [, before, inner, after] = /^([^()]*)\(([^()]*)\)([^()]*)$/.exec(pattern) ?? [];
  if (before === undefined || inner === undefined || after === undefined) return [pattern];
  return inner.split('|').map((one) => before + one + after);
}

const list = (patterns: Patterns | undefined): readonly string[] =>
  typeof patterns === 'string' ? [patterns] : (patterns ?? []);

/** A rule's patterns as paths and module names. */
function pathsOf(patterns: Patterns): string {
  const plain = list(patterns).map((pattern) =>
    pattern
      .replaceAll('(node:)?', 'node:')
      .replaceAll('(@types/)?', '')
      .replaceAll(/node_modules\/|[\^$]/g, ''),
  );
  return plain.flatMap(alternatives).map(code).join(', ');
}

function boundary({ name, from, to, comment }: Rule): string[] {
  const importer = from.path ? pathsOf(from.path) : from.pathNot ? `all but ${pathsOf(from.pathNot)}` : 'everybody';
  const own = list(from.path);
  const allowed = list(to.pathNot).filter((pattern) => !own.includes(pattern));
  const only = allowed.length > 0 ? `only ${pathsOf(allowed)}` : to.pathNot ? 'only itself' : '';
  const never = [
    ...(to.path ? [`not ${pathsOf(to.path)}`] : []),
    ...(to.circular ? ['not in a circle'] : []),
    ...(to.couldNotResolve ? ['not what cannot be found'] : []),
    ...(to.dependencyTypes ? [`not ${list(to.dependencyTypes).map(code).join(', ')}`] : []),
  ];
  const types = to.dependencyTypesNot ? ' (types excepted)' : '';
  return [code(name), importer, `${[only, ...never].filter(Boolean).join('; ')}${types}`, comment ?? ''];
}

function boundaries(): string {
  const config = createRequire(import.meta.url)('../.dependency-cruiser.cjs') as {
    readonly forbidden: readonly Rule[];
  };
  return table(['rule', 'who', 'may import', 'why'], config.forbidden.map(boundary));
}

/** A page as it is, with what stands between its two markers made anew. Throws where a marker is missing. */
function withPart(path: string, name: string, part: string): string {
  const page = readFileSync(join(root, path), 'utf8');
  const [begin, end] = [`<!-- generated: ${name} -->`, '<!-- /generated -->'];
  const from = page.indexOf(begin);
  const to = page.indexOf(end, from);
  if (from < 0 || to < 0) throw new Error(`${path} lacks ${begin} … ${end}`);
  return `${page.slice(0, from)}${begin}\n\n${part.trim()}\n\n${page.slice(to)}`;
}

/** Path from the root → text; whole pages are formatted as the project's formatter wants them. */
export async function generatedDocs(): Promise<ReadonlyMap<string, string>> {
  const options = { parser: 'markdown', printWidth: 120, singleQuote: true };
  return new Map([
    ['docs/states.md', await format(statesPage(), options)],
    ['docs/errors.md', await format(errorsPage(), options)],
    ['docs/recovery.md', await format(recoveryPage(), options)],
    ['README.md', withPart('README.md', 'states', diagram())],
    ['docs/ARCHITECTURE.md', withPart('docs/ARCHITECTURE.md', 'boundaries', await format(boundaries(), options))],
  ]);
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

async function main(check: boolean): Promise<void> {
  for (const [path, text] of await generatedDocs()) {
    const file = join(root, path);
    if (readOrEmpty(file) === text) continue;
    if (check) {
      console.error(`${path} is not what the code says: node --import tsx scripts/generate-docs.ts`);
      process.exitCode = 1;
    } else {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
      console.log(`${path} written`);
    }
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(process.argv.includes('--check'));
