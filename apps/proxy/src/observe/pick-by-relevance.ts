import type { RequestView } from '@winnow/wire';
import { scoreTool, toScoreContext } from '../strategies/relevance.ts';

/** The input of a choice. */
export interface RelevanceChoice {
  readonly view: RequestView;
  /** Names of the tools to choose from. */
  readonly deferred: readonly string[];
  /** Maximum number of names to pick. */
  readonly limit: number;
}

/**
 * Returns the tools that the `relevance` strategy ranks best for the last user message, best first; ties keep
 * the client's order.
 *
 * Tools without points are not picked, although the strategy would fill up with them: they would say nothing
 * about the selector's picks.
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
