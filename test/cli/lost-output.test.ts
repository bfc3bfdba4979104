/** Commands whose output nobody takes: a reader that went away, a full disk. What they did stands, and so does the exit code. */
import { describe, expect, test } from 'vitest';
import { caseFile, sandbox } from './sandbox.ts';

const nobody = `op-v1-${'0'.repeat(64)}`;

describe('a reader that went away (`| head`)', () => {
  test.each([[[]], [['--json']]])('does not turn a refusal into a success: %j', async (options) => {
    const box = sandbox();

    const { code } = await box.command([...options, 'approve', nobody, '--reviewer', 'rosa'], { output: 'closed' });

    expect(code).toBe(9);
    expect({ operations: box.operations(), decisions: box.decisions() }).toStrictEqual({
      operations: 0,
      decisions: [],
    });
  });

  test('ends no approval half-way', async () => {
    const box = sandbox();
    const { operationId } = await box.proposed();

    const { code } = await box.command(['approve', operationId, '--reviewer', 'rosa'], { output: 'closed' });

    expect(code).toBe(0);
    expect(box.operation(operationId)).toMatchObject({ state: 'Completed', attempts: 1 });
    expect(box.effects()).toStrictEqual([operationId]);
  });
});

describe('a disk without space for the answer', () => {
  test('is a fault, said on standard error; what the command did stands', async () => {
    const box = sandbox();
    const { operationId } = await box.proposed();

    const { code, stderr } = await box.command(['approve', operationId, '--reviewer', 'rosa'], { output: 'full' });

    expect(code).toBe(1);
    expect(stderr).toContain('The answer could not be written (ENOSPC)');
    expect(box.operation(operationId)).toMatchObject({ state: 'Completed', attempts: 1 });
    expect(box.effects()).toStrictEqual([operationId]);
  });

  test('does not hide a refusal behind a fault', async () => {
    const box = sandbox();
    const file = box.file('case.json', caseFile());

    await box.command(['begin', file]);
    const { code } = await box.command(['--json', 'approve', nobody, '--reviewer', 'rosa'], { output: 'full' });

    expect(code).toBe(9);
    expect(box.decisions()).toStrictEqual([]);
  });
});
