// schema/case.schema.json is made from the code, and says the same as the code wherever JSON Schema can say it.
// After a change of the shapes: npx vitest run test/identity/schema.test.ts -u
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import fc from 'fast-check';
import * as prettier from 'prettier';
import { describe, expect, test } from 'vitest';
import { caseJsonSchema, InputError, parseCase } from '../../src/identity/index.ts';
import { accepted, refusedCases } from './case-samples.ts';
import { anyCase, fullCase, vectors } from './support.ts';

const FILE = fileURLToPath(new URL('../../schema/case.schema.json', import.meta.url));

test('the file is what the code makes', async () => {
  const made = await prettier.format(JSON.stringify(caseJsonSchema()), { parser: 'json', printWidth: 120 });
  await expect(made).toMatchFileSnapshot(FILE);
});

describe('the schema as a validator', () => {
  const ajv = new Ajv2020({ strict: true, strictTypes: false, allErrors: false });
  formats.default(ajv);
  const valid = ajv.compile(caseJsonSchema());

  test.each(accepted)('accepts $name', ({ input }) => {
    expect(valid(input()), JSON.stringify(valid.errors)).toBe(true);
  });

  test('accepts a case without a body, and no checks of a body that is not there', () => {
    const { body: _body, checks, ...rest } = fullCase();
    expect(valid(rest), JSON.stringify(valid.errors)).toBe(true);
    expect(valid({ ...rest, checks })).toBe(false);
  });

  test.each(vectors.operations)('accepts the vector: $name', (vector) => {
    expect(valid(vector.case)).toBe(true);
  });

  test.each(refusedCases.filter((sample) => sample.expressible))('refuses $name, at "$pointer"', ({ input }) => {
    expect(valid(input())).toBe(false);
  });

  test('accepts every generated case that parseCase accepts', () => {
    let both = 0;
    fc.assert(
      fc.property(anyCase, (generated) => {
        const input = JSON.parse(JSON.stringify(generated)) as unknown;
        try {
          parseCase(input);
        } catch (error) {
          if (error instanceof InputError) return;
          throw error;
        }
        both++;
        expect(valid(input), JSON.stringify(valid.errors)).toBe(true);
      }),
      { numRuns: 1000 },
    );
    expect(both).toBeGreaterThan(0);
  });
});
