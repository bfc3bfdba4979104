/** How use cases read the ledger: one operation that must be there, or all of them page by page. */
import { CountersignError } from '../core/errors.ts';
import type { OperationRecord, OperationView } from '../core/records.ts';
import type { Ledger, ListFilter } from '../ports/ledger.ts';

/** What a read answered, or `not_found` with the operation's name. */
export function known<T>(answer: T | null, operationId: string): T {
  if (answer !== null) return answer;
  throw new CountersignError('not_found', { message: `The ledger has no operation ${operationId}.` });
}

/** Throws `not_found`. */
export async function viewOf(ledger: Ledger, operationId: string): Promise<OperationView> {
  return known(await ledger.view(operationId), operationId);
}

const pageSize = 100;

/** Every operation that fits, in the order of admission, one page at a time; `after`: only those admitted later. */
export async function* everyOperation(
  ledger: Ledger,
  { after = 0, ...filter }: Pick<ListFilter, 'states' | 'untold' | 'after'> = {},
): AsyncGenerator<OperationRecord> {
  for (;;) {
    const page = await ledger.list({ ...filter, after, limit: pageSize });
    yield* page;
    const last = page.at(-1);
    if (!last || page.length < pageSize) return;
    after = last.sequence;
  }
}
