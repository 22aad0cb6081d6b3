import type { RequestView } from '@winnow/wire';
import { scoreTool, toScoreContext } from '../strategies/relevance.ts';

/** What is picked from. */
export interface RelevanceChoice {
  readonly view: RequestView;
  /** Names of the tools to choose among. */
  readonly deferred: readonly string[];
  /** Most names to pick. */
  readonly limit: number;
}

/**
 * The tools that the strategy `relevance` finds the fittest for the last user message, the best first; equal ones in the client's order.
 *
 * A tool without any sign of being needed is not picked, although the strategy would fill up with it: it would say nothing about
 * the selector's picks.
 */
export function pickByRelevance({ view, deferred, limit }: RelevanceChoice): string[] {
  const wanted = new Set(deferred);
  const context = toScoreContext(view, [], []);
  return view.tools
    .flatMap((tool) => (tool.name !== undefined && wanted.delete(tool.name) ? [tool] : []))
    .map((tool) => ({ name: tool.name!, score: scoreTool(tool, context) }))
    .filter(({ score }) => score > 0)
    .sort((left, right) => right.score - left.score)
    .slice(0, limit)
    .map(({ name }) => name);
}
