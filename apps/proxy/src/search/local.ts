import { bm25, buildCatalogue, type Catalogue, type Pause, selectTools } from '@winnow/ranking';
import { RecentMap } from '@winnow/service';
import type { Search } from './search.ts';

/** How the proxy searches by itself. */
export interface LocalSearchOptions {
  /** Most names to find. */
  readonly limit: number;
  /** Names that must be found if they are there. */
  readonly alwaysKeep: readonly string[];
  /** Lets other work go between two slices of a long search. */
  readonly pause: Pause;
}

/** Catalogues that are held: each client of the same tools shares one. */
const MAX_CATALOGUES = 64;

/** Their memory together, as they count it themselves. */
const MAX_CATALOGUE_BYTES = 48 * 1024 * 1024;

/**
 * Searches with the ranking package, in this process: the same reading of patterns as the selector's `auto`.
 *
 * Holds the indexes of the last 64 catalogues, by their hash, 48 MiB of them at most.
 */
export function localSearch({ limit, alwaysKeep, pause }: LocalSearchOptions): Search {
  const catalogues = new RecentMap<string, Catalogue>(MAX_CATALOGUES, {
    most: MAX_CATALOGUE_BYTES,
    weigh: (_, catalogue) => catalogue.bytes,
  });
  return async ({ query, searchable, signal }) => {
    if (query.trim() === '') return { ok: false, reason: 'empty_query' };
    if (signal.aborted) return { ok: false, reason: 'client_gone' };
    const catalogue = catalogues.getOrAdd(searchable.id, () => buildCatalogue(searchable.tools, bm25));
    const pauseWhileWanted = async () => {
      await pause();
      signal.throwIfAborted();
    };
    try {
      const toolQuery = { pattern: query, topK: limit, alwaysKeep, searchType: 'auto' } as const;
      const { names, noMatch } = await selectTools(catalogue, toolQuery, pauseWhileWanted);
      return { ok: true, names, isNoMatch: noMatch };
    } catch (error) {
      // Selecting rejects only if a pause does.
      if (signal.aborted) return { ok: false, reason: 'client_gone' };
      throw error;
    }
  };
}
