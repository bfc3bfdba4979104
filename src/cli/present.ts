/** Operations as text for people. Draft text is shown whole and with every hidden character visible. */
import Table from 'cli-table3';
import pc from 'picocolors';
import type { Proposal, Status } from '../core/presentation.ts';
import type { OperationRecord, OperationView } from '../core/records.ts';
import { isoTime } from '../core/presentation.ts';
import type { Explanation, Line } from '../operations/explain.ts';
import type { ShownUncertainty } from '../operations/uncertainty.ts';
import { ageText, oneLine, visible, wholeLine } from './text.ts';

const colours: Readonly<Record<string, (text: string) => string>> = {
  Pending: pc.yellow,
  Approved: pc.cyan,
  Executing: pc.cyan,
  Unknown: pc.magenta,
  Completed: pc.green,
};

export const stateText = (state: string): string => (colours[state] ?? pc.dim)(state);

/** Every line is set in, also the later lines of one entry: a draft must not look like a line of ours. */
function block(title: string, entries: readonly string[]): string {
  return [pc.bold(title), ...entries.flatMap((entry) => entry.split('\n')).map((line) => `  ${line}`)].join('\n');
}

/** Nothing here is cut short: it is what somebody decides about. */
export function proposalText(proposal: Proposal): string {
  const { object } = proposal;
  return [
    `${pc.bold('operation')}  ${proposal.operationId}`,
    `${pc.bold('case')}       ${wholeLine(proposal.caseId)}   ${pc.bold('action')} ${wholeLine(proposal.action)}`,
    `${pc.bold('object')}     ${wholeLine(object.id)}, version ${object.version}, scope ${wholeLine(object.scope)}`,
    `${pc.bold('proposed')}   ${proposal.proposedAt}${proposal.proposedBy === null ? '' : ` by ${wholeLine(proposal.proposedBy)}`}`,
    ...(proposal.decideBy === null ? [] : [`${pc.bold('decide by')}  ${proposal.decideBy}`]),
    ...(proposal.humanEdited ? [`${pc.bold('edited')}     the text was edited by a person`] : []),
    block('body', [visible(proposal.body)]),
    ...(proposal.evidence.length === 0
      ? []
      : [
          block(
            'evidence',
            proposal.evidence.map(
              (source) =>
                `${wholeLine(source.sourceId)} version ${wholeLine(String(source.version))}: ${visible(source.quotation)}`,
            ),
          ),
        ]),
    block(
      'policy',
      Object.entries(proposal.policy).map(([key, value]) => `${wholeLine(key)} = ${wholeLine(JSON.stringify(value))}`),
    ),
    ...(proposal.checks.length === 0
      ? []
      : [
          block(
            'checks',
            proposal.checks.map((check) => `${wholeLine(check.name)}: ${wholeLine(check.result)}`),
          ),
        ]),
  ].join('\n');
}

export function statusText(status: Status): string {
  const { decision, result } = status;
  const lines = [`${pc.bold('state')}      ${stateText(status.state)}, attempts ${status.attempts}`];
  if (decision) {
    const reason = decision.reason === null ? '' : `: ${oneLine(decision.reason)}`;
    const verdict = decision.approved ? 'approved' : 'declined';
    lines.push(
      `${pc.bold('decision')}   ${verdict} by ${oneLine(decision.reviewer)} at ${decision.decidedAt}${reason}`,
    );
  }
  if (result) {
    const replayed = result.replayed ? ' (it existed already; nothing was written)' : '';
    lines.push(`${pc.bold('result')}     ${result.status}, effects ${result.effectCount}${replayed}`);
  }
  lines.push(`${pc.bold('head')}       ${status.headHash}`);
  return lines.join('\n');
}

/** `name`: how an operation is named; whole where somebody reads about one, shortened in a list. */
function uncertaintyLines(uncertainty: ShownUncertainty, name: (operationId: string) => string): string[] {
  const { since, ageSeconds, looks, nextLookAt, blocks, blockedCount } = uncertainty;
  const more = blockedCount > blocks.length ? ` and ${blockedCount - blocks.length} more` : '';
  return [
    `not known since ${since} (${ageText(ageSeconds * 1000)}), asked ${looks === 1 ? 'once' : `${looks} times`}, next from ${nextLookAt}`,
    blocks.length === 0 ? 'blocks nothing' : `blocks ${blocks.map(name).join(', ')}${more}`,
  ];
}

export const uncertaintyText = (uncertainty: ShownUncertainty): string =>
  block(
    'outcome',
    uncertaintyLines(uncertainty, (operationId) => operationId),
  );

/** The newest ones; `explain` has them all. */
export function contradictionsText(contradictions: readonly Line[]): string {
  const shown = contradictions.slice(-3);
  const more =
    contradictions.length > shown.length ? [`${contradictions.length - shown.length} more; see explain`] : [];
  return block(`contradictions of this state (${contradictions.length})`, [...shown.map(lineText), ...more]);
}

interface ListFacts {
  readonly views: ReadonlyMap<string, OperationView>;
  readonly uncertain: ReadonlyMap<string, ShownUncertainty>;
}

const shortId = (operationId: string): string => operationId.slice(0, 18);

export function listText(rows: readonly OperationRecord[], facts: ListFacts, nowMs: number): string {
  const { views, uncertain } = facts;
  if (rows.length === 0) return 'No operations.';
  const table = new Table({
    head: ['operation', 'case', 'state', 'age', 'object', 'decide by', 'waits for'],
    style: { head: [], border: [] },
  });
  for (const row of rows) {
    const heldBy = views.get(row.operationId)?.heldBy ?? null;
    const deadline = row.state === 'Pending' ? (row.decideByMs ?? row.expiresAtMs) : null;
    table.push([
      shortId(row.operationId),
      oneLine(row.caseId, 30),
      stateText(row.state),
      ageText(nowMs - row.proposedAtMs),
      oneLine(row.object.id, 30),
      deadline === null ? '' : isoTime(deadline),
      heldBy === null ? '' : shortId(heldBy),
    ]);
  }
  const open = [...uncertain].map(([operationId, uncertainty]) =>
    block(shortId(operationId), uncertaintyLines(uncertainty, shortId)),
  );
  return [table.toString(), ...open].join('\n');
}

const lineText = ({ text, record }: Line): string =>
  `${oneLine(text, 300)} ${pc.dim(`[${record.table} ${record.key}, ${record.at}]`)}`;

export function explanationText(explanation: Explanation): string {
  const list = (title: string, lines: readonly Line[]): string =>
    block(title, lines.length === 0 ? [pc.dim('nothing on record')] : lines.map(lineText));
  return [
    `${explanation.operationId} is ${stateText(explanation.state)}.`,
    list('Definitely happened', explanation.happened),
    list('Attempted', explanation.attempted),
    list('Not established', explanation.notEstablished),
  ].join('\n');
}
