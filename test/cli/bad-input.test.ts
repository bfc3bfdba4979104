/** What cannot be understood or relied on: the documented exit code, one readable line with a hint, nothing changed. */
import { chmodSync, chownSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import Database from 'better-sqlite3';
import { describe, expect, inject, test } from 'vitest';
import { documentOf, runCommand, type Finished } from '../support/processes.ts';
import { caseFile, listing, sandbox, type Fault, type Sandbox } from './sandbox.ts';

const nobody = `op-v1-${'0'.repeat(64)}`;
const asRoot = process.getuid?.() === 0;

function faultOf(finished: Finished): Fault {
  const { error } = documentOf(finished) as { error: Fault };
  expect(error.message).toMatch(/^[^\n\r]+$/);
  expect(error.hint).toMatch(/^[^\n\r]+$/);
  return error;
}

/** A case as JSON text, with some text in it replaced by what no JSON writer would write. */
function caseText(replace: string, by: string, content = {}): string {
  const text = JSON.stringify(caseFile({ caseId: 'T-1', ...content }));
  if (!text.includes(replace)) throw new Error(`${replace} is not in the case`);
  return text.replace(replace, by);
}

const big = (bytes: number): string => 'x'.repeat(bytes);
const entry = (quotation: string) => ({ sourceId: 'KB-311', version: 3, quotation });

/** Name, content of the file, JSON pointer of the fault, and a part of the message. */
const malformed: readonly (readonly [string, string | Buffer | object, string, string])[] = [
  ['an empty file', '', '', 'is not JSON'],
  ['JSON cut off', '{"caseId": "T-1", ', '', 'is not JSON: line 1'],
  ['a trailing comma', caseText('"caseId"', '"x": 1,, "caseId"'), '', 'is not JSON'],
  ['a comment', '{ "caseId": "T-1" /* the case */ }', '', 'is not JSON'],
  ['a list instead of a case', [], '', 'must be an object'],
  ['null', 'null', '', 'must be an object'],
  ['a key given twice', caseText('"caseId"', '"body":"Other.","caseId"'), '/body', 'is given twice'],
  [
    'a key given twice, once escaped',
    caseText('"caseId"', '"b\\u006fdy":"Other.","caseId"'),
    '/body',
    'is given twice',
  ],
  ['__proto__', caseText('"caseId"', '"__proto__":{"approved":true},"caseId"'), '/__proto__', 'is not allowed'],
  ['__proto__ in the policy', caseText('"label"', '"__proto__":1,"label"'), '/policy/__proto__', 'is not allowed'],
  ['an unknown key', { ...caseFile(), approved: true }, '/approved', 'is an unknown key'],
  [
    'an unknown key deeper',
    caseFile({ evidence: [{ ...entry('q'), url: 'x' }] as never }),
    '/evidence/0/url',
    'unknown',
  ],
  [
    'a reserved policy key',
    caseFile({ policy: { 'countersign.object.id': 'x' } }),
    '/policy/countersign.object.id',
    '',
  ],
  ['no body', { ...caseFile(), body: undefined }, '/body', 'is missing'],
  ['no policy', { ...caseFile(), policy: undefined }, '/policy', 'is missing'],
  ['an empty case id', caseFile({ caseId: '' }), '/caseId', 'must not be empty'],
  ['a case id of 201 characters', caseFile({ caseId: big(201) }), '/caseId', 'more than 200 characters'],
  ['a case id with a terminal escape', caseFile({ caseId: 'T\u001b[2J' }), '/caseId', 'control character'],
  ['a body that is a number', { ...caseFile(), body: 5 }, '/body', 'must be a string'],
  ['a body that is null', { ...caseFile(), body: null }, '/body', 'must be a string, not null'],
  ['evidence that is an object', { ...caseFile(), evidence: {} }, '/evidence', 'must be an array'],
  ['a policy value that is null', { ...caseFile(), policy: { label: null } }, '/policy/label', 'must be a string'],
  ['a policy with a fraction', caseText(':9', ':9.5'), '/policy/allowanceUnits', 'safe integer'],
  ['an integer JavaScript changes', caseText(':9', ':9007199254740993'), '/policy/allowanceUnits', 'cannot hold'],
  [
    'a time to decide of 0',
    caseFile({ policy: { decisionTtlSeconds: 0 } }),
    '/policy/decisionTtlSeconds',
    'at least 1',
  ],
  [
    'a signature rule as text',
    caseFile({ policy: { requireSignature: 'yes' } }),
    '/policy/requireSignature',
    'boolean',
  ],
  ['a version that is a fraction', caseText('"version":3', '"version":3.5'), '/evidence/0/version', ''],
  ['evidence twice', caseFile({ evidence: [entry('q'), entry('q')] }), '/evidence/1', ''],
  ['a body over 128 KiB', caseFile({ body: big(128 * 1024 + 1) }), '/body', 'is larger than 128 KiB'],
  ['evidence over 256 KiB', caseFile({ evidence: [entry(big(256 * 1024))] }), '/evidence', 'is larger than 256 KiB'],
  ['a file over 1 MiB', `{"x":"${big(1024 * 1024)}"}`, '', 'is larger than 1 MiB'],
  ['a lone surrogate', caseText('The restart', '\\ud800The restart'), '/body', 'is not well-formed Unicode'],
  ['a lone surrogate in a key', caseText('"label"', '"la\\udc00bel"'), '/policy/la\udc00bel', 'is not well-formed'],
  ['U+0000', caseText('The restart', 'The\\u0000restart'), '/body', 'contains U+0000'],
  ['bytes that are not UTF-8', Buffer.from([0x22, 0xc3, 0x28, 0x22]), '', 'is not UTF-8'],
  ['UTF-16', Buffer.from(JSON.stringify(caseFile()), 'utf16le'), '', ''],
  ['a byte order mark', `\ufeff${JSON.stringify(caseFile())}`, '', 'begins with a byte order mark'],
  ['expiresAt without offset', caseFile({ expiresAt: '2026-12-24T12:00:00' }), '/expiresAt', 'with an offset'],
  ['expiresAt on a day there is not', caseFile({ expiresAt: '2026-02-30T12:00:00Z' }), '/expiresAt', 'does not exist'],
  ['an object version of 0', caseFile({ object: { id: 'x', version: 0 } }), '/object/version', 'at least 1'],
  ['brackets without end', '['.repeat(100_000), '', 'nested too deeply'],
];

describe('a case file', () => {
  test.each(malformed)('%s is refused with its place, and nothing changes', async (_name, content, pointer, said) => {
    const at = sandbox();
    await at.proposed();
    const before = listing(at.state);

    const finished = await at.command(['--json', 'begin', at.file('case.json', content)]);

    const fault = faultOf(finished);
    expect({ exit: finished.code, code: fault.code }).toStrictEqual({ exit: 2, code: 'malformed_input' });
    expect(fault.pointer ?? '').toBe(pointer);
    expect(fault.message).toContain(said);
    expect(listing(at.state)).toStrictEqual(before);
  });

  test('that does not exist, or is a directory, is refused by its name', async () => {
    const at = sandbox();
    mkdirSync(join(at.directory, 'folder'));

    const missing = await at.command(['--json', 'begin', 'no\u001b[31mwhere.json']);
    const folder = await at.command(['--json', 'begin', 'folder']);

    expect(missing.code).toBe(2);
    expect(faultOf(missing).message).toBe('no\\u{1b}[31mwhere.json does not exist');
    expect(folder.code).toBe(2);
    expect(faultOf(folder).message).toBe('folder is a directory');
    expect(listing(at.state)).toStrictEqual({});
  });

  test('for people the fault is one line and the hint another, and a hostile key cannot move the cursor', async () => {
    const at = sandbox();
    const key = 'x\u001b[2J\u202e\n';

    const { code, stdout, stderr } = await at.command(['begin', at.file('case.json', { ...caseFile(), [key]: 1 })]);

    expect({ code, stdout }).toStrictEqual({ code: 2, stdout: '' });
    expect(stderr.split('\n')).toHaveLength(3);
    expect(stderr).toMatch(/^error \[malformed_input\] \S.*is an unknown key\n {2}\S/);
    for (const hidden of ['\u001b', '\u202e']) expect(stderr).not.toContain(hidden);
  });

  test('is refused the same way before any server is asked', async () => {
    const at = sandbox();
    const file = at.file('case.json', { ...caseFile(), approved: true });
    const env = { TEMPORAL_ADDRESS: '127.0.0.1:1' };

    const finished = await runCommand(['--json', '--state', at.state, 'begin', file], { env });

    expect(finished.code).toBe(2);
    expect(faultOf(finished)).toMatchObject({ code: 'malformed_input', pointer: '/approved' });
    expect(listing(at.state)).toStrictEqual({});
  });
});

describe('the files of a revision', () => {
  test.each([
    ['--body-file', Buffer.from([0xff, 0xfe, 0x41]), ''],
    ['--body-file', 'nul\u0000', '/body'],
    ['--body-file', big(128 * 1024 + 1), '/body'],
    ['--evidence-file', { sourceId: 'KB-311' }, '/evidence'],
    ['--evidence-file', [{ sourceId: 'KB-311', version: 1 }], '/evidence/0/quotation'],
    ['--policy-file', '{"label": "a", "label": "b"}', '/label'],
    ['--policy-file', ['label'], '/policy'],
    ['--policy-file', { label: 1.5 }, '/policy/label'],
  ])('%s with a fault is refused, and the proposal stays', async (option, content, pointer) => {
    const at = sandbox();
    const { operationId, caseId } = await at.proposed();
    const before = at.dump();
    const file = at.file('part', content);

    const finished = await at.command([
      ...['--json', 'revise', caseId, '--expected', operationId, '--by', 'edith', option, file],
    ]);

    expect(finished.code).toBe(2);
    expect(faultOf(finished)).toMatchObject({ code: 'malformed_input', pointer });
    expect(at.dump()).toStrictEqual(before);
  });
});

describe('an argument', () => {
  test.each([
    ['an identity in capitals', ['approve', nobody.toUpperCase(), '--reviewer', 'rosa']],
    ['an identity with a space behind it', ['approve', `${nobody} `, '--reviewer', 'rosa']],
    ['a case where an identity belongs', ['withdraw', 'T-1', '--by', 'drafter', '--reason', 'x']],
    ['a reviewer of 201 characters', ['approve', nobody, '--reviewer', big(201)]],
    ['a reason of 4001 characters', ['decline', nobody, '--reviewer', 'rosa', '--reason', big(4001)]],
    ['a reason of spaces', ['withdraw', nobody, '--by', 'drafter', '--reason', '  ']],
    ['a reconciliation of a case', ['reconcile', 'T-1']],
  ])('%s is refused before anything is opened', async (_name, args) => {
    const at = sandbox();

    const finished = await at.command(['--json', ...args]);

    expect(finished.code).toBe(2);
    expect(faultOf(finished).code).toBe('malformed_input');
    expect(listing(at.state)).toStrictEqual({});
  });
});

/** What stands in the way, and the code of the error. */
const unusable: readonly (readonly [string, string, (at: Sandbox) => void])[] = [
  ['a file in its place', 'state_unusable', (at) => at.file('state', 'not a directory')],
  ['write permission for others', 'state_unusable', (at) => openToOthers(at.state)],
  ['a ledger that others can write', 'state_unusable', (at) => chmodSync(at.ledgerFile, 0o660)],
  ['a ledger of other bytes', 'ledger_damaged', (at) => writeFileSync(at.ledgerFile, big(8192))],
  ['a ledger cut short', 'ledger_damaged', (at) => truncateSync(at.ledgerFile, 50_000)],
  ['a ledger with a page overwritten', 'ledger_damaged', (at) => overwritePages(at.ledgerFile)],
  ['somebody else’s database as ledger', 'ledger_damaged', (at) => otherDatabase(at.ledgerFile)],
  [
    'a receiver in the ledger’s place',
    'ledger_damaged',
    (at) => at.file('state/ledger.db', readFileSync(at.receiverFile)),
  ],
  ['a ledger of a newer version', 'ledger_version', (at) => at.rows(at.ledgerFile, 'PRAGMA user_version = 99')],
  ['a receiver of other bytes', 'receiver_damaged', (at) => writeFileSync(at.receiverFile, big(8192))],
  ['a receiver of a newer version', 'ledger_version', (at) => at.rows(at.receiverFile, 'PRAGMA user_version = 99')],
];

function openToOthers(directory: string): void {
  mkdirSync(directory);
  chmodSync(directory, 0o770);
}

/** Everything behind the first page. */
function overwritePages(file: string): void {
  const bytes = readFileSync(file);
  bytes.fill(0x78, 4096);
  writeFileSync(file, bytes);
}

function otherDatabase(file: string): void {
  writeFileSync(file, '');
  const db = new Database(file);
  db.exec("CREATE TABLE notes (text TEXT); INSERT INTO notes VALUES ('mine')");
  db.close();
}

describe('a state directory', () => {
  test.each(unusable)('with %s is refused, and stays as it is', async (name, code, spoil) => {
    const at = sandbox();
    if (!['a file in its place', 'write permission for others'].includes(name)) await at.proposed();
    spoil(at);
    const before = listing(at.directory);

    const finished = await at.command(['--json', 'approve', nobody, '--reviewer', 'rosa']);

    expect(finished.code).toBe(69);
    expect(faultOf(finished).code).toBe(code);
    expect(listing(at.directory)).toStrictEqual(before);
  });

  test('below a file, where none can be made, is refused', async () => {
    const at = sandbox();
    at.file('file', '');

    const finished = await runCommand(['--json', '--state', join(at.directory, 'file', 'state'), 'list']);

    expect(finished.code).toBe(69);
    expect(faultOf(finished).code).toBe('state_unusable');
  });

  test('of another user is refused', async () => {
    const at = sandbox();
    const theirs = asRoot ? at.state : '/';
    if (asRoot) {
      mkdirSync(at.state, { mode: 0o700 });
      chownSync(at.state, 65_534, 65_534);
    }

    const finished = await runCommand(['--json', '--driver', 'application', '--state', theirs, 'list']);

    expect(finished.code).toBe(69);
    expect(faultOf(finished)).toMatchObject({ code: 'state_unusable', message: `${theirs} belongs to another user.` });
    if (asRoot) expect(listing(at.state)).toStrictEqual({});
  });

  test.skipIf(asRoot)('without write permission is refused', async () => {
    const at = sandbox();
    mkdirSync(at.state, { mode: 0o500 });

    const finished = await at.command(['--json', 'list']);

    expect(finished.code).toBe(69);
    expect(faultOf(finished).code).toBe('state_unusable');
  });

  test.each([
    ['begin', (at: Sandbox) => ['begin', at.file('case.json', caseFile())]],
    ['list', () => ['list']],
    ['show', () => ['show', nobody]],
    ['sweep', () => ['sweep']],
    ['reconcile', () => ['reconcile']],
    ['object set', () => ['object', 'set', 'x', '--version', '1']],
    ['up', () => ['up']],
  ])('with a damaged ledger stops %s, too', async (_name, args) => {
    const at = sandbox();
    await at.proposed();
    writeFileSync(at.ledgerFile, big(8192));
    const before = listing(at.state);

    const finished = await at.command(['--json', ...args(at)]);

    expect(finished.code).toBe(69);
    expect(faultOf(finished).code).toBe('ledger_damaged');
    expect(listing(at.state)).toStrictEqual(before);
  });
});

describe('a server', () => {
  const unreachable = { TEMPORAL_ADDRESS: '127.0.0.1:1' };
  const elsewhere = () => ({ TEMPORAL_ADDRESS: inject('temporalAddress'), TEMPORAL_NAMESPACE: 'nowhere' });

  test.each([
    ['begin', (at: Sandbox) => ['begin', at.file('case.json', caseFile())]],
    ['sweep', () => ['sweep']],
    ['worker', () => ['worker']],
  ])('that cannot be reached stops %s, and nothing changes', async (name, args) => {
    const at = sandbox();
    await at.proposed();
    const before = at.dump();

    const finished = await runCommand(['--json', '--state', at.state, ...args(at)], { env: unreachable });

    expect(finished.code).toBe(69);
    const fault = faultOf(name === 'worker' ? { ...finished, stderr: '' } : finished);
    expect(fault).toMatchObject({
      code: 'server_unavailable',
      message: 'The Temporal server at 127.0.0.1:1 cannot be reached.',
    });
    expect(at.dump()).toStrictEqual(before);
  });

  test.each([
    ['begin', (at: Sandbox) => ['begin', at.file('case.json', caseFile())]],
    ['worker', () => ['worker']],
  ])('without the namespace stops %s with its name, and nothing changes', async (name, args) => {
    const at = sandbox();
    await at.proposed();
    const before = at.dump();

    const finished = await runCommand(['--json', '--state', at.state, ...args(at)], { env: elsewhere() });

    expect(finished.code).toBe(69);
    const fault = faultOf(name === 'worker' ? { ...finished, stderr: '' } : finished);
    expect(fault.code).toBe('server_unavailable');
    expect(fault.message).toBe(`The Temporal server at ${inject('temporalAddress')} has no namespace "nowhere".`);
    expect(at.dump()).toStrictEqual(before);
  });

  test('without the namespace leaves a sweep with what it could not pass on', async () => {
    const at = sandbox();
    const { operationId } = await at.proposed();
    const before = at.dump();

    const finished = await runCommand(['--json', '--state', at.state, 'sweep'], { env: elsewhere() });

    expect(finished.code).toBe(69);
    expect(documentOf(finished)).toMatchObject({ swept: [{ operationId, reason: 'no run', result: 'unreachable' }] });
    expect(at.dump()).toStrictEqual(before);
  });

  test('that the worker of up cannot reach ends up with what the worker said', async () => {
    const at = sandbox();

    const finished = await runCommand(['--json', '--state', at.state, 'up'], { env: unreachable });

    expect(finished.code).toBe(69);
    expect(faultOf({ ...finished, stderr: '' })).toMatchObject({
      code: 'server_unavailable',
      message: 'The worker did not start (exit code 69).',
    });
    expect(finished.stderr).toContain('The Temporal server at 127.0.0.1:1 cannot be reached.');
  });

  test('settings that name a file which is not there are refused by name', async () => {
    const at = sandbox();
    const env = { ...unreachable, TEMPORAL_TLS_CLIENT_CERT_PATH: join(at.directory, 'none.pem') };
    const file = at.file('case.json', caseFile());

    const finished = await runCommand(['--json', '--state', at.state, 'begin', file], { env });

    expect(finished.code).toBe(69);
    expect(faultOf(finished)).toMatchObject({ code: 'server_unavailable' });
    expect(listing(at.state)).toStrictEqual({});
  });

  test('whose database file another version made does not start, and the file stays', async () => {
    const at = sandbox();
    await at.proposed();
    const file = join(at.state, 'temporal.db');
    otherDatabase(file);
    const db = new Database(file);
    db.exec('CREATE TABLE namespaces (id TEXT); CREATE TABLE executions (id TEXT)');
    db.close();
    chmodSync(file, 0o600);
    const before = at.dump();
    const bytes = readFileSync(file);
    const env = { TEMPORAL_CLI_PATH: inject('temporalCli') };

    const finished = await runCommand(['--json', '--state', at.state, 'up'], { env });

    expect(finished.code).toBe(69);
    const fault = faultOf(finished);
    expect(fault.code).toBe('server_unavailable');
    expect(fault.message).toContain('temporal.db was made by another version of the Temporal server');
    expect(readFileSync(file).equals(bytes)).toBe(true);
    expect(at.dump()).toStrictEqual(before);
  });
});
