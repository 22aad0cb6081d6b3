import { bm25, toDocument } from '@winnow/ranking';
import { RELEVANCE_SETS } from '../../../packages/ranking/test/relevance/relevance-sets.ts';

/**
 * Counts the queries of the ranking package's multilingual sets that find their tool at the required rank.
 */
export async function checkScripts(): Promise<{ asked: number; missed: { title: string; query: string }[] }> {
  let asked = 0;
  const missed: { title: string; query: string }[] = [];
  for (const { title, tools, queries } of RELEVANCE_SETS) {
    const index = bm25.build(tools.map(toDocument));
    for (const { query, gold, within = 1 } of queries) {
      asked += 1;
      const { hits } = await index.rank(query, { limit: within });
      if (!hits.some(({ position }) => tools[position]?.name === gold)) missed.push({ title, query });
    }
  }
  return { asked, missed };
}
