import type { Tool } from '@winnow/core';
import { buildCatalogue, explainTools, type Pause } from '@winnow/ranking';
import type { TimedFact } from '../records/exchange-fact.ts';
import { factsOf } from './tool-fates.ts';

/** The data that a tool's place in a search is computed from. */
export interface SearchedExchange {
  readonly tools: readonly Tool[];
  readonly queries: readonly string[];
}

/**
 * The place of a tool in one search, by the proxy's own ranking. Contains words only if content is shown;
 * their numbers always.
 */
export interface SearchPlace {
  readonly queryChars: number;
  readonly query?: string;
  /** From 1; null if the tool does not match. */
  readonly rank: number | null;
  /** Share of the best tool's score. */
  readonly score: number;
  /** Number of tools searched. */
  readonly tools: number;
  readonly matchedCount: number;
  readonly missingCount: number;
  readonly matched?: readonly string[];
  readonly missing?: readonly string[];
}

/** Limit on the catalogue size: indexing runs on the thread that serves all requests. */
const MOST_TOOLS = 2_000;

/**
 * Returns the searches of an exchange and the tools they covered; undefined if it had no searches, or too
 * many tools.
 */
export function searchedOf(facts: readonly TimedFact[]): SearchedExchange | undefined {
  const look = factsOf(facts, 'planned')[0]?.look;
  const queries = [...new Set(factsOf(facts, 'searching').flatMap(({ queries = [] }) => queries))];
  if (look?.section === undefined || queries.length === 0) return undefined;
  const isDeferred = new Set(look.plan.defer);
  const tools = look.section.entries.flatMap(({ name, description, definition }): Tool[] =>
    name !== undefined && isDeferred.has(name)
      ? [{ name, description, definition: definition as Record<string, unknown> }]
      : [],
  );
  return tools.length <= MOST_TOOLS ? { tools, queries } : undefined;
}

/** Returns a tool's place in each search of an exchange; empty if the tool was not searched. */
export async function explainSearches(
  { tools, queries }: SearchedExchange,
  name: string,
  { withContent, pause }: { readonly withContent: boolean; readonly pause: Pause },
): Promise<SearchPlace[]> {
  const catalogue = buildCatalogue(tools);
  const places: SearchPlace[] = [];
  for (const query of queries) {
    const [found] = await explainTools(catalogue, [name], { pattern: query, searchType: 'auto' }, pause);
    if (found === undefined) continue;
    const { rank = null, score, matched, missing } = found;
    places.push({
      queryChars: query.length,
      rank,
      score,
      tools: tools.length,
      matchedCount: matched.length,
      missingCount: missing.length,
      ...(withContent && { query, matched, missing }),
    });
  }
  return places;
}
