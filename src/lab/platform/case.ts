/** What the platform arms review. */
import type { CaseInput } from '../../core/case.ts';

/** A case whose body may still have to be drafted. */
export type PlatformCase = Omit<CaseInput, 'body'> & { readonly body?: string };
