import type { PatientMeanings } from '@winnow/embeddings';
import { meaningText, RANKERS, type Ranker, rankWithMeaning, type ToolDocument } from '@winnow/ranking';

/** Our ranker with meaning on top. */
export const WITH_MEANING = 'bm25+meaning';

/** `bm25`, whose first hits are ordered by meaning too, with what is nearest by it. A query embeds itself; vectors of tools that were learnt before cost nothing. */
export function meaningRanker(meanings: PatientMeanings): Ranker {
  return {
    name: WITH_MEANING,
    build(documents: readonly ToolDocument[]) {
      const index = RANKERS.bm25.build(documents);
      const kept = [...documents];
      const source = meanings.source(kept.length, (position) => meaningText(kept[position]!));
      return {
        size: index.size,
        bytes: index.bytes,
        rank: (query, options) => rankWithMeaning(index, query, { ...options, has: () => true }, source),
      };
    },
  };
}
