/** Reads a `result.json` that anybody may have written: the exact shape, nothing more, and cells that fit together. */
import { readFileSync, statSync } from 'node:fs';
import { z } from 'zod';
import { CountersignError } from '../../core/errors.ts';
import { jsonPointer } from '../../identity/input-error.ts';
import { armNames, lanes, promiseNames, verdicts, worst } from '../names.ts';
import type { LabResult, RunCell } from '../result.ts';

/** Far above any run; a larger file is not read into memory. */
const mostBytes = 256 * 1024 * 1024;

const count = z.int().min(0);
const text = z.string();
const detail = z.record(text, z.union([text, z.number(), z.boolean(), z.null()]));
/** Names become anchors, table rows and option values. */
const name = text.regex(/^[a-z0-9][a-z0-9-]{0,99}$/);

const judgement = z.strictObject({ verdict: z.enum(verdicts), why: text });

const observed = z.strictObject({
  effects: z.strictObject({ total: count, byIdentity: count, byContent: z.record(text, count) }),
  shown: z.strictObject({ engine: text.nullable(), ledger: text.nullable(), receiver: text }),
  told: z.array(text),
  ranAgain: z.strictObject({
    workflowReplays: count,
    activityAttempts: count,
    receiverWrites: count,
    receiverLooks: count,
    modelCalls: count,
  }),
  person: z.array(text),
  settledMs: z.number().nullable(),
});

/** A verdict better than what it is made of was not written by the lab. */
const noBetterThanItsJudgements = ({ verdict, judgements }: RunCell): boolean =>
  worst([verdict, ...promiseNames.map((promise) => judgements[promise].verdict)]) === verdict;

const runCell = z
  .strictObject({
    situation: name,
    arm: z.enum(armNames),
    applicable: z.literal(true),
    repetition: z.int().min(1),
    seed: z.number(),
    verdict: z.enum(verdicts),
    judgements: z.record(z.enum(promiseNames), judgement),
    observed,
    timeline: z.array(z.strictObject({ ms: z.number(), lane: z.enum(lanes), what: text, detail })),
    seconds: z.number().min(0),
    trouble: text.nullable(),
  })
  .refine(noBetterThanItsJudgements, { path: ['verdict'], error: 'is better than its judgements' });

const absentCell = z.strictObject({
  situation: name,
  arm: z.enum(armNames),
  applicable: z.literal(false),
  reason: text,
});

const shape: z.ZodType<LabResult> = z.strictObject({
  format: z.literal('countersign.lab.v1'),
  run: text,
  startedAt: text,
  seconds: z.number().min(0),
  seed: z.number(),
  repeat: z.int().min(1),
  mutant: text.nullable(),
  machine: detail,
  versions: z.record(text, text),
  situations: z.array(z.strictObject({ name, title: text, fault: text, group: text })),
  arms: z.array(z.strictObject({ name: z.enum(armNames), title: text })),
  promises: z.array(z.strictObject({ name: z.enum(promiseNames), title: text })),
  cells: z.array(z.discriminatedUnion('applicable', [runCell, absentCell])),
});

function firstRepeated(keys: readonly string[]): number {
  const seen = new Set<string>();
  return keys.findIndex((key) => seen.size === seen.add(key).size);
}

/** The first list entry that does not fit the others: its place and what is wrong with it. */
function misfit({ situations, arms, promises, cells }: LabResult): readonly [(string | number)[], string] | null {
  const lists = { situations, arms, promises };
  for (const [list, entries] of Object.entries(lists)) {
    const index = firstRepeated(entries.map((entry) => entry.name));
    if (index >= 0) return [[list, index], 'is there twice'];
  }
  const stray = cells.findIndex(
    ({ situation, arm }) =>
      !situations.some((known) => known.name === situation) || !arms.some((known) => known.name === arm),
  );
  if (stray >= 0) return [['cells', stray], 'belongs to no situation or arm of this run'];
  const keys = cells.map((cell) => `${cell.situation}\n${cell.arm}\n${cell.applicable ? cell.repetition : 0}`);
  const twice = firstRepeated(keys);
  if (twice >= 0) return [['cells', twice], 'is there twice'];
  return null;
}

function refuse(path: string, reason: string): never {
  throw new CountersignError('malformed_input', {
    message: `${path} is not a result of this version of the lab: ${reason}.`,
    hint: 'Run `countersign lab` again, or name another run.',
  });
}

/** @throws `malformed_input` with the JSON pointer of the first fault. */
function labResultFrom(value: unknown, path: string): LabResult {
  const parsed = shape.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const place = jsonPointer((issue?.path ?? []).map((step) => (typeof step === 'number' ? step : String(step))));
    return refuse(path, `${place === '' ? 'the document' : place}: ${issue?.message ?? 'has another shape'}`);
  }
  const fault = misfit(parsed.data);
  return fault === null ? parsed.data : refuse(path, `${jsonPointer(fault[0])} ${fault[1]}`);
}

/** @throws `malformed_input` where the file cannot be read, is no JSON, or holds something else. */
export function readLabResult(path: string): LabResult {
  let content: string;
  try {
    if (statSync(path).size > mostBytes) return refuse(path, 'it is too large');
    content = readFileSync(path, 'utf8');
  } catch (thrown) {
    if (thrown instanceof CountersignError) throw thrown;
    return refuse(path, `it cannot be read (${String((thrown as NodeJS.ErrnoException).code)})`);
  }
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch {
    return refuse(path, 'it is not JSON');
  }
  return labResultFrom(value, path);
}
