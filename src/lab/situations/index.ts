/** Every situation of the lab, in the order of the report. */
import { crashSituations } from './crashes.ts';
import { changeSituations, decisionSituations } from './decisions.ts';
import { destinationSituations } from './destinations.ts';
import { draftSituations } from './drafts.ts';
import { objectSituations } from './objects.ts';
import { repeatSituations } from './repeats.ts';
import { versionSituations } from './versions.ts';
import type { Situation } from './situation.ts';

export const situations: readonly Situation[] = [
  ...crashSituations,
  ...repeatSituations,
  ...decisionSituations,
  ...changeSituations,
  ...objectSituations,
  ...destinationSituations,
  ...draftSituations,
  ...versionSituations,
];
export type { Situation };
