/** Which server clients and workers are sent to. */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { connectionSettings } from '../../src/server/index.ts';
import { refTo } from '../../src/server/processes.ts';
import type { ServerRecord } from '../../src/server/record.ts';
import { writeRecord } from '../../src/server/record.ts';
import { cleanUpAfterEach, failure, temporaryDirectory, until } from './helpers.ts';

cleanUpAfterEach();

/** A home without a configuration file of the Temporal CLI. */
const bare = (): NodeJS.ProcessEnv => ({ HOME: temporaryDirectory() });

describe('connectionSettings', () => {
  it('without anything is the default of the Temporal CLI', () => {
    const expected = { address: 'localhost:7233', namespace: 'default', source: 'default' };
    expect(connectionSettings(bare(), temporaryDirectory())).toMatchObject(expected);
  });

  it('takes address, namespace, API key and TLS from the environment as the Temporal CLI does', () => {
    const env = {
      ...bare(),
      TEMPORAL_ADDRESS: 'cloud.invalid:7233',
      TEMPORAL_NAMESPACE: 'team.a',
      TEMPORAL_API_KEY: 'k',
    };
    expect(connectionSettings(env, temporaryDirectory())).toEqual({
      address: 'cloud.invalid:7233',
      namespace: 'team.a',
      connectionOptions: { address: 'cloud.invalid:7233', apiKey: 'k', tls: true },
      source: 'environment',
    });
    const plain = connectionSettings({ ...env, TEMPORAL_API_KEY: '', TEMPORAL_TLS: 'false' }, temporaryDirectory());
    expect(plain.connectionOptions).toEqual({ address: 'cloud.invalid:7233', tls: false });
  });

  it('takes a profile that was asked for', () => {
    const file = join(temporaryDirectory(), 'temporal.toml');
    writeFileSync(file, '[profile.staging]\naddress = "staging.invalid:7233"\nnamespace = "s"\n');
    const env = { ...bare(), TEMPORAL_CONFIG_FILE: file, TEMPORAL_PROFILE: 'staging' };
    const expected = { address: 'staging.invalid:7233', namespace: 's', source: 'environment' };
    expect(connectionSettings(env, temporaryDirectory())).toMatchObject(expected);
  });

  it('says which settings cannot be read', async () => {
    const env = { ...bare(), TEMPORAL_ADDRESS: 'x:1', TEMPORAL_TLS_CLIENT_CERT_PATH: '/nowhere/cert.pem' };
    env.TEMPORAL_TLS_CLIENT_CERT_PATH = join(temporaryDirectory(), 'absent.pem');
    const error = await failure((async () => connectionSettings(env, temporaryDirectory()))());
    expect(error.code).toBe('server_unavailable');
    expect(error.message).toContain('absent.pem');
  });
});

describe('the server of the state directory', () => {
  /** A process that looks like the server: it holds the file and has it among its arguments. */
  async function pretend(stateDir: string): Promise<{ record: ServerRecord; end: () => Promise<void> }> {
    const databaseFile = join(stateDir, 'temporal.db');
    writeFileSync(databaseFile, '');
    const child = spawn('tail', ['-f', databaseFile], { stdio: 'ignore' });
    const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
    const server = refTo(child.pid ?? 0);
    if (server === null) throw new Error('tail did not start');
    const text = { address: '127.0.0.1:4711', uiUrl: null, namespace: 'n', cliPath: '/x', cliVersion: '1.9.1' };
    const more = { serverVersion: '1.32.0', startedAt: new Date(0).toISOString() };
    const record = { server, owner: server, watchdog: null, databaseFile, ...text, ...more };
    writeRecord(stateDir, record);
    const end = async (): Promise<void> => {
      child.kill('SIGKILL');
      await closed;
    };
    await until('the process is seen', () => connectionSettings(bare(), stateDir).source === 'state');
    return { record, end };
  }

  it('is used while it lives, plain, with its namespace; TEMPORAL_ADDRESS still wins', async () => {
    const stateDir = temporaryDirectory();
    const { end } = await pretend(stateDir);
    const env = { ...bare(), TEMPORAL_API_KEY: 'for another server' };
    const connectionOptions = { address: '127.0.0.1:4711' };
    const expected = { address: '127.0.0.1:4711', namespace: 'n', connectionOptions, source: 'state' };
    expect(connectionSettings(env, stateDir)).toEqual(expected);
    expect(connectionSettings({ ...env, TEMPORAL_NAMESPACE: 'mine' }, stateDir).namespace).toBe('mine');
    const given = connectionSettings({ ...env, TEMPORAL_ADDRESS: 'there.invalid:1' }, stateDir);
    expect(given).toMatchObject({ address: 'there.invalid:1', source: 'environment' });
    await end();
    expect(connectionSettings(bare(), stateDir).source).toBe('default');
  });

  it('is not believed when another process has its number now, or its file was replaced, or the note is broken', async () => {
    const stateDir = temporaryDirectory();
    const { record, end } = await pretend(stateDir);
    writeRecord(stateDir, { ...record, server: { ...record.server, started: 'another time' } });
    expect(connectionSettings(bare(), stateDir).source).toBe('default');
    writeRecord(stateDir, { ...record, databaseFile: join(stateDir, 'other.db') });
    expect(connectionSettings(bare(), stateDir).source).toBe('default');
    for (const text of ['', '{', 'null', '[]', '{"server":{"pid":1,"started":""}}']) {
      writeFileSync(join(stateDir, 'server.json'), text);
      expect(connectionSettings(bare(), stateDir).source).toBe('default');
    }
    await end();
  });
});
