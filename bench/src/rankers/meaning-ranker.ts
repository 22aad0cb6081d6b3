import type { PatientMeanings } from '@winnow/embeddings';
import { bm25, meaningText, type Ranker, rankWithMeaning, type ToolDocument } from '@winnow/ranking';

/** Winnow's ranker with meaning added. */
export const WITH_MEANING = 'bm25+meaning';

/**
 * A ranker that orders the first hits of `bm25` by meaning, too, along with the nearest tools by meaning. A
 * query embeds itself; known vectors of tools cost no computation.
 */
export function meaningRanker(meanings: PatientMeanings): Ranker {
  return {
    name: WITH_MEANING,
    build(documents: readonly ToolDocument[]) {
      const index = bm25.build(documents);
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
