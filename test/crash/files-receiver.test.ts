/** The receiver that keeps one file per operation: a command that dies when the record is in place, and the next one. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { crashManners } from '../../src/worker/crash.ts';
import { caseFile, sandbox, type Sandbox } from '../cli/sandbox.ts';
import { faultAt, killedWhilePaused } from './stand.ts';

const point = 'receiver.committed';
const records = (at: Sandbox): string[] =>
  readdirSync(join(at.state, 'receiver-files')).filter((name) => name !== 'receiver.json');

test.each(crashManners)(
  '%s with the record in place: one attempt, one record, and the case is done',
  async (manner) => {
    const at = sandbox();
    const begun = await at.ask(['--receiver', 'files', 'begin', at.file('case.json', caseFile())]);
    const operationId = String(begun.answer['operationId']);
    const approve = ['approve', operationId, '--reviewer', 'rosa'];
    const armed = [...approve, '--crash-at', `${point}=${manner}`];

    if (manner === 'pause') await killedWhilePaused(at, at.start(['--driver', 'application', ...armed]));
    else {
      const { code, stdout } = await at.command(armed);
      expect(code).toBe(manner === 'exit' ? 17 : 0);
      if (manner === 'throw') expect(stdout).toContain(faultAt(point));
    }
    const state = manner === 'throw' ? 'Completed' : 'Executing';
    expect(at.operation(operationId)).toMatchObject({ state, attempts: 1 });
    expect(records(at)).toStrictEqual([`${operationId}.json`]);

    const again = await at.ask(approve);

    expect(again).toMatchObject({ code: 0, answer: { outcome: 'repeated', state: 'Completed', attempts: 1 } });
    expect(at.operation(operationId)).toMatchObject({ state: 'Completed', attempts: 1 });
    expect(records(at)).toStrictEqual([`${operationId}.json`]);
    expect(await at.command(['verify'])).toMatchObject({ code: 0 });
  },
);
