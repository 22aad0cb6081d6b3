import type { Ranker, ToolDocument } from '@winnow/ranking';
import { hashedOrder } from '../hashed-order.ts';

/** An index that returns names. */
export interface Searchable {
  /**
   * Returns names of different tools, best first, at most {@link RANKING_DEPTH}; `undefined` if the ranker
   * failed.
   */
  rankNames(query: string): Promise<readonly string[] | undefined>;
}

/** Depth of rankings: enough for every score, and for a reciprocal rank that rounds to zero beyond it. */
const RANKING_DEPTH = 100;

/**
 * Builds an index over the documents in hashed order.
 *
 * If a ranker throws while building or ranking, these queries fail but the run continues: references do
 * throw.
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
