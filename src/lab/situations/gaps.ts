/** The dangerous gaps of carrying out an effect, by what each arm calls them. */
import type { CrashPoint } from '../../ports/crash-points.ts';
import { ExperimentFault } from '../experiment.ts';
import { EngineWorld } from '../worlds/engine.ts';
import type { World } from '../worlds/world.ts';

export interface Gap {
  readonly name: string;
  readonly title: string;
  readonly product: CrashPoint;
  /** `null`: the platform arms have no such gap. */
  readonly platform: CrashPoint | null;
  /** Without an engine nothing is reported to one. */
  readonly ledger: CrashPoint;
}

export const gaps: readonly Gap[] = [
  {
    name: 'before-claim',
    title: 'before the claim',
    product: 'claim.before-commit',
    platform: 'receiver.request-sent',
    ledger: 'claim.before-commit',
  },
  {
    name: 'after-claim',
    title: 'after the claim, before the effect',
    product: 'claim.after-commit',
    platform: null,
    ledger: 'claim.after-commit',
  },
  {
    name: 'after-effect',
    title: 'after the effect',
    product: 'receiver.committed',
    platform: 'receiver.committed',
    ledger: 'receiver.committed',
  },
  {
    name: 'before-result',
    title: 'after completion, before the result is reported',
    product: 'execute.result-reported',
    platform: 'execute.result-reported',
    ledger: 'complete.after-commit',
  },
];

type Points = Pick<Gap, 'product' | 'platform' | 'ledger'>;

/** A gap that every arm has under the same name. */
export const sameGap = (point: CrashPoint): Points => ({ product: point, platform: point, ledger: point });

/** The arm's name for a gap. */
export function pointOf(world: World, gap: Points): CrashPoint {
  const { arm } = world.x;
  if (arm === 'ledger') return gap.ledger;
  if (arm === 'both') return gap.product;
  if (gap.platform === null) throw new ExperimentFault('This arm has no such gap.');
  return gap.platform;
}

export function engineOf(world: World): EngineWorld {
  if (world instanceof EngineWorld) return world;
  throw new ExperimentFault('This arm has no engine.');
}
