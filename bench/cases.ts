/** The cases of the benchmark: the T-1042 proposal under other case ids. */
import { readFileSync } from 'node:fs';
import type { CaseInput } from '../src/core/case.ts';

const template = JSON.parse(readFileSync(new URL('../test/cases/T-1042.json', import.meta.url), 'utf8')) as CaseInput;

export const benchCase = (caseId: string): CaseInput => ({ ...template, caseId });
