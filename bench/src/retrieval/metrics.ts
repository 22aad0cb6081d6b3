/** The quality of one ranking, each value 0..1. */
export interface RankingScores {
  /** 1 if a wanted name is among the first five, which is what an agent sees of a search. */
  readonly hit5: number;
  readonly recall1: number;
  readonly recall5: number;
  readonly recall10: number;
  readonly ndcg5: number;
  readonly ndcg10: number;
  readonly mrr: number;
}

/**
 * Computes all scores of one ranking of different names against the wanted names; `gold` must not be empty.
 */
export function scoreRanking(ranked: readonly string[], gold: ReadonlySet<string>): RankingScores {
  return {
    hit5: recallAt(5, ranked, gold) > 0 ? 1 : 0,
    recall1: recallAt(1, ranked, gold),
    recall5: recallAt(5, ranked, gold),
    recall10: recallAt(10, ranked, gold),
    ndcg5: ndcgAt(5, ranked, gold),
    ndcg10: ndcgAt(10, ranked, gold),
    mrr: reciprocalRank(ranked, gold),
  };
}

/** Returns the share of the wanted names among the first `cutoff`. */
export function recallAt(cutoff: number, ranked: readonly string[], gold: ReadonlySet<string>): number {
  return ranked.slice(0, cutoff).filter((name) => gold.has(name)).length / gold.size;
}

/**
 * Returns the normalized discounted cumulative gain with binary relevance: a hit at rank r counts 1 / log2(r
 * + 1), and the ideal is min(`cutoff`, wanted names) hits at the top.
 *
 * Source: Järvelin & Kekäläinen 2002, in the form with log2(r + 1) that trec_eval and BEIR use.
 */
export function ndcgAt(cutoff: number, ranked: readonly string[], gold: ReadonlySet<string>): number {
  const gain = ranked
    .slice(0, cutoff)
    .reduce((sum, name, position) => (gold.has(name) ? sum + discount(position) : sum), 0);
  let ideal = 0;
  for (let position = 0; position < Math.min(cutoff, gold.size); position += 1) ideal += discount(position);
  return gain / ideal;
}

/** Returns the reciprocal rank of the first wanted name; 0 if there is none. */
export function reciprocalRank(ranked: readonly string[], gold: ReadonlySet<string>): number {
  const position = ranked.findIndex((name) => gold.has(name));
  return position < 0 ? 0 : 1 / (position + 1);
}

/** Returns 1 if the first name is a wanted one, otherwise 0. */
export function hitAtOne(ranked: readonly string[], gold: ReadonlySet<string>): number {
  const first = ranked[0];
  return first !== undefined && gold.has(first) ? 1 : 0;
}

function discount(position: number): number {
  return 1 / Math.log2(position + 2);
}
