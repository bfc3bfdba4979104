// The last line of .ci/run: node scripts/ci-summary.mjs VITEST_JSON VITEST_EXIT_CODE [CHECK=EXIT_CODE…]
// Anything that cannot be counted counts as failed: no report, a test file that does not load, an unhandled error.
import { readFileSync } from 'node:fs';
import process from 'node:process';

const [, , reportFile = '', testsExitCode = '1', ...checks] = process.argv;

function readReport() {
  try {
    return JSON.parse(readFileSync(reportFile, 'utf8'));
  } catch {
    return null;
  }
}

function countTests() {
  const report = readReport();
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const file of report?.testResults ?? []) {
    for (const { status } of file.assertionResults) {
      if (status === 'passed' || status === 'failed') counts[status] += 1;
      else counts.skipped += 1;
    }
    const fileAlone = file.status === 'failed' && !file.assertionResults.some(({ status }) => status === 'failed');
    if (fileAlone) counts.failed += 1;
  }
  if (Number(testsExitCode) !== 0 && counts.failed === 0) counts.failed += 1;
  if (counts.passed + counts.failed === 0) counts.failed += 1;
  return counts;
}

const counts = countTests();
for (const check of checks) counts[check.endsWith('=0') ? 'passed' : 'failed'] += 1;

const skipped = counts.skipped === 0 ? '' : `, ${counts.skipped} skipped`;
process.stdout.write(`${counts.passed} passed, ${counts.failed} failed${skipped}\n`);
process.exitCode = counts.failed === 0 ? 0 : 1;
