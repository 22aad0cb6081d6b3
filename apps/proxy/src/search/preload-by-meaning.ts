import type { RequestView } from '@winnow/wire';
import type { PreloadQuestion } from '../strategies/preload.ts';
import type { Search, SearchRequest } from './search.ts';
import { toSearchable } from './searchable-tools.ts';

/**
 * Returns the names of the tools to preload by words and meaning, best first; undefined if the search fails, or
 * lacks vectors of the request or of some tools. Never rejects.
 */
export async function preloadByMeaning(
  view: RequestView,
  { query, names, limit, choose }: PreloadQuestion,
  search: Search,
  about: Pick<SearchRequest, 'requestId' | 'span' | 'signal'>,
): Promise<readonly string[] | undefined> {
  // Without sizes, a search returns all matches, and the question chooses.
  const { id, tools } = toSearchable(view, names);
  const outcome = await search({ ...about, query, searchable: { id, tools }, searchType: 'hybrid', limit });
  if (!outcome.ok || outcome.meaning !== 'used') return undefined;
  if (outcome.isNoMatch || outcome.isWeak) return [];
  const { scores } = outcome;
  return choose(outcome.names.map((name, place) => ({ name, score: scores?.[place] ?? 1 })));
}
