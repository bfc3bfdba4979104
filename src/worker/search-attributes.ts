/** Whether the server has the contract's search attributes: setting one it does not know would fail every task. */
import type { Connection } from '@temporalio/client';
import { countersignSearchAttributes } from '../server/index.ts';

/** `false` also where the server does not let us ask (a managed namespace): then nothing is set, and all else works. */
export async function hasSearchAttributes(connection: Connection, namespace: string): Promise<boolean> {
  try {
    const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
    return Object.keys(countersignSearchAttributes).every((name) => customAttributes[name] !== undefined);
  } catch {
    return false;
  }
}
