/** Commands about cases and what is recorded of them: begin, show, list, explain, id. */
import type { Command } from 'commander';
import { isoTime, presentProposal, presentStatus } from '../../core/presentation.ts';
import { CountersignError } from '../../core/errors.ts';
import { finalStatus } from '../../core/next-step.ts';
import { ExitCodes } from '../../core/outcomes.ts';
import type { OperationView } from '../../core/records.ts';
import { isFinal, openStates, stateNames, type State } from '../../core/states.ts';
import { identify, readCaseFile, readGivenCaseFile } from '../../identity/index.ts';
import { canonicalCase } from '../../operations/content.ts';
import { explain } from '../../operations/explain.ts';
import { uncertaintyOf, type ShownUncertainty } from '../../operations/uncertainty.ts';
import { action, exitCodeOf, find, name, wholeNumber } from '../command.ts';
import {
  contradictionsText,
  explanationText,
  listText,
  proposalText,
  statusText,
  uncertaintyText,
} from '../present.ts';
import { oneLine, wholeLine } from '../text.ts';

const begin = action<{ wait: string }, [string]>(async ({ context, driver }, options, file) => {
  const content = await readGivenCaseFile(file);
  const begun = await (await driver()).begin(content, wholeNumber('--wait', options.wait, 1, 86_400) * 1000);
  const { outcome, operationId, proposal, status, workflowId, runId } = begun;
  const other = proposal !== null && proposal.operationId !== operationId;
  const answer = {
    outcome,
    operationId,
    caseId: content.caseId,
    state: other ? null : (status?.state ?? null),
    currentOperationId: proposal?.operationId ?? null,
    currentState: status?.state ?? null,
    workflowId,
    runId,
    proposal,
  };
  const text = (): string =>
    [
      `${outcome}: ${operationId ?? 'not drafted'}`,
      ...(proposal ? [proposalText(proposal)] : []),
      ...(status ? [statusText(status)] : []),
    ].join('\n');
  const code = exitCodeOf(outcome);
  if (code === ExitCodes.done) context.out.answer(answer, text);
  else context.out.refused(outcome, answer, () => `${text()}\nThe case was refused: ${outcome}.`);
  return code;
});

const show = action<object, [string]>(async ({ context }, _options, idOrCase) => {
  const view = await find(context, idOrCase);
  const proposal = presentProposal(view.operation);
  const status = presentStatus(view, context.executor);
  const { operationId, workflowId, runId } = view.operation;
  const ports = context.ports();
  const { happened, notEstablished } = await explain(ports, operationId);
  const contradictions = [...happened, ...notEstablished].filter((line) => line.contradicts);
  const uncertainty = await uncertaintyOf(ports, view);
  const answer = { ...status, workflowId, runId, uncertainty, contradictions: contradictions.length, proposal };
  context.out.answer(answer, () =>
    [
      proposalText(proposal),
      statusText(status),
      ...(workflowId === null ? [] : [`run        ${wholeLine(workflowId)} (${runId ?? ''})`]),
      ...(uncertainty === null ? [] : [uncertaintyText(uncertainty)]),
      ...(contradictions.length === 0 ? [] : [contradictionsText(contradictions)]),
    ].join('\n'),
  );
  return ExitCodes.done;
});

function statesFrom(state: string | undefined, all: boolean | undefined): readonly State[] {
  if (state === undefined) return all ? [] : openStates;
  const known = stateNames.find((name) => name.toLowerCase() === state.toLowerCase());
  if (known) return [known];
  throw new CountersignError('usage', {
    message: `There is no state ${JSON.stringify(state)}.`,
    hint: `States: ${stateNames.join(', ')}.`,
  });
}

interface ListOptions {
  readonly inState?: string;
  readonly case?: string;
  readonly all?: boolean;
  readonly limit: string;
  readonly after: string;
}

