import { mean, summarizeTimes } from '../summarize-times.ts';
import { type RankingScores, scoreRanking } from './metrics.ts';
import type { SetQuery } from './read-sets.ts';
import type { Searchable } from './searchable.ts';

/** A value per query id. */
export type ValueById = Readonly<Record<string, number>>;

/** Results of all queries on one index. */
export interface QueriesMeasurement {
  /** Means over all queries. */
  readonly scores: RankingScores;
  readonly times: {
    readonly ms_per_query: number;
    readonly query_p50_ms: number;
    readonly query_p95_ms: number;
  };
  /** Values query by query. */
  readonly values: Readonly<Record<'ndcg10' | 'recall5' | 'hit5', ValueById>>;
}

/** Runs every query, one after another. A query on which the ranker fails scores zero. */
export async function measureQueries(
  index: Searchable,
  queries: readonly SetQuery[],
): Promise<QueriesMeasurement> {
  const scores: RankingScores[] = [];
  const times: number[] = [];
  for (const query of queries) {
    const startedAt = performance.now();
    const ranked = await index.rankNames(query.text);
    times.push(performance.now() - startedAt);
    scores.push(scoreRanking(ranked ?? [], query.gold));
  }
  const valuesOf = (measure: keyof RankingScores): ValueById =>
    Object.fromEntries(queries.map(({ id }, position) => [id, scores[position]?.[measure] ?? 0]));
  const { mean: ms_per_query, p50: query_p50_ms, p95: query_p95_ms } = summarizeTimes(times);
  return {
    scores: meanScores(scores),
    times: { ms_per_query, query_p50_ms, query_p95_ms },
    values: { ndcg10: valuesOf('ndcg10'), recall5: valuesOf('recall5'), hit5: valuesOf('hit5') },
  };
}

function meanScores(scores: readonly RankingScores[]): RankingScores {
  const of = (measure: keyof RankingScores): number => mean(scores.map((score) => score[measure]));
  return {
    hit5: of('hit5'),
    recall1: of('recall1'),
    recall5: of('recall5'),
    recall10: of('recall10'),
    ndcg5: of('ndcg5'),
    ndcg10: of('ndcg10'),
    mrr: of('mrr'),
  };
}
