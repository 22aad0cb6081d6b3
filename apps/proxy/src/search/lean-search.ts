import { CANDIDATES_EACH, typicalSizeOf, worthLoading } from '../strategies/worth-loading.ts';
import type { Search } from './search.ts';

/**
 * Wraps a search so that, of its best matches, it finds only those that are worth their definitions. Without
 * sizes, as if a client loads tools itself, it finds as many as requested.
 */
export function leanSearch(search: Search): Search {
  return async (request) => {
    const { limit } = request;
    const { sizes } = request.searchable;
    if (sizes === undefined) return search(request);
    const outcome = await search({ ...request, limit: limit * CANDIDATES_EACH });
    if (!outcome.ok) return outcome;
    const { scores, ...found } = outcome;
    // Weak matches are named, which costs next to nothing. Other selectors may give no scores.
    if (found.isNoMatch || found.isWeak || scores === undefined) {
      return { ...found, names: found.names.slice(0, limit) };
    }
    const candidates = found.names.map((name, place) => ({
      name,
      score: scores[place]!,
      size: sizes.get(name)!,
    }));
    const typicalSize = typicalSizeOf(sizes.values());
    return { ...found, names: worthLoading(candidates, { most: limit, typicalSize }) };
  };
}
