/** What a worker of the lab adds to its options: every attempt and every replay of workflow code is counted. */
import { activityInfo } from '@temporalio/activity';
import type { WorkerOptions } from '@temporalio/worker';
import { fileURLToPath } from 'node:url';
import type { Note } from './journal.ts';
import type { Fault } from './settings.ts';

const suffix = import.meta.url.slice(import.meta.url.lastIndexOf('.'));
const module = (name: string): string => fileURLToPath(new URL(`./workflows/${name}${suffix}`, import.meta.url));

/** Modules of workflow interceptors to bundle. `incompatible`: also the one that stands for a careless deploy. */
export const interceptorModules = (incompatible: boolean): readonly string[] =>
  incompatible ? [module('observed'), module('incompatible')] : [module('observed')];

/** One task at a time and no more polls than must be. */
const onePoll: Partial<WorkerOptions> = {
  maxConcurrentActivityTaskExecutions: 1,
  maxConcurrentWorkflowTaskExecutions: 1,
  maxConcurrentWorkflowTaskPolls: 1,
  maxCachedWorkflows: 0,
};

export function observed(options: WorkerOptions, note: Note, fault: Fault | null): WorkerOptions {
  return {
    ...options,
    ...(fault?.alone ? onePoll : {}),
    sinks: {
      ...options.sinks,
      lab: {
        started: {
          callDuringReplay: true,
          fn: (info, replaying: boolean) =>
            note('worker', replaying ? 'workflow-replayed' : 'workflow-started', {
              workflowId: info.workflowId,
              runId: info.runId,
            }),
        },
      },
    },
    interceptors: {
      ...options.interceptors,
      activity: [
        ...(options.interceptors?.activity ?? []),
        () => ({
          inbound: {
            async execute(input, next) {
              const { activityType, attempt, isLocal } = activityInfo();
              const about = { activity: activityType, attempt, local: isLocal };
              note('worker', 'activity-started', about);
              try {
                const answer = await next(input);
                note('worker', 'activity-ended', about);
                return answer;
              } catch (thrown) {
                note('worker', 'activity-failed', { ...about, error: String(thrown).slice(0, 200) });
                throw thrown;
              }
            },
          },
        }),
      ],
    },
  };
}
