/**
 * The rules in force for one operation: what its policy says, tightened by what the deployment demands for the action.
 * A case comes from a proposer, so its policy can never loosen anything.
 */
import type { Policy } from './case.ts';

/** What a deployment may demand per action. A missing entry demands nothing. */
export interface Minimums {
  readonly requireSignature?: boolean;
  readonly forbidSelfApproval?: boolean;
  readonly forbidResend?: boolean;
  readonly decisionTtlSecondsAtMost?: number;
}

export interface Rules {
  readonly requireSignature: boolean;
  readonly allowSelfApproval: boolean;
  readonly resendWhenAbsent: boolean;
  /** Seconds from admission within which a decision counts; `null`: no limit. */
  readonly decisionTtlSeconds: number | null;
}

/** Only an own `true` counts: a policy key of another type never switches anything on. */
function on(policy: Policy, key: string): boolean {
  return Object.hasOwn(policy, key) && policy[key] === true;
}

export function rulesOf(policy: Policy, minimums: Minimums = {}): Rules {
  const own = policy['decisionTtlSeconds'];
  const ttls = [typeof own === 'number' ? own : null, minimums.decisionTtlSecondsAtMost ?? null].filter(
    (ttl): ttl is number => ttl !== null,
  );
  return {
    requireSignature: on(policy, 'requireSignature') || minimums.requireSignature === true,
    allowSelfApproval: on(policy, 'allowSelfApproval') && minimums.forbidSelfApproval !== true,
    resendWhenAbsent: on(policy, 'resendWhenAbsent') && minimums.forbidResend !== true,
    decisionTtlSeconds: ttls.length === 0 ? null : Math.min(...ttls),
  };
}

/** What a deployment demands, by action; `*` is for every action that is not named. */
export type DeploymentMinimums = Readonly<Record<string, Minimums>>;

export function rulesFor(
  operation: { readonly action: string; readonly policy: Policy },
  minimums: DeploymentMinimums,
): Rules {
  const own = Object.hasOwn(minimums, operation.action) ? minimums[operation.action] : minimums['*'];
  return rulesOf(operation.policy, own);
}
