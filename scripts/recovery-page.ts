/** docs/recovery.md: what a dead process leaves, and what goes on, at every crash point. */
import { ExitCodes } from '../src/core/outcomes.ts';
import { crashManners } from '../src/worker/crash.ts';
import { crashRows, type CrashRow, type Stand } from './crash-rows.ts';
import { code, made, table } from './markdown.ts';

const counted = (count: number, what: string): string =>
  `${count === 0 ? 'no' : count} ${what}${count === 1 ? '' : 's'}`;

function stood({ state, attempts, effects }: Stand): string {
  if (state === null) return 'nothing of the operation';
  return `${code(state)}, ${counted(attempts, 'attempt')}, ${counted(effects, 'effect')}`;
}

const onDisk = (stand: Stand): string => {
  const last = stand.journal.at(-1);
  return last === undefined ? stood(stand) : `${stood(stand)}; last record ${code(last)}`;
};

const temporalTest = code('test/crash/temporal.test.ts');
const applicationTest = code('test/crash/application.test.ts');

const row = (at: CrashRow): string[] => [
  code(at.point),
  at.gap,
  onDisk(at.atCrash),
  at.temporal,
  at.application ?? 'there is no such point',
  stood(at.end),
  at.application === null ? temporalTest : `${temporalTest}, ${applicationTest}`,
];

const thrownRow = ({ point, thrown, atCrash }: CrashRow): string[] => [
  code(point),
  String(thrown.exit),
  onDisk(thrown.stand ?? atCrash),
];

export function recoveryPage(): string {
  return `# Recovery

${made('scripts/crash-rows.ts')}

Three authorities answer three questions, and none is asked another one's:

- **Temporal's history**: where is this execution, what runs next.
- **The ledger**: what was proposed, decided, claimed, attempted, observed.
- **The receiver**: did the effect with this identity and payload happen.

No transaction spans two of them, so a process can die between any two commits. Each such place has a name, a **crash
point** (\`src/ports/crash-points.ts\`). After it nobody assumes how far the dead process came: a run reads the ledger, the
ledger's state says whether the receiver is to be asked, and only what the receiver says, or an operator, settles an
attempt without a receipt. A decision is never lost with the process that wrote it, and a claim is committed before
anything is sent, so that what may have happened is always visible as \`Executing\` or \`Unknown\`.

## See it yourself

A crash point is inert unless an option arms it:

\`\`\`text
countersign --driver application --crash-at receiver.committed=exit approve ID --reviewer NAME
countersign worker --crash-at claim.after-commit=pause
\`\`\`

The manner is one of ${crashManners.map(code).join(', ')} (default ${code('exit')}). \`exit\`: the process ends there, a command with exit
code ${ExitCodes.lostReceipt}, a worker with ${ExitCodes.workerLostReceipt}. \`throw\`: an error is thrown there, once. \`pause\`: the process writes its id to
\`paused-at-crash-point\` in the state directory and stands there until somebody kills it. An armed worker says so in its
log when it starts. Then read \`countersign explain ID\`, and go on as the table says.

## Where a process dies

Each row is tested with a process that exits there, one that fails with an error, and one that is killed (kill -9) while
it stands there; \`.ci/run\` takes one of the three for each driver, \`.ci/full\` all. The tests use the embedded SQLite
receiver, which deduplicates and whose look-up is authoritative; what may follow at other receivers is judged by
\`src/core/recovery.ts\`. \`npm test -- test/crash -t "at POINT "\` runs the tests of one row. The temporal driver's process
is the worker, at \`propose.workflow-started\` the command \`begin\`.

${table(
  ['point', 'where', 'on disk', 'temporal: the next worker', 'application: the next command', 'where it ends', 'tests'],
  crashRows.map(row),
)}

## Where an error is thrown

The process survives. A worker goes on by itself: the run retries a ledger step or a look, and asks the receiver after an
attempt, so nobody has to do anything and it ends as above. A command of the application driver asks the receiver where its
own attempt failed after the claim; anywhere else it fails, and giving it again goes on as above.

${table(
  ['point', 'exit code', 'on disk when the command is over'],
  crashRows.filter(({ application }) => application !== null).map(thrownRow),
)}
`;
}
