/** A drafter without a model, for tests and the lab: the text is what a function says. */
import type { UndraftedCase } from '../core/case.ts';
import type { Drafter } from '../ports/drafter.ts';

/** `call` counts from 1 in this process, so that an answer can tell which call it belongs to. */
export function scriptedDrafter(answer: (request: UndraftedCase, call: number) => string | Promise<string>): Drafter {
  let calls = 0;
  return {
    name: 'scripted',
    draft: async (request) => {
      calls += 1;
      return answer(request, calls);
    },
  };
}
