/** The receiver that keeps one readable file per operation: the rows of the recovery table, process by process. */
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { caseFile, sandbox, type Sandbox } from './sandbox.ts';

const files = ['--receiver', 'files'];
const approve = (id: string, ...more: string[]): string[] => [...files, 'approve', id, '--reviewer', 'rosa', ...more];
const directoryOf = (at: Sandbox): string => join(at.state, 'receiver-files');
const recordOf = (at: Sandbox, id: string): string => join(directoryOf(at), `${id}.json`);
const records = (at: Sandbox): string[] => readdirSync(directoryOf(at)).filter((name) => name.startsWith('op-v1-'));

async function begun(at: Sandbox): Promise<string> {
  const input = caseFile();
  const { code, answer } = await at.ask([...files, 'begin', at.file(`${input.caseId}.json`, input)]);
  expect(code).toBe(0);
  return String(answer['operationId']);
}

test('an approved operation is one file, readable by its owner alone, and approving again writes none', async () => {
  const at = sandbox();
  const operationId = await begun(at);

  const first = await at.ask(approve(operationId));
  const again = await at.ask(approve(operationId));

  expect(first).toMatchObject({ code: 0, answer: { outcome: 'recorded', state: 'Completed', attempts: 1 } });
  expect(again).toMatchObject({ code: 0, answer: { outcome: 'repeated', result: { replayed: true, attempts: 1 } } });
  expect(records(at)).toStrictEqual([`${operationId}.json`]);
  const record = JSON.parse(readFileSync(recordOf(at, operationId), 'utf8')) as Record<string, unknown>;
  expect(record).toMatchObject({ operationId, payloadSha256: operationId.slice('op-v1-'.length), attempt: 1 });
  expect(statSync(recordOf(at, operationId)).mode & 0o777).toBe(0o600);
  expect(existsSync(at.receiverFile)).toBe(false);
  expect(await at.ask(['verify'])).toMatchObject({ code: 0, answer: { verified: true, effects: 1 } });
});

test('a lost receipt is found by a look; a request that never arrived is sent again after its lease', async () => {
  const at = sandbox();
  const [landed, lost] = [await begun(at), await begun(at)];
  expect((await at.command(approve(landed, '--crash-at', 'receiver.committed'))).code).toBe(17);
  expect((await at.command(approve(lost, '--crash-at', 'receiver.request-sent'))).code).toBe(17);

  const found = await at.ask([...files, 'reconcile', landed]);
  const missing = await at.ask([...files, 'reconcile', lost]);
  at.leaseEnds(lost, Date.now());
  const again = await at.ask(approve(lost));

  expect(found).toMatchObject({ code: 0, answer: { outcome: 'Committed', finding: 'matching', attempts: 1 } });
  expect(missing).toMatchObject({ code: 6, answer: { outcome: 'Unknown', finding: 'absent', attempts: 1 } });
  expect(again).toMatchObject({ code: 0, answer: { state: 'Completed', attempts: 2 } });
  expect(records(at)).toStrictEqual([landed, lost].sort().map((id) => `${id}.json`));
});

test('another payload under the identity is a conflict, and its file stays as it is', async () => {
  const at = sandbox();
  const [other, operationId] = [await begun(at), await begun(at)];
  await at.ask(approve(other));
  renameSync(recordOf(at, other), recordOf(at, operationId));
  const before = readFileSync(recordOf(at, operationId), 'utf8');

  const { code, answer } = await at.ask(approve(operationId));

  expect({ code, ...answer }).toMatchObject({ code: 5, outcome: 'recorded', state: 'Unknown', attempts: 1 });
  expect(readFileSync(recordOf(at, operationId), 'utf8')).toBe(before);
  expect(at.operation(operationId)).toMatchObject({ state: 'Unknown', attempts: 1 });
});

test('a file that was taken away proves nothing by its absence, and nothing is sent again', async () => {
  const at = sandbox();
  const [done, operationId] = [await begun(at), await begun(at)];
  await at.ask(approve(done));
  expect((await at.command(approve(operationId, '--crash-at', 'receiver.half-reply'))).code).toBe(17);
  for (const id of [done, operationId]) rmSync(recordOf(at, id));
  at.leaseEnds(operationId, Date.now());

  const looked = await at.ask([...files, 'reconcile', operationId]);
  const again = await at.ask(approve(operationId));
  const verified = await at.ask(['verify']);

  expect(looked).toMatchObject({ code: 6, answer: { outcome: 'Unknown', finding: 'absent' } });
  expect(again).toMatchObject({ code: 6, answer: { state: 'Unknown', attempts: 1 } });
  expect(verified).toMatchObject({
    code: 1,
    answer: { first: { subject: done, fault: expect.stringMatching(/holds no effect/) as string } },
  });
  expect(records(at)).toStrictEqual([]);
});

test('a file whose payload was altered is named by verify, and one that is no record stops the command', async () => {
  const at = sandbox();
  const operationId = await begun(at);
  await at.ask(approve(operationId));
  const path = recordOf(at, operationId);
  const record = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
  writeFileSync(path, JSON.stringify({ ...record, payload: 'AAAA' }));

  const altered = await at.ask(['verify']);
  writeFileSync(path, '{"operationId"');
  const damaged = await at.ask(['verify']);

  expect(altered).toMatchObject({
    code: 1,
    answer: { first: { subject: operationId, fault: expect.stringMatching(/was changed/) as string } },
  });
  expect({ code: damaged.code, error: damaged.answer.error?.code }).toStrictEqual({
    code: 69,
    error: 'receiver_damaged',
  });
});

test('what a writer left half-written when it died is no record', async () => {
  const at = sandbox();
  const operationId = await begun(at);
  await at.ask(approve(await begun(at)));
  writeFileSync(join(directoryOf(at), '.half-written.tmp'), `{"operationId":"${operationId}"`);

  const { code, answer } = await at.ask(approve(operationId));

  expect({ code, ...answer }).toMatchObject({ code: 0, state: 'Completed', attempts: 1 });
  expect(records(at)).toHaveLength(2);
  expect(await at.ask(['verify'])).toMatchObject({ code: 0, answer: { effects: 2 } });
});
