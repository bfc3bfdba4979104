/** A situation: one script for every arm, with its exact fault. */
import type { ArmName } from '../names.ts';
import type { Destination } from '../settings.ts';
import type { SituationInfo } from '../result.ts';
import type { World, GivenCase } from '../worlds/world.ts';
import type { EngineWorld } from '../worlds/engine.ts';

export interface Situation extends SituationInfo {
  readonly destination?: Partial<Destination>;
  /** Arms that cannot express it, with the reason. */
  readonly absent?: Partial<Readonly<Record<ArmName, string>>>;
  /** For arms with an engine `world` is one, too: see `engineOf`. */
  run(world: World): Promise<void>;
}

export type { World, GivenCase, EngineWorld };

export const noEngine = { ledger: 'There is no engine: no worker, no run, no server.' } as const;
export const noClaim = {
  'platform-naive': 'There is no claim; see the same fault before the claim.',
  'platform-run-key': 'There is no claim; see the same fault before the claim.',
  'platform-operation-key': 'There is no claim; see the same fault before the claim.',
} as const;
export const noLedger = {
  'platform-naive': 'There is no ledger.',
  'platform-run-key': 'There is no ledger.',
  'platform-operation-key': 'There is no ledger.',
} as const;
