// The lab's drafting model: every call is counted, whatever process makes it, and each gives another text.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { labDrafter } from '../../src/lab/drafting.ts';
import { journalAt, readJournal } from '../../src/lab/journal.ts';
import { undrafted } from '../support/ports-world.ts';
import { temporaryDirectory } from '../support/temporary.ts';

const directory = temporaryDirectory();

test('two processes of an experiment share the count of calls, and the journal names each', async () => {
  const journal = join(directory, 'journal.jsonl');
  const [first, second] = ['worker-1', 'worker-2'].map((by) => labDrafter({ journal }, journalAt(journal, by)));

  const texts = [
    await first!.draft(undrafted()),
    await second!.draft(undrafted()),
    await first!.draft(undrafted({ caseId: 'T-2' })),
  ];

  expect(texts.map((text) => text.slice(0, 'Draft 1 for T-'.length))).toEqual([
    'Draft 1 for T-',
    'Draft 2 for T-',
    'Draft 3 for T-',
  ]);
  const { events, unreadable } = readJournal(journal);
  expect(unreadable).toBe(0);
  expect(events.map(({ lane, what, by, detail }) => [lane, what, by, detail])).toEqual([
    ['model', 'drafted', 'worker-1', { caseId: 'T-1042' }],
    ['model', 'drafted', 'worker-2', { caseId: 'T-1042' }],
    ['model', 'drafted', 'worker-1', { caseId: 'T-2' }],
  ]);
});

test('another experiment counts anew', async () => {
  const journal = join(directory, 'other.jsonl');
  const text = await labDrafter({ journal }, journalAt(journal, 'worker-1')).draft(undrafted());
  expect(text).toMatch(/^Draft 1 for T-1042 \(record_support_review\)/);
});
