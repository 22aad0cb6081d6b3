import { LIMITS, type MatchedField, type SearchType, type UsedSearchType } from '@winnow/contract';
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { MeaningSource } from '../meaning/meaning-source.ts';
import { rankByMeaning } from '../meaning/rank-by-meaning.ts';
import { rankWithMeaning } from '../meaning/rank-with-meaning.ts';
import type { ShownPositions } from '../names/name-index.ts';
import { type Reading, readPattern } from '../pattern/pattern.ts';
import type { Pause } from '../pause.ts';
import { byPosition, type Hit, type LaterHits, type Ranking, type RankOptions } from '../ranker.ts';
import { rankByPattern } from '../rankers/regex.ts';
import { cutText } from '../text/cut-text.ts';

/** What is to be found, and how much of it. */
export interface FindQuery {
  /** Text, keywords, a regular expression, a glob, or exact names. */
  readonly pattern: string;
  readonly searchType: SearchType;
  /**
   * By position: 1 for a tool that this search may not find, whatever the pattern says. Its words count in the statistics that scores are made of. At
   * least as long as the catalogue has positions.
   */
  readonly excluded?: Uint8Array;
  /** Most hits beside those of `alsoPositions`, at least 1. */
  readonly limit: number;
  /** Positions whose hits are wanted even beyond `limit`, if they match at all. */
  readonly alsoPositions?: readonly number[];
  /** How many of the best are needed at once, at least 1; the rest may be left for `later`. All of them when it is missing. */
  readonly atOnce?: number;
  /** Orders the first of what keywords find by their meaning as well, with the tools that mean most nearly the same. Exact names stay where they are. */
  readonly meaning?: MeaningSource;
}

/** Every tool that matched, or the best of them. */
export interface Found {
  /** Best first. Those whose exact names stand in the pattern come first, in its order. */
  readonly hits: readonly Hit[];
  /** The hits behind these, where some were left for later. */
  readonly later?: LaterHits<Hit>;
  /** Tools that matched, before the limit. */
  readonly totalMatches: number;
  /** How the pattern was read in the end. */
  readonly searchType: UsedSearchType;
}

/**
 * The tools that a pattern finds, by their positions, as `selectTools` ranks them and without choosing. Scores compare within one search only,
 * and not between exact names, which all have the highest one, and the rest.
 */
export async function findTools(catalogue: Catalogue, query: FindQuery, pause: Pause): Promise<Found> {
  const pattern = cutText(query.pattern, LIMITS.keywordPatternChars);
  const { excluded, alsoPositions = [], atOnce } = query;
  const { positions: exact, isWholeAnswer } = catalogue.names.findIn(pattern, shownBy(catalogue, excluded));
  const options: RankOptions = {
    // Room for those that stand twice in the ranking: as an exact name too.
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
  const isRanked = new Set(ranking.hits.map((hit) => hit.position));
  const totalMatches = ranking.totalMatches + exact.filter((position) => !isRanked.has(position)).length;
  const isWanted = new Set(alsoPositions);
  const hits = withExactNames(ranking, exact).filter(
    ({ position }, place) => place < query.limit || isWanted.has(position),
  );
  const later = cutLater(ranking.later, query.limit - hits.length);
  return { hits, ...(later && { later }), totalMatches, searchType };
}

/** At most so many of them. */
function cutLater(later: LaterHits<Hit> | undefined, most: number): LaterHits<Hit> | undefined {
  if (later === undefined || most <= 0) return undefined;
  return later.count <= most ? later : { count: most, make: () => later.make().slice(0, most) };
}

/** What a search sees of a catalogue. */
export function shownBy(catalogue: Catalogue, excluded: Uint8Array | undefined): ShownPositions {
  const { positions, compare = byPosition } = catalogue;
  return {
    has: (position) =>
      position < positions && catalogue.absent?.[position] !== 1 && excluded?.[position] !== 1,
    compare,
  };
}

const NO_RANKING: Ranking = { hits: [], totalMatches: 0 };

/** How a reading is ranked. */
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
    const by = asksForMeaning(ranked.asked) ? ranking.by : undefined;
    if (ranking.totalMatches > 0) return { ranking, searchType: by ?? reading.kind };
  }
  return { ranking: NO_RANKING, searchType: 'keyword' };
}

function asksForMeaning(searchType: SearchType): boolean {
  return searchType === 'hybrid' || searchType === 'semantic';
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

/** The ranking, with tools whose exact names stand in the pattern before all others, each once. */
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