const list = action<ListOptions, []>(async ({ context }, options) => {
  const filter = {
    states: statesFrom(options.inState, options.all ?? options.case !== undefined),
    ...(options.case === undefined ? {} : { caseId: options.case }),
    after: wholeNumber('--after', options.after, 0, Number.MAX_SAFE_INTEGER),
    limit: wholeNumber('--limit', options.limit, 1, 10_000),
  };
  const ports = context.ports();
  const rows = await ports.ledger.list(filter);
  const views = new Map<string, OperationView>();
  const uncertain = new Map<string, ShownUncertainty>();
  for (const { operationId, state } of rows) {
    const view = isFinal(state) ? null : await ports.ledger.view(operationId);
    const uncertainty = view && (await uncertaintyOf(ports, view));
    if (view) views.set(operationId, view);
    if (uncertainty) uncertain.set(operationId, uncertainty);
  }
  const nowMs = [...views.values()].at(-1)?.ledgerTimeMs ?? Date.now();
  const operations = rows.map((row) => ({
    sequence: row.sequence,
    operationId: row.operationId,
    caseId: row.caseId,
    action: row.action,
    state: row.state,
    status: finalStatus(row.state),
    attempts: row.attempts,
    object: row.object,
    proposedAt: isoTime(row.proposedAtMs),
    ageSeconds: Math.floor((nowMs - row.proposedAtMs) / 1000),
    heldBy: views.get(row.operationId)?.heldBy ?? null,
    uncertainty: uncertain.get(row.operationId) ?? null,
    workflowId: row.workflowId,
    runId: row.runId,
  }));
  context.out.answer({ operations }, () => listText(rows, { views, uncertain }, nowMs));
  return ExitCodes.done;
});

const explainCommand = action<object, [string]>(async ({ context }, _options, idOrCase) => {
  const { operation } = await find(context, idOrCase);
  const explanation = await explain(context.ports(), operation.operationId);
  context.out.answer(explanation, () => explanationText(explanation));
  return ExitCodes.done;
});

const id = action<object, [string]>(async ({ context }, _options, file) => {
  const content = canonicalCase(await readCaseFile(file));
  const { evidenceId, policyId, operationId } = identify(content);
  context.out.answer({ operationId, evidenceId, policyId }, () =>
    [`operation  ${operationId}`, `evidence   ${evidenceId}`, `policy     ${policyId}`].join('\n'),
  );
  return ExitCodes.done;
});

const objectSet = action<{ version: string; scope?: string; revoked?: boolean; permitted?: boolean }, [string]>(
  async ({ context }, options, objectId) => {
    if (options.revoked && options.permitted) {
      throw new CountersignError('usage', { message: 'An object is either --revoked or --permitted.' });
    }
    const change = {
      objectId: name('the object', objectId),
      version: wholeNumber('--version', options.version, 1, Number.MAX_SAFE_INTEGER),
      ...(options.scope === undefined ? {} : { scope: name('--scope', options.scope) }),
      ...(options.revoked ? { permitted: false } : options.permitted ? { permitted: true } : {}),
      actor: context.executor,
    };
    const object = await context.ports().ledger.setObject(change);
    context.out.answer(
      object,
      () =>
        `${oneLine(object.objectId)}: version ${object.version}, scope ${oneLine(object.scope)}, ${object.permitted ? 'permitted' : 'revoked'}`,
    );
    return ExitCodes.done;
  },
);

export function registerCaseCommands(program: Command): void {
  program
    .command('begin')
    .description('propose a case for review; prints the proposal')
    .argument('<file>', 'case file (JSON), or - for standard input')
    .option('--wait <seconds>', 'how long to wait for a worker to prepare the proposal', '30')
    .action(begin);
  program.command('show').description('the proposal, whole, and its state').argument('<id-or-case>').action(show);
  program
    .command('list')
    .description('what waits, oldest first; --all for settled operations too')
    .option('--in-state <state>', 'only operations in this state')
    .option('--case <case>', 'every operation of one case')
    .option('--all', 'settled operations too')
    .option('--limit <n>', 'at most so many', '200')
    .option('--after <sequence>', 'only those admitted after this sequence number', '0')
    .action(list);
  program
    .command('explain')
    .description('what definitely happened, what was attempted, what is not established')
    .argument('<id-or-case>')
    .action(explainCommand);
  program
    .command('id')
    .description('the identities of a case file; changes nothing')
    .argument('<file>', 'case file (JSON), or - for standard input')
    .action(id);
  program
    .command('object')
    .description('what the ledger knows of an object')
    .command('set')
    .description('set version, scope and permission of an object')
    .argument('<object-id>')
    .requiredOption('--version <n>', 'its version')
    .option('--scope <scope>', 'its scope')
    .option('--revoked', 'nothing may be claimed on it')
    .option('--permitted', 'claims are permitted again')
    .action(objectSet);
}
