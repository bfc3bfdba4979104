/** The workflow in a worker of somebody else, in the SDK's own test environment, on a server without our attributes. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@temporalio/client';
// The SDK loads the payload converter with require(); this makes that understand TypeScript, as `node --import tsx` does.
import 'tsx/cjs';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { createActivities } from '../../activities/index.ts';
import { identify } from '../../src/identity/index.ts';
import { noCrashPoints } from '../../src/ports/crash-points.ts';
import { payloadConverterPath, workflowBundle } from '../../src/worker/bundle.ts';
import { openPorts, type OpenPorts } from '../../src/worker/open-ports.ts';
import { prepareStateDirectory } from '../../src/worker/state-directory.ts';
import { decideUpdate, preparedUpdate } from '../../workflows/messages.ts';

const content = {
  caseId: 'E-1',
  action: 'refund',
  body: 'Refund order 7.',
  evidence: [],
  policy: { label: 'refund/1' },
};

let environment: TestWorkflowEnvironment;
let directory: string;
let ports: OpenPorts;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'countersign-embedded-'));
  ports = openPorts(prepareStateDirectory(directory), { crash: noCrashPoints });
  const executable = { type: 'existing-path', path: inject('temporalCli') } as const;
  environment = await TestWorkflowEnvironment.createLocal({ server: { executable } });
});

afterAll(async () => {
  await environment.teardown();
  ports.close();
  rmSync(directory, { recursive: true, force: true });
});

test('an embedded worker carries an approved operation to its one effect', async () => {
  const passing = { pass: async () => 'nothing' as const, alive: async () => true };
  const worker = await Worker.create({
    connection: environment.nativeConnection,
    taskQueue: 'embedded',
    workflowBundle: await workflowBundle(),
    activities: { ...createActivities(ports, { searchAttributes: false, passing }) },
    dataConverter: { payloadConverterPath },
  });
  const client = new Client({ connection: environment.connection, dataConverter: { payloadConverterPath } });
  const result: unknown = await worker.runUntil(async () => {
    const handle = await client.workflow.start('reviewOperation', {
      workflowId: 'review/E-1',
      taskQueue: 'embedded',
      args: [content],
    });
    const { operationId } = await handle.executeUpdate(preparedUpdate);
    expect(operationId).toBe(identify(content).operationId);
    await handle.executeUpdate(decideUpdate, { args: [{ operationId, approved: true, reviewer: 'noor' }] });
    return (await handle.result()) as unknown;
  });
  expect(result).toMatchObject({ status: 'Committed', replayed: false, effectCount: 1, attempts: 1 });
  expect((await ports.receiver.lookup(identify(content).operationId)).payloadSha256).not.toBeNull();
});
