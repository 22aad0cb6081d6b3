import { cutText, LIMITS, type MatchedField, type SearchType, type UsedSearchType } from '@winnow/core';
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { MeaningSource } from '../meaning/meaning-source.ts';
import { rankByMeaning, rankWithMeaning } from '../meaning/rank-with-meaning.ts';
import type { ShownPositions } from '../names/name-index.ts';
import { type Reading, readPattern } from '../pattern/pattern.ts';
import {
  byPosition,
  type Hit,
  type LaterHits,
  type Pause,
  type Ranking,
  type RankOptions,
} from '../ranker.ts';
import { rankByPattern } from '../rankers/rank-by-pattern.ts';
import { judgedUnseen, judgeKeywordHits } from './certainty.ts';
import { type Found, MERGED_DEPTH, mergeFound } from './merge-found.ts';

/** A search, and the number of hits to return. */
export interface FindQuery {
  /**
   * Text, keywords, a regular expression, a glob, or exact names. Several patterns stand for several needs, or
   * for other wordings of one; their results are merged by `mergeFound`.
   */
  readonly pattern: string | readonly string[];
  readonly searchType: SearchType;
  /**
   * By position: 1 for a tool that this search must not find. Its words remain in the statistics behind the
   * scores. Covers at least all positions of the catalogue.
   */
  readonly excluded?: Uint8Array;
  /** Maximum number of hits besides those of `alsoPositions`, at least 1. */
  readonly limit: number;
  /** Positions whose hits are returned even beyond `limit`, if they match. */
  readonly alsoPositions?: readonly number[];
  /**
   * Number of best hits needed immediately, at least 1; the rest may be left for `later`. All by default, and
   * for several patterns.
   */
  readonly atOnce?: number;
  /** Whether only the certainty is needed, and no confidence per hit; by words alone, this takes less time. */
  readonly needsCertaintyOnly?: boolean;
  /**
   * Adds meaning to the order of the best keyword matches, and includes the nearest tools. Exact names keep
   * their places.
   */
  readonly meaning?: MeaningSource;
}

/**
 * Finds the tools that match a pattern, by position, ranked as in `selectTools` but without choosing. Scores
 * are comparable within one search only; exact names all have the highest score, which does not compare with
 * the rest.
 */
export async function findTools(catalogue: Catalogue, query: FindQuery, pause: Pause): Promise<Found> {
  const { pattern: patterns } = query;
  if (typeof patterns === 'string') return findByPattern(catalogue, { ...query, pattern: patterns }, pause);
  if (patterns.length === 1) return findByPattern(catalogue, { ...query, pattern: patterns[0]! }, pause);
  const { atOnce: _, ...whole } = query;
  const find = (pattern: string) =>
    findByPattern(catalogue, { ...whole, pattern, limit: Math.max(whole.limit, MERGED_DEPTH) }, pause);
  // Waits for an embedder together; an index of words reads each pattern once if it comes alone.
  if (query.meaning !== undefined) return mergeFound(await Promise.all(patterns.map(find)), query);
  const finds: Found[] = [];
  for (const pattern of patterns) {
    // Words that no tool contains are compared with those of all tools.
    if (finds.at(-1)?.certainty === 'none') await pause();
    finds.push(await find(pattern));
  }
  return mergeFound(finds, query);
}

/** A query with one pattern. */
type OnePattern = FindQuery & { readonly pattern: string };

