/** Telling the runs of an operation. The server is a stand-in here: it must refuse one run, or all of them. */
import { ServiceError, WorkflowNotFoundError, type Client } from '@temporalio/client';
import { expect, test } from 'vitest';
import type { FollowingRun } from '../../src/ports/ledger.ts';
import { tellRuns } from '../../src/worker/runs.ts';

const statusOf = { RESOURCE_EXHAUSTED: 8, UNAVAILABLE: 14 } as const;

/** Answers signals as told, by workflow id; `null` takes it. Keeps whom it was asked to signal. */
function server(answers: Readonly<Record<string, Error | null>>) {
  const signalled: string[] = [];
  const signal = (workflowId: string) => () => {
    signalled.push(workflowId);
    const answer = answers[workflowId];
    return answer ? Promise.reject(answer) : Promise.resolve();
  };
  const client = {
    withDeadline: <T>(_deadline: number, act: () => Promise<T>) => act(),
    workflow: { getHandle: (workflowId: string) => ({ signal: signal(workflowId) }) },
  } as unknown as Client;
  return { client, signalled };
}

function refusal(status: keyof typeof statusOf): Error {
  const cause = Object.assign(new Error(status), { code: statusOf[status], details: status, metadata: {} });
  return new ServiceError('Failed to signal Workflow', { cause });
}

/** The runs of one operation, each with one change it was not told of. */
function following(...workflowIds: string[]) {
  const runs: FollowingRun[] = workflowIds.map((workflowId) => ({ workflowId, runId: 'run', untold: 1 }));
  const told: string[] = [];
  return {
    told,
    ledger: {
      runs: () => Promise.resolve(runs),
      noteTold: (_operationId: string, workflowId: string) => {
        told.push(workflowId);
        return Promise.resolve();
      },
    },
  };
}

test('a run that takes no signal stays noted, and keeps none of the others waiting', async () => {
  const { client, signalled } = server({ first: refusal('RESOURCE_EXHAUSTED'), second: null });
  const { ledger, told } = following('first', 'second');

  expect(await tellRuns(client, ledger, 'operation', 'untold')).toBe('unreachable');
  expect(signalled).toEqual(['first', 'second']);
  expect(told).toEqual(['second']);
});

test('a run that is gone does not make those that are told look like none', async () => {
  const gone = new WorkflowNotFoundError('gone', 'second', undefined);
  const { client } = server({ first: null, second: gone });
  const { ledger, told } = following('first', 'second');

  expect(await tellRuns(client, ledger, 'operation', 'untold')).toBe('told');
  expect(told).toEqual(['first', 'second']);
});

test('a server that answers nobody is asked once, and every run stays noted', async () => {
  const { client, signalled } = server({ first: refusal('UNAVAILABLE'), second: null });
  const { ledger, told } = following('first', 'second');

  expect(await tellRuns(client, ledger, 'operation', 'untold')).toBe('unreachable');
  expect(signalled).toEqual(['first']);
  expect(told).toEqual([]);
});
