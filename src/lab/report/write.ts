/** Puts the page beside the result it is made from. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LabResult } from '../result.ts';
import { reportHtml } from './report.ts';

/** Answers the page's path. */
export function writeReport(directory: string, result: LabResult): string {
  const path = join(directory, 'report.html');
  writeFileSync(path, reportHtml(result), { mode: 0o600 });
  return path;
}
