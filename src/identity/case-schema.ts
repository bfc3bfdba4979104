// The shapes of a case and of a revision, as zod schemas and as JSON Schema (contract, section 2). Shapes only: bounds
// in bytes and rules between fields stand in case-rules.ts.
import { z } from 'zod';
import { FIELD_HELP as HELP } from './field-help.ts';
import { longerThan, MAX_CHECKS, MAX_EVIDENCE_ENTRIES, MAX_ID_CHARACTERS } from './limits.ts';
import { MAX_POLICY_ENTRIES, MAX_TTL_SECONDS, MAX_VALUE_CHARACTERS } from './limits.ts';

/** Code points, as JSON Schema counts; zod's own limit counts UTF-16 units. */
function atMost(text: z.ZodString, limit: number) {
  return text
    .refine((value) => !longerThan(value, limit), `has more than ${limit} characters`)
    .meta({ maxLength: limit });
}

function shortText(limit: number) {
  return atMost(z.string().min(1, 'must not be empty'), limit);
}

/** Control characters would break workflow ids, lists and terminals. `\x` escapes, because more regex engines know them. */
function id(help: string) {
  return (
    shortText(MAX_ID_CHARACTERS)
      // eslint-disable-next-line no-control-regex -- control characters are what is refused
      .regex(/^[^\x00-\x1f\x7f-\x9f]*$/u, 'contains a control character')
      .meta({ maxLength: MAX_ID_CHARACTERS, description: help })
  );
}

function integerFrom1(help: string, limit: number = Number.MAX_SAFE_INTEGER) {
  return z
    .int('must be a safe integer')
    .min(1, 'must be at least 1')
    .max(limit, `must be at most ${limit}`)
    .describe(help);
}

const value = z.union(
  [atMost(z.string(), MAX_VALUE_CHARACTERS), z.int(), z.boolean()],
  `must be a string of at most ${MAX_VALUE_CHARACTERS} characters, a boolean or a safe integer`,
);

const shape = {
  body: z.string().describe(HELP.body),
  evidence: z
    .array(
      z
        .strictObject({
          sourceId: id(HELP['evidence.sourceId']),
          version: z
            .union([shortText(MAX_ID_CHARACTERS), z.int()], 'must be a text of 1 to 200 characters or a safe integer')
            .describe(HELP['evidence.version']),
          quotation: z.string().describe(HELP['evidence.quotation']),
        })
        .describe(HELP['evidence.*']),
    )
    .max(MAX_EVIDENCE_ENTRIES, `has more than ${MAX_EVIDENCE_ENTRIES} entries`)
    .describe(HELP.evidence),
  policy: z
    .object({
      decisionTtlSeconds: integerFrom1(HELP['policy.decisionTtlSeconds'], MAX_TTL_SECONDS).exactOptional(),
      requireSignature: z.boolean().describe(HELP['policy.requireSignature']).exactOptional(),
      allowSelfApproval: z.boolean().describe(HELP['policy.allowSelfApproval']).exactOptional(),
      resendWhenAbsent: z.boolean().describe(HELP['policy.resendWhenAbsent']).exactOptional(),
      irreversible: z.boolean().describe(HELP['policy.irreversible']).exactOptional(),
    })
    .catchall(value)
    .meta({
      maxProperties: MAX_POLICY_ENTRIES,
      propertyNames: { minLength: 1, maxLength: MAX_ID_CHARACTERS, not: { pattern: '^countersign\\.' } },
      description: HELP.policy,
    }),
};

export const caseSchema = z
  .strictObject({
    caseId: id(HELP.caseId),
    action: id(HELP.action),
    ...shape,
    object: z
      .strictObject({
        id: id(HELP['object.id']),
        version: integerFrom1(HELP['object.version']).exactOptional(),
        scope: id(HELP['object.scope']).exactOptional(),
      })
      .describe(HELP.object)
      .exactOptional(),
    checks: z
      .array(
        z
          .strictObject({
            name: id(HELP['checks.name']),
            result: shortText(MAX_VALUE_CHARACTERS).meta({
              maxLength: MAX_VALUE_CHARACTERS,
              description: HELP['checks.result'],
            }),
          })
          .describe(HELP['checks.*']),
      )
      .max(MAX_CHECKS, `has more than ${MAX_CHECKS} entries`)
      .describe(HELP.checks)
      .exactOptional(),
    eventId: id(HELP.eventId).exactOptional(),
    proposedBy: id(HELP.proposedBy).exactOptional(),
    expiresAt: z.string().meta({ format: 'date-time', description: HELP.expiresAt }).exactOptional(),
    workflowVersion: integerFrom1(HELP.workflowVersion).exactOptional(),
  })
  .meta({ title: 'Countersign case', description: HELP.case });

export const undraftedSchema = caseSchema.omit({ body: true, checks: true });

export const revisionSchema = z.strictObject({
  expectedOperationId: z
    .string()
    .regex(/^op-v1-[0-9a-f]{64}$/, 'is no operation identity')
    .describe(HELP.expectedOperationId),
  revisedBy: id(HELP.revisedBy),
  body: shape.body.exactOptional(),
  evidence: shape.evidence.exactOptional(),
  policy: shape.policy.exactOptional(),
});

/**
 * JSON Schema (draft 2020-12) of a case, for editors and other languages: schema/case.schema.json. A case it accepts may
 * still be refused by `parseCase`, for what JSON Schema cannot say (bytes, duplicates, ill-formed text). The other way
 * round only a text near its limit with CRLF line ends differs: `parseCase` counts it after they became LF.
 */
export function caseJsonSchema(): Record<string, unknown> {
  // Whether a drafter is configured is not known to a schema: `body` may be left out, and then there are no checks of it.
  const given = caseSchema.extend({ body: shape.body.exactOptional() });
  const described = given.meta({ ...caseSchema.meta(), dependentRequired: { checks: ['body'] } });
  return z.toJSONSchema(described, { target: 'draft-2020-12', io: 'input' });
}
