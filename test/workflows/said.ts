/**
 * Workflow interceptors that note whatever a run says: inputs of activities, answers to updates, its result. Replay
 * compares the kinds and order of commands and nothing of this, so a changed input passes it unnoticed.
 */
import {
  ApplicationFailure,
  proxySinks,
  type Next,
  type Sinks,
  type WorkflowInboundCallsInterceptor,
  type WorkflowInterceptorsFactory,
  type WorkflowOutboundCallsInterceptor,
} from '@temporalio/workflow';

export interface Said {
  readonly what:
    'activity' | 'local activity' | 'timer' | 'continue as new' | 'answer' | 'refusal' | 'result' | 'failure';
  readonly name: string;
  readonly value: unknown;
}

export interface SaidSinks extends Sinks {
  said: { note(said: Said): void };
}

const { said } = proxySinks<SaidSinks>();

function noteEnd(promise: Promise<unknown>, name: string, well: Said['what'], badly: Said['what']): void {
  promise.then(
    (value) => said.note({ what: well, name, value: value ?? null }),
    (thrown: unknown) => {
      // A run that continues as new ends by a throw, too; that is noted where it is asked for.
      if (!(thrown instanceof ApplicationFailure)) return;
      said.note({ what: badly, name, value: { type: thrown.type, details: thrown.details ?? [] } });
    },
  );
}

type Outbound = WorkflowOutboundCallsInterceptor;
type Inbound = WorkflowInboundCallsInterceptor;

const outbound: Outbound = {
  scheduleActivity(input, next: Next<Outbound, 'scheduleActivity'>) {
    said.note({ what: 'activity', name: input.activityType, value: input.args });
    return next(input);
  },
  scheduleLocalActivity(input, next: Next<Outbound, 'scheduleLocalActivity'>) {
    said.note({ what: 'local activity', name: input.activityType, value: input.args });
    return next(input);
  },
  startTimer(input, next: Next<Outbound, 'startTimer'>) {
    said.note({ what: 'timer', name: 'timer', value: input.durationMs });
    return next(input);
  },
  continueAsNew(input, next: Next<Outbound, 'continueAsNew'>) {
    said.note({ what: 'continue as new', name: input.options.workflowType, value: input.args });
    return next(input);
  },
};

const inbound: Inbound = {
  execute(input, next: Next<Inbound, 'execute'>) {
    const result = next(input);
    noteEnd(result, 'run', 'result', 'failure');
    return result;
  },
  handleUpdate(input, next: Next<Inbound, 'handleUpdate'>) {
    const answer = next(input);
    noteEnd(answer, input.name, 'answer', 'refusal');
    return answer;
  },
};

export const interceptors: WorkflowInterceptorsFactory = () => ({ outbound: [outbound], inbound: [inbound] });
