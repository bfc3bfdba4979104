/**
 * The messages a review run takes, and the check of their shape. Shape only: the ledger decides. These functions run
 * inside the workflow sandbox, never throw, and treat anything at all as input (contract, section 3).
 */
import type { EvidenceSource, Policy } from './case.ts';
import type { Resolution } from './records.ts';
import { Resolutions } from './records.ts';

export interface ApprovalMessage {
  readonly operationId: string;
  readonly approved: boolean;
  readonly reviewer: string;
  readonly reason?: string;
  readonly signature?: string;
}

export interface RevisionMessage {
  readonly expectedOperationId: string;
  readonly revisedBy: string;
  readonly body?: string;
  readonly evidence?: readonly EvidenceSource[];
  readonly policy?: Policy;
}

export interface WithdrawalMessage {
  readonly operationId: string;
  readonly by: string;
  readonly reason: string;
}

export interface ResolutionMessage {
  readonly operationId: string;
  readonly resolution: Resolution;
  readonly operator: string;
  readonly reason: string;
  readonly reference?: string;
}

/** `pointer` is the JSON pointer of the fault within the message. */
export type Parsed<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly pointer: string; readonly message: string };

export const textLimits = { name: 200, reason: 4_000, signature: 1_000, reference: 1_000 } as const;

type FieldCheck = (value: unknown) => string | null;

/** Text stores cut at U+0000, and a lone surrogate has no bytes. */
const illFormed = (value: string): boolean => value.includes('\0') || /\p{Surrogate}/u.test(value);

function text(limit: number): FieldCheck {
  return (value) => {
    if (typeof value !== 'string') return 'must be a string';
    if (value.trim() === '') return 'must not be empty';
    if (value.length > limit) return `must not be longer than ${limit} characters`;
    return illFormed(value) ? 'must be well-formed Unicode without U+0000' : null;
  };
}

const operationId: FieldCheck = (value) =>
  typeof value === 'string' && /^op-v1-[0-9a-f]{64}$/.test(value)
    ? null
    : 'must be an operation identity: op-v1- and 64 lower-case hex digits';

const trueOrFalse: FieldCheck = (value) =>
  typeof value === 'boolean' ? null : 'must be true or false; leaving it out is not consent';

const oneOfResolutions: FieldCheck = (value) =>
  (Object.values(Resolutions) as unknown[]).includes(value)
    ? null
    : `must be one of ${Object.values(Resolutions).join(', ')}`;

/** Checked in full by the activity that reads the revised content; a handler only needs something to pass on. */
const anything: FieldCheck = () => null;

interface Shape {
  readonly required: Readonly<Record<string, FieldCheck>>;
  readonly optional: Readonly<Record<string, FieldCheck>>;
}

/** The own enumerable fields, each read once; `null` for what is no plain record or throws when it is looked at. */
function ownFields(value: unknown): ReadonlyMap<string, unknown> | null {
  try {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
    return new Map(Object.entries(value));
  } catch {
    return null;
  }
}

function parse<T>(args: readonly unknown[], shape: Shape): Parsed<T> {
  const no = (pointer: string, message: string): Parsed<T> => ({ ok: false, pointer, message });
  if (args.length !== 1) return no('', `takes exactly one argument, not ${args.length}`);
  const fields = ownFields(args[0]);
  if (!fields) return no('', 'must be an object');
  for (const [name, check] of Object.entries(shape.required)) {
    if (!fields.has(name)) return no(`/${name}`, 'is missing');
    const fault = check(fields.get(name));
    if (fault !== null) return no(`/${name}`, fault);
  }
  for (const [name, value] of fields) {
    if (Object.hasOwn(shape.required, name)) continue;
    const check = Object.hasOwn(shape.optional, name) ? shape.optional[name] : undefined;
    if (!check) return no(`/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`, 'is not a known field');
    const fault = check(value);
    if (fault !== null) return no(`/${name}`, fault);
  }
  return { ok: true, value: Object.fromEntries(fields) as T };
}

const approvalShape: Shape = {
  required: { operationId, approved: trueOrFalse, reviewer: text(textLimits.name) },
  optional: { reason: text(textLimits.reason), signature: text(textLimits.signature) },
};

const revisionShape: Shape = {
  required: { expectedOperationId: operationId, revisedBy: text(textLimits.name) },
  optional: { body: anything, evidence: anything, policy: anything },
};

const withdrawalShape: Shape = {
  required: { operationId, by: text(textLimits.name), reason: text(textLimits.reason) },
  optional: {},
};

const resolutionShape: Shape = {
  required: {
    operationId,
    resolution: oneOfResolutions,
    operator: text(textLimits.name),
    reason: text(textLimits.reason),
  },
  optional: { reference: text(textLimits.reference) },
};

export function parseApproval(args: readonly unknown[]): Parsed<ApprovalMessage> {
  return parse(args, approvalShape);
}

export function parseRevision(args: readonly unknown[]): Parsed<RevisionMessage> {
  const parsed = parse<RevisionMessage>(args, revisionShape);
  if (!parsed.ok) return parsed;
  const { body, evidence, policy } = parsed.value;
  const changes = body !== undefined || evidence !== undefined || policy !== undefined;
  return changes ? parsed : { ok: false, pointer: '', message: 'must change body, evidence or policy' };
}

export function parseWithdrawal(args: readonly unknown[]): Parsed<WithdrawalMessage> {
  return parse(args, withdrawalShape);
}

export function parseResolution(args: readonly unknown[]): Parsed<ResolutionMessage> {
  const parsed = parse<ResolutionMessage>(args, resolutionShape);
  if (!parsed.ok || parsed.value.resolution !== 'effect_happened') return parsed;
  return parsed.value.reference === undefined
    ? { ok: false, pointer: '/reference', message: 'is required when the effect happened: where can it be seen?' }
    : parsed;
}
