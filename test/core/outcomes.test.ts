// The outcomes of contract section 5 in their order, and the exit codes of section 6 as one table.
import { expect, test } from 'vitest';
import {
  ExitCodes,
  admitOutcomes,
  claimOutcomes,
  decideOutcomes,
  exitCodeOfOutcome,
  isOnRecord,
  resolveOutcomes,
  reviseOutcomes,
  withdrawOutcomes,
} from '../../src/core/outcomes.ts';

const words = (text: string): string[] => text.trim().split(/\s+/);

test('the outcomes of every use case stand in the precedence of the contract', () => {
  expect(admitOutcomes).toEqual(
    words(`unsupported_workflow_version event_conflict duplicate case_open content_already_proposed denied superseded
      expired admitted`),
  );
  expect(decideOutcomes).toEqual(
    words(`unknown_operation not_authorized repeated conflicting_decision stale_proposal expired closed recorded`),
  );
  expect(reviseOutcomes).toEqual(
    words(`unknown_operation not_authorized stale_proposal already_decided content_already_proposed revised`),
  );
  expect(withdrawOutcomes).toEqual(words(`unknown_operation not_authorized stale_proposal already_decided withdrawn`));
  expect(claimOutcomes).toEqual(
    words(`not_approved completed in_progress unknown denied superseded expired overlap claimed`),
  );
  expect(resolveOutcomes).toEqual(words(`unknown_operation not_authorized not_unknown resolved`));
});

/** Section 6: exit code and outcomes. Code 0 is "done, or the same again". */
const table: Readonly<Record<number, string>> = {
  0: 'admitted duplicate recorded repeated revised withdrawn claimed completed resolved',
  3: 'stale_proposal content_already_proposed',
  4: 'case_open event_conflict unsupported_workflow_version',
  5: 'conflicting_decision already_decided closed conflict',
  6: 'unknown',
  7: 'overlap in_progress',
  8: 'not_authorized',
  9: 'unknown_operation not_unknown',
  10: 'expired denied superseded not_approved',
};

test('every outcome has the exit code of the contract', () => {
  const expected = Object.entries(table).flatMap(([code, names]) => words(names).map((name) => [name, Number(code)]));
  expect(exitCodeOfOutcome).toEqual(Object.fromEntries(expected));
});

test('the named exit codes are those of the contract and the two deliberate crashes', () => {
  expect(Object.values(ExitCodes).sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 17, 42, 69]);
  expect(ExitCodes).toMatchObject({ lostReceipt: 17, workerLostReceipt: 42, unreliable: 69, usage: 2, internal: 1 });
});

test('content is on record when it was admitted, open or closed at once, or was there already', () => {
  const onRecord = admitOutcomes.filter(isOnRecord);
  expect(onRecord).toEqual(['duplicate', 'denied', 'superseded', 'expired', 'admitted']);
});
