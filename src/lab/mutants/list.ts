/** The mutants. They are patches of source text and exist in copies only: nothing here is in a shipped code path. */
import type { Mutant } from './mutant.ts';

const decideSql = 'src/ledger/sqlite/transactions/decide.ts';
const migration = 'src/ledger/sqlite/migrations/0001-initial.sql';

export const mutants: readonly Mutant[] = [
  {
    name: 'stale-check-dropped',
    bug: 'an approval counts for whatever is under review now, not for what it names',
    situation: 'stale-tab',
    arm: 'ledger',
    promise: 'only-what-was-approved',
    patches: [
      {
        file: decideSql,
        find: 'export function decide(store: Store, input: DecideInput): DecideAnswer {',
        replace: `export function decide(store: Store, given: DecideInput): DecideAnswer {
  const named = store.operations.get(given.operationId);
  const newest = named && store.operations.newestIdOfCase(named.caseId);
  const input = { ...given, operationId: newest ?? given.operationId };`,
      },
    ],
  },
  {
    name: 'claim-after-effect',
    bug: 'the receiver is called before the claim is committed',
    situation: 'destination-does-not-deduplicate',
    arm: 'ledger',
    promise: 'at-most-one-effect',
    patches: [
      {
        file: 'src/operations/execute.ts',
        find: '  const { outcome, why, view, claim } = await ledger.claim({',
        replace: `  await receiver.commit({
    ...{ operationId, payload, attempt: 1, ledgerId: ledger.ledgerId, ledgerSequence: 0, ledgerHash: '' },
  });
  const { outcome, why, view, claim } = await ledger.claim({`,
      },
    ],
  },
  {
    name: 'decision-not-immutable',
    bug: 'a later decision takes the place of the first',
    situation: 'opposite-decisions',
    arm: 'ledger',
    promise: 'decision-is-kept',
    patches: [
      {
        file: 'src/core/decision.ts',
        find: "return refused('conflicting_decision');",
        replace: "return refused('recorded');",
      },
      {
        file: decideSql,
        find: "if (outcome !== 'repeated' && outcome !== 'recorded') return null;",
        replace: "if (outcome !== 'repeated') return null;",
      },
      {
        file: 'src/ledger/sqlite/tables/decisions.ts',
        find: 'INSERT INTO decisions',
        replace: 'INSERT OR REPLACE INTO decisions',
      },
      {
        file: migration,
        find: "BEGIN SELECT RAISE(ABORT, 'a decision is written once'); END;",
        replace: 'BEGIN SELECT 1; END;',
      },
    ],
  },
  {
    name: 'decision-acknowledged-before-commit',
    bug: 'the reviewer is answered first, and the decision committed a little later',
    situation: 'opposite-decisions',
    arm: 'ledger',
    promise: 'decision-is-kept',
    patches: [
      {
        file: 'src/ledger/sqlite/ledger.ts',
        find: '    write: (body, after) => guarded(() => run.immediate(body) as ReturnType<typeof body>, after),',
        replace: `    write: (body, after) => {
      if (after !== 'decide.after-commit') {
        return guarded(() => run.immediate(body) as ReturnType<typeof body>, after);
      }
      return guarded(() => {
        let answer: ReturnType<typeof body> | undefined;
        try {
          run.immediate(() => {
            answer = body();
            throw new Error('committed later');
          });
        } catch (thrown) {
          if (answer === undefined) throw thrown;
        }
        setTimeout(() => {
          try {
            run.immediate(body);
          } catch {
            // The process was gone before.
          }
        }, 250);
        return answer as ReturnType<typeof body>;
      });
    },`,
      },
    ],
  },
  {
    name: 'retry-on-unknown',
    bug: 'what is unknown is sent again, whatever the destination declares',
    situation: 'destination-does-not-deduplicate',
    arm: 'ledger',
    promise: 'at-most-one-effect',
    patches: [
      {
        file: 'src/core/recovery.ts',
        find: `  if (!declaration.deduplicates)
    return no('the receiver does not deduplicate: a second sending could be a second effect');
`,
        replace: '',
      },
    ],
  },
  {
    name: 'receiver-key-dropped',
    bug: 'each attempt is sent under a key of its own',
    situation: 'receipt-lost-thrown',
    arm: 'ledger',
    promise: 'at-most-one-effect',
    patches: [
      {
        file: 'src/operations/execute.ts',
        find: '  const receipt = await receiver.commit({\n    operationId,',
        replace: '  const receipt = await receiver.commit({\n    operationId: `attempt-${Math.random()}`,',
      },
      // Otherwise the ledger notices an effect that it knows nothing of, and refuses to go on.
      {
        file: 'src/operations/witness.ts',
        find: '  if (!newest) return;',
        replace: '  if (newest ?? true) return;',
      },
    ],
  },
  {
    name: 'expiry-not-rechecked',
    bug: 'an approval outlives its expiry',
    situation: 'expired-after-approval',
    arm: 'ledger',
    promise: 'only-what-was-approved',
    patches: [
      {
        file: 'src/core/admission.ts',
        find: "  if (expiresAtMs !== null && nowMs >= expiresAtMs) return { outcome: 'expired', event: 'expire' };\n",
        replace: '',
      },
    ],
  },
  {
    name: 'permission-not-rechecked',
    bug: 'a permission that was revoked after the approval does not count',
    situation: 'permission-revoked',
    arm: 'ledger',
    promise: 'only-what-was-approved',
    patches: [
      {
        file: 'src/core/admission.ts',
        find: '(stored.scope !== object.scope || !stored.permitted)',
        replace: '(stored.scope !== object.scope)',
      },
    ],
  },
  {
    name: 'object-version-not-rechecked',
    bug: 'an object that changed after the approval does not count',
    situation: 'object-version-changed',
    arm: 'ledger',
    promise: 'only-what-was-approved',
    patches: [
      {
        file: 'src/core/admission.ts',
        find: "  if (stored && stored.version !== object.version) return { outcome: 'superseded', event: 'object_changed' };\n",
        replace: '',
      },
    ],
  },
  {
    name: 'overlap-ignored',
    bug: 'an operation is claimed while another one on the same object is under way',
    situation: 'two-operations-one-object',
    arm: 'ledger',
    promise: 'only-what-was-approved',
    patches: [
      {
        file: 'src/ledger/sqlite/store.ts',
        find: 'heldBy: tables.operations.holder(operation.object.id, operation.operationId),',
        replace: 'heldBy: null,',
      },
      {
        file: migration,
        find: 'CREATE UNIQUE INDEX one_claim_per_object',
        replace: 'CREATE INDEX one_claim_per_object',
      },
    ],
  },
  {
    name: 'result-trusted-from-workflow-state',
    bug: 'a run reports what it believes after an attempt, not what the ledger says',
    situation: 'same-identity-other-payload',
    arm: 'both',
    promise: 'no-invented-outcome',
    patches: [
      {
        file: 'workflows/review-operation.ts',
        find: '    await loop.act(operationId, state.next);\n',
        replace: `    await loop.act(operationId, state.next);
    if (state.next.step === 'execute') {
      await condition(allHandlersFinished);
      return { operationId, status: 'Committed', replayed: false, effectCount: 1, attempts: 1, headHash: '' };
    }
`,
      },
    ],
  },
  {
    name: 'identity-not-recomputed',
    bug: 'the stored content is sent under the approved identity without being compared with it',
    situation: 'stored-content-altered',
    arm: 'ledger',
    promise: 'only-what-was-approved',
    patches: [
      { file: 'src/operations/content.ts', find: '  if (same) return identity;\n', replace: '  return identity;\n' },
    ],
  },
  {
    name: 'conflict-taken-for-receipt',
    bug: 'the answer that the key is in use is taken for a receipt',
    situation: 'same-identity-other-payload',
    arm: 'ledger',
    promise: 'no-invented-outcome',
    patches: [
      {
        file: 'src/core/evidence.ts',
        find: "  if (answer !== 'conflict') return matching(operation);\n",
        replace: '  return matching(operation);\n',
      },
    ],
  },
  {
    name: 'absence-taken-for-evidence',
    bug: 'a look that finds nothing counts as having found the effect',
    situation: 'worker-killed-after-claim',
    arm: 'ledger',
    promise: 'no-invented-outcome',
    patches: [
      {
        file: 'src/operations/reconcile.ts',
        find: "  if (look.payloadSha256 === null) return 'absent';\n",
        replace: "  if (look.payloadSha256 === null) return 'matching';\n",
      },
    ],
  },
];
