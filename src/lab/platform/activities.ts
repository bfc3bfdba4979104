/** The activities of the platform arms: one writes the effect under the key its arm chose, one asks the model. */
import { randomUUID } from 'node:crypto';
import { activityInfo, heartbeat } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { CaseInput } from '../../core/case.ts';
import { identify, parseCase } from '../../identity/index.ts';
import { canonicalCase } from '../../operations/content.ts';
import type { CrashPoints } from '../../ports/crash-points.ts';
import type { Receiver } from '../../ports/receiver.ts';
import type { ArmName } from '../names.ts';
import type { PlatformCase } from './case.ts';

export interface PlatformActivities {
  draft(given: PlatformCase): Promise<string>;
  record(content: CaseInput): Promise<void>;
}

export interface PlatformPorts {
  readonly arm: ArmName;
  readonly receiver: Receiver;
  readonly faults: CrashPoints;
  readonly ledgerId: string;
  draft(given: PlatformCase): Promise<string>;
}

/** What the receiver deduplicates by. */
function keyOf(arm: ArmName, operationId: string): string {
  const { workflowExecution, activityId } = activityInfo();
  switch (arm) {
    case 'platform-operation-key':
      return operationId;
    case 'platform-run-key':
      return `${workflowExecution?.runId ?? 'none'}/${activityId}`;
    default:
      return `random-${randomUUID()}`;
  }
}

export function platformActivities(ports: PlatformPorts): PlatformActivities {
  const { arm, receiver, faults, ledgerId } = ports;
  return {
    draft: (given) => ports.draft(given),
    async record(content) {
      // As long as it lives it says so, as the product's attempts do.
      const alive = setInterval(() => heartbeat(), 500);
      try {
        await send(content);
      } finally {
        clearInterval(alive);
      }
    },
  };

  async function send(content: CaseInput): Promise<void> {
    const { operationId, payload } = identify(canonicalCase(parseCase(content)));
    const key = keyOf(arm, operationId);
    const { attempt } = activityInfo();
    faults.reach('receiver.request-sent');
    const { answer } = await receiver.commit({
      operationId: key,
      payload,
      attempt,
      ledgerId,
      ledgerSequence: 0,
      ledgerHash: '',
    });
    if (answer === 'conflict') throw ApplicationFailure.create({ message: 'The key is in use.', type: 'conflict' });
    faults.reach('execute.result-reported');
  }
}
