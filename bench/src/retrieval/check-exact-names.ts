import { buildCatalogue, type MeaningSource, noPause, selectTools } from '@winnow/ranking';
import { hashedOrder } from '../hashed-order.ts';
import type { RetrievalSet } from './read-sets.ts';

/**
 * Searches for the tools of all sets by their exact names, and counts those that are first in a whole search.
 */
export async function checkExactNames(
  sets: readonly RetrievalSet[],
  meaning?: MeaningSource,
): Promise<{ asked: number; missed: string[] }> {
  let asked = 0;
  const missed: string[] = [];
  for (const { tools } of sets) {
    const catalogue = buildCatalogue(hashedOrder(tools));
    for (const { name } of tools) {
      asked += 1;
      const query = {
        pattern: name,
        topK: 1,
        alwaysKeep: [],
        searchType: 'auto',
        ...(meaning && { meaning }),
      } as const;
      const { names } = await selectTools(catalogue, query, noPause);
      if (names[0] !== name) missed.push(name);
    }
  }
  return { asked, missed };
}
