/** What a user asks the lab for, checked: situations, arms, a mutant. */
import { CountersignError } from '../core/errors.ts';
import { armNames, type ArmName } from './names.ts';
import type { Mutant } from './mutants/mutant.ts';
import { mutants } from './mutants/list.ts';
import { situations, type Situation } from './situations/index.ts';

/** The cells that CI runs: each promise and each arm is in them, and they take minutes. */
const small: readonly string[] = [
  'receipt-lost-thrown',
  'retries-exhausted',
  'worker-killed-after-effect',
  'reset-after-effect',
  'started-again-after-close',
  'opposite-decisions',
  'stale-tab',
  'permission-revoked',
];

export interface Asked {
  readonly name?: string | undefined;
  readonly arm?: string | undefined;
  readonly mutant?: string | undefined;
  readonly small?: boolean | undefined;
}

export interface Selection {
  readonly situations: readonly Situation[];
  readonly arms: readonly ArmName[];
  readonly mutant: Mutant | null;
}

function chosen<T extends { readonly name: string }>(what: string, all: readonly T[], name: string): T {
  const found = all.find((one) => one.name === name);
  if (found) return found;
  throw new CountersignError('usage', {
    message: `There is no ${what} ${JSON.stringify(name)}.`,
    hint: `Run \`countersign lab --list\`. Nearest by name: ${nearest(all, name).join(', ')}.`,
  });
}

/** Those that share the most words with what was typed. */
function nearest(all: readonly { readonly name: string }[], name: string): readonly string[] {
  const words = name.toLowerCase().split('-');
  const shared = (other: string): number => words.filter((word) => other.split('-').includes(word)).length;
  return all
    .map((one) => one.name)
    .toSorted((a, b) => shared(b) - shared(a))
    .slice(0, 3);
}

/** Throws `usage` for anything that does not exist or does not go together. */
export function select({ name, arm, mutant: mutantName, small: onlySmall }: Asked): Selection {
  const named =
    arm === undefined
      ? null
      : chosen(
          'arm',
          armNames.map((one) => ({ name: one })),
          arm,
        ).name;
  if (mutantName !== undefined) {
    if (name !== undefined || arm !== undefined || onlySmall) {
      throw new CountersignError('usage', {
        message: 'A mutant has its own situation and arm.',
        hint: 'Use --mutant NAME alone.',
      });
    }
    const mutant = chosen('mutant', mutants, mutantName);
    return { situations: [chosen('situation', situations, mutant.situation)], arms: [mutant.arm], mutant };
  }
  const wanted = name === undefined ? situations : [chosen('situation', situations, name)];
  const selected = onlySmall ? wanted.filter((one) => small.includes(one.name)) : wanted;
  return { situations: selected, arms: named === null ? armNames : [named], mutant: null };
}
