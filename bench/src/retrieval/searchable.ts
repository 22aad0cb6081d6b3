import type { Ranker, ToolDocument } from '@winnow/ranking';
import { hashedOrder } from '../hashed-order.ts';

/** An index to ask for names. */
export interface Searchable {
  /** Names of different tools, best first, at most {@link RANKING_DEPTH}; `undefined` when the ranker failed. */
  rankNames(query: string): Promise<readonly string[] | undefined>;
}

/** How deep rankings are looked at: enough for every score, and for a reciprocal rank that rounds to nothing beyond. */
const RANKING_DEPTH = 100;

/**
 * Builds an index over the documents in hashed order.
 *
 * A ranker that throws, at building or at ranking, fails for those queries and not for the run: yardsticks do.
 */
export function buildSearchable(ranker: Ranker, documents: readonly ToolDocument[]): Searchable {
  const ordered = hashedOrder(documents);
  const index = withoutThrowing(() => ranker.build(ordered));
  return {
    async rankNames(query) {
      if (index === undefined) return undefined;
      try {
        const { hits } = await index.rank(query, { limit: RANKING_DEPTH });
        return [...new Set(hits.map(({ position }) => ordered[position]?.name ?? ''))];
      } catch {
        return undefined;
      }
    },
  };
}

function withoutThrowing<Value>(make: () => Value): Value | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}
