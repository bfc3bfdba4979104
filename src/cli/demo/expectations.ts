/** Everything the demonstration claims, written down before it is run. */
import type { Expectation } from './checks.ts';

/** The identity of case T-1042 with HOLD-7 at version 2, as the second implementation computed it (test/vectors). */
export const recordedIdentity = 'op-v1-3e2abe2478d94ceb908d0cb7c42218c72dd97f760399dedd39178dada75de9e1';

const rows = [
  ['begin.exit', 'begin ends with exit code', 0],
  ['begin.outcome', 'begin answers', 'admitted'],
  ['begin.run', 'after its process ended, Temporal says', 'RUNNING'],
  ['source.exit', 'revising the evidence ends with exit code', 0],
  ['source.identity', 'the proposal is now the recorded one', recordedIdentity],
  ['stale.refusal', 'approval of the first proposal: status shows', 'stale_proposal'],
  ['stale.decisions', '… decisions in the ledger', 0],
  ['stale.effects', '… effects at the receiver', 0],
  ['no-boolean.refusal', 'approval without a boolean: status shows', 'malformed_input'],
  ['no-boolean.decisions', '… decisions in the ledger', 0],
  ['no-boolean.effects', '… effects at the receiver', 0],
  ['lost.worker', 'the worker that lost the receipt exits with', 42],
  ['lost.decisions', '… decisions in the ledger', 1],
  ['between.run', 'with no worker, Temporal says', 'RUNNING'],
  ['between.state', '… the ledger says', 'Executing'],
  ['between.effects', '… effects at the receiver', 1],
  ['recovered.status', 'with a new worker the run ends with', 'Committed'],
  ['recovered.finding', '… because a look at the receiver found', 'matching'],
  ['recovered.effects', '… effects at the receiver', 1],
  ['recovered.attempts', '… attempts in the ledger', 1],
  ['recovered.bytes', '… what the receiver holds hashes to the approved identity', true],
  ['again.exit', 'approving again ends with exit code', 0],
  ['again.outcome', '… and answers', 'repeated'],
  ['again.changes', '… tables changed in both databases', 0],
  ['decline.exit', 'declining now ends with exit code', 5],
  ['decline.outcome', '… and answers', 'conflicting_decision'],
  ['decline.decision', '… the decision on record', 'approved by alice'],
  ['decline.effects', '… effects at the receiver', 1],
  ['revision.new', 'an edited body is another identity', true],
  ['revision.old.exit', 'approving the old one ends with exit code', 3],
  ['revision.old.outcome', '… and answers', 'stale_proposal'],
  ['revision.state', 'approving the new one: the ledger says', 'Completed'],
  ['revision.effects', '… effects of the old and the new identity', '0 and 1'],
  ['naive.worker', 'random key per attempt: the worker exits with', 42],
  ['naive.status', '… Temporal says', 'COMPLETED'],
  ['naive.claim', '… effects the workflow reports', 1],
  ['naive.effects', '… effects at the receiver', 2],
  ['naive.payloads', '… different payloads among them', 1],
  ['application.server', 'no Temporal: its server runs', false],
  ['application.exit', '… the process that lost the receipt exits with', 17],
  ['application.state', '… the ledger says', 'Executing'],
  ['application.lost', '… effects at the receiver', 1],
  ['application.first', '… reconcile answers', 'Committed'],
  ['application.second', '… reconcile answers the second time', 'Committed'],
  ['application.changes', '… tables changed by the second time', 0],
  ['application.completed', '… the ledger says', 'Completed'],
  ['application.effects', '… effects at the receiver', 1],
  ['application.attempts', '… attempts in the ledger', 1],
] as const;

export type CheckName = (typeof rows)[number][0];

export const expectations: readonly Expectation<CheckName>[] = rows.map(([name, says, expected]) => ({
  name,
  says,
  expected,
}));
