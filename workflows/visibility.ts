/** What lists and the UI show of a run: search attributes and current details, without any draft text. */
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import type { Proposal, Status } from '../src/core/presentation.ts';

const keys = {
  state: defineSearchAttributeKey('CountersignState', SearchAttributeType.KEYWORD),
  caseId: defineSearchAttributeKey('CountersignCase', SearchAttributeType.KEYWORD),
  operation: defineSearchAttributeKey('CountersignOperation', SearchAttributeType.KEYWORD),
  object: defineSearchAttributeKey('CountersignObject', SearchAttributeType.KEYWORD),
  deadline: defineSearchAttributeKey('CountersignDeadline', SearchAttributeType.DATETIME),
};

/** As code in Markdown. The text comes from a proposer: no backtick of its own may end it and pass for our words. */
const code = (text: string): string => `\`${text.replaceAll('`', "'")}\``;

/** Shows a run's state; each change costs the server a write, so an unchanged one is not sent again. */
export class Shown {
  private last = '';

  show(proposal: Proposal, status: Status, waitsFor: string, searchAttributes: boolean): void {
    const { state, operationId } = status;
    setCurrentDetails(
      [
        `**${state}** — ${waitsFor}`,
        `- case ${code(proposal.caseId)}, action ${code(proposal.action)}`,
        `- operation ${code(operationId)}`,
        `- object ${code(proposal.object.id)}, version ${proposal.object.version}, scope ${code(proposal.object.scope)}`,
        ...(proposal.decideBy === null ? [] : [`- decide by ${proposal.decideBy}`]),
      ].join('\n'),
    );
    const now = `${state} ${operationId}`;
    if (!searchAttributes || now === this.last) return;
    this.last = now;
    upsertSearchAttributes([
      { key: keys.state, value: state },
      { key: keys.caseId, value: proposal.caseId },
      { key: keys.operation, value: operationId },
      { key: keys.object, value: proposal.object.id },
      { key: keys.deadline, value: proposal.decideBy === null ? null : new Date(proposal.decideBy) },
    ]);
  }
}