async function findByPattern(catalogue: Catalogue, query: OnePattern, pause: Pause): Promise<Found> {
  const pattern = cutText(query.pattern, LIMITS.keywordPatternChars);
  const { excluded, alsoPositions = [], atOnce } = query;
  const { positions: exact, isWholeAnswer } = catalogue.names.findIn(pattern, shownBy(catalogue, excluded));
  const options: RankOptions = {
    // Room for exact names that also appear in the ranking.
    limit: query.limit + exact.length,
    alsoPositions: [...exact, ...alsoPositions],
    ...(atOnce !== undefined && { atOnce: atOnce + exact.length }),
    ...(excluded && { excluded }),
    ...(catalogue.compare && { compare: catalogue.compare }),
  };
  const readings = isWholeAnswer ? [] : readPattern(pattern, query.searchType);
  const { meaning, searchType: asked } = query;
  const { ranking, searchType } = await rankByReadings(catalogue, pattern, readings, {
    ...{ options, asked, meaning, pause },
  });
  const totalMatches = ranking.totalMatches + countUnranked(exact, ranking);
  const isWanted = new Set(alsoPositions);
  const hits = withExactNames(ranking, exact).filter(
    ({ position }, place) => place < query.limit || isWanted.has(position),
  );
  const later = cutLater(ranking.later, query.limit - hits.length);
  // Only words can match by chance.
  const isByWords = searchType === 'keyword' || searchType === 'hybrid';
  const judged =
    isByWords && exact.length === 0
      ? judgeKeywordHits(catalogue.index, pattern, hits, meaning === undefined && query.needsCertaintyOnly)
      : judgedUnseen(hits);
  return { ...judged, ...(later && { later }), totalMatches, searchType };
}

function countUnranked(exact: readonly number[], { hits }: Ranking): number {
  if (exact.length === 0) return 0;
  const isRanked = new Set(hits.map(({ position }) => position));
  return exact.filter((position) => !isRanked.has(position)).length;
}

/** Limits later hits to `most`. */
function cutLater(later: LaterHits<Hit> | undefined, most: number): LaterHits<Hit> | undefined {
  if (later === undefined || most <= 0) return undefined;
  return later.count <= most ? later : { count: most, make: () => later.make().slice(0, most) };
}

/** Returns the positions of a catalogue that a search sees. */
export function shownBy(catalogue: Catalogue, excluded: Uint8Array | undefined): ShownPositions {
  const { positions, compare = byPosition } = catalogue;
  return {
    has: (position) =>
      position < positions && catalogue.absent?.[position] !== 1 && excluded?.[position] !== 1,
    compare,
  };
}

const NO_RANKING: Ranking = { hits: [], totalMatches: 0 };

/** The ranking of one reading. */
interface Ranked {
  readonly options: RankOptions;
  readonly asked: SearchType;
  readonly meaning: MeaningSource | undefined;
  readonly pause: Pause;
}

async function rankByReadings(
  catalogue: Catalogue,
  pattern: string,
  readings: readonly Reading[],
  ranked: Ranked,
): Promise<{ ranking: Ranking; searchType: UsedSearchType }> {
  for (const reading of readings) {
    const ranking = await rankByReading(catalogue, pattern, reading, ranked);
    if (ranking.totalMatches > 0) return { ranking, searchType: ranking.by ?? reading.kind };
  }
  return { ranking: NO_RANKING, searchType: 'keyword' };
}

function rankByReading(
  catalogue: Catalogue,
  pattern: string,
  reading: Reading,
  { options, asked, meaning, pause }: Ranked,
): Promise<Ranking> {
  const { table, index } = catalogue;
  const { has } = shownBy(catalogue, options.excluded);
  if (reading.kind === 'keyword') {
    if (meaning === undefined) return index.rank(pattern, options);
    const rank = asked === 'semantic' ? rankByMeaning : rankWithMeaning;
    return rank(index, pattern, { ...options, has }, meaning);
  }
  return rankByPattern({ ...options, reading, table, has, keywords: index, pause });
}

/** Returns the ranking with exact names first, without duplicates. */
function withExactNames(ranking: Ranking, exact: readonly number[]): Hit[] {
  if (exact.length === 0) return [...ranking.hits];
  const hits = new Map(ranking.hits.map((hit) => [hit.position, hit]));
  const score = ranking.hits[0]?.score ?? 1;
  const isExact = new Set(exact);
  return [
    ...exact.map((position): Hit => {
      const matchedOn: MatchedField[] = ['exact_name', ...(hits.get(position)?.matchedOn ?? [])];
      return { position, score, matchedOn };
    }),
    ...ranking.hits.filter(({ position }) => !isExact.has(position)),
  ];
}
