/** The search attributes of the contract, and making sure that a namespace has them. */
import type { Connection } from '@temporalio/client';
import { ServerError } from './errors.ts';

export type SearchAttributeKind = 'Keyword' | 'Datetime';
export type SearchAttributes = Readonly<Record<string, SearchAttributeKind>>;

export const countersignSearchAttributes: SearchAttributes = {
  CountersignState: 'Keyword',
  CountersignCase: 'Keyword',
  CountersignOperation: 'Keyword',
  CountersignObject: 'Keyword',
  CountersignDeadline: 'Datetime',
};

/** `IndexedValueType` of Temporal's API. */
const wireValue: Readonly<Record<SearchAttributeKind, number>> = { Keyword: 2, Datetime: 6 };

/**
 * The development server takes `--search-attribute` only when it creates the namespace; an older file, or an
 * adopted server that somebody started otherwise, needs them added.
 */
export async function addMissing(connection: Connection, namespace: string, wanted: SearchAttributes): Promise<void> {
  const known = (await connection.operatorService.listSearchAttributes({ namespace })).customAttributes;
  const missing: Record<string, number> = {};
  for (const [name, kind] of Object.entries(wanted)) {
    const found: number | undefined = known[name];
    if (found === undefined) missing[name] = wireValue[kind];
    else if (found !== wireValue[kind]) {
      const message = `the namespace ${namespace} has the search attribute ${name} with another type than ${kind}`;
      throw new ServerError(message, 'Use another namespace, or remove that search attribute with the Temporal CLI.');
    }
  }
  if (Object.keys(missing).length === 0) return;
  await connection.operatorService.addSearchAttributes({ namespace, searchAttributes: missing });
}
