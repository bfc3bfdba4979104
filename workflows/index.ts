/** What a worker bundles, and what a client may import. */
export * from './messages.ts';
export { reviewOperation } from './review-operation.ts';
export { sweepLedger } from './sweep-ledger.ts';
