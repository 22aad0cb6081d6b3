import type { RequestView } from '../format/view.ts';
import { isReasoning } from './read-items.ts';
import { isOrphan } from './restore-turns.ts';
import { runsIn } from './turns.ts';

/**
 * Whether the history contains reasoning, which the provider may refuse when a hidden turn around it is lost.
 */
export function holdsReasoning(view: RequestView): boolean {
  return runsIn(view).some(({ items }) => items.some(isReasoning));
}

/** Whether a history seems to have lost hidden turns: reasoning that leads to nothing remains of a search. */
export function hasLostRounds(view: RequestView): boolean {
  return runsIn(view).some(({ items }) => items.some((_, at) => isOrphan(items, at)));
}
