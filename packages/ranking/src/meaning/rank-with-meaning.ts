import { cutText, LIMITS } from '@winnow/core';
import type { Hit, RankerIndex, Ranking, RankOptions } from '../ranker.ts';
import { splitWords } from '../text/tokenize.ts';
import { meaningShares, meaningWeight } from './blend-meaning.ts';
import type { Int8Vector } from './int8-vector.ts';
import { LEAST_COSINE, type MeaningSource, type NearestSearch, type NearTool } from './meaning-source.ts';
import { nearnessTo } from './nearness.ts';
import { likenessLosses } from './variety.ts';

/** Number of best keyword matches to reorder. */
export const RERANKED = 50;

/** Number of nearest tools to order along with them. Twice as many find nothing more. */
export const NEAREST = 10;

/** Maximum number of vector components to scan: 20,000 vectors of 384, in some 8 milliseconds. */
export const MAX_NUMBERS_LOOKED_AT = 20_000 * 384;

/**
 * Ranks like an index, and reorders the first {@link RERANKED} and the {@link NEAREST} by words and meaning:
 *
 *   keyword score / best keyword score + weight · (cosine − mean cosine) / spread of the cosines − likeness loss
 *
 * The second term is that of `meaningShares`, over these tools, with cosines by `nearnessTo` the query; the third
 * is that of `likenessLosses`. A tool without a vector has only the first term. A tool that no word finds has only
 * the second, and is included only if it is nearer than all of the first, from {@link LEAST_COSINE} on. If keywords
 * find nothing, the result is empty. Scores use the scale of the index, and the tools after the reordered ones keep
 * theirs; a reordered tool never scores below the last of the first. The nearest are not searched in catalogues above
 * {@link MAX_NUMBERS_LOOKED_AT}, or without `has`.
 *
 * Source: score fusion as in Bruch et al. 2023, "An Analysis of Fusion Functions for Hybrid Retrieval",
 * normalised by mean and best.
 */
export async function rankWithMeaning(
  index: RankerIndex,
  query: string,
  options: RankOptions & Partial<Pick<NearestSearch, 'has'>>,
  source: MeaningSource,
): Promise<Ranking> {
  const { limit, atOnce = limit, alsoPositions = [], has } = options;
  const look = { most: NEAREST, within: MAX_NUMBERS_LOOKED_AT };
  const near = (has && (await source.nearest?.(query, { ...look, has }))) ?? [];
  const ranking = await index.rank(query, {
    ...options,
    limit: Math.max(limit, RERANKED),
    atOnce: Math.max(atOnce, RERANKED),
    alsoPositions: [...alsoPositions, ...near.map(({ position }) => position)],
  });
  const first = ranking.hits.slice(0, RERANKED);
  const isAlone = first.length === 1 && near.every(({ position }) => position === first[0]!.position);
  if (first.length === 0 || isAlone) return cut(ranking, options);
  const vectors = await vectorsOf(query, { first, near }, source);
  const cosines = cosinesOf(first, vectors);
  if (cosines.size === 0) return cut(ranking, options);
  const nearer = withSentences(near, vectors);
  const beyond = hitsBeyond(ranking, { first, near: nearer, cosines });
  for (const tool of nearer) cosines.set(tool.position, tool.cosine);
  const isBeyond = new Set(beyond.map(({ position }) => position));
  const rest = ranking.hits.slice(first.length).filter(({ position }) => !isBeyond.has(position));
  const unmatched = beyond.filter(({ score }) => score === 0).length;
  return cut(
    {
      ...ranking,
      hits: [...reorder(query, { first, beyond, cosines, vectors: vectors.tools }), ...rest],
      totalMatches: ranking.totalMatches + unmatched,
      by: 'hybrid',
    },
    options,
  );
}

/** Known cosines of tools, by position. */
type Cosines = Map<number, number>;

/** Known vectors of a search, by position. */
interface Vectors {
  readonly nearness: ((tool: Int8Vector) => number | undefined) | undefined;
  readonly tools: ReadonlyMap<number, Int8Vector>;
}

/** The keyword ranking, and the nearest tools. */
interface FirstAndNear {
  /** The best keyword matches. */
  readonly first: readonly Hit[];
  readonly near: readonly NearTool[];
}

async function vectorsOf(
  query: string,
  { first, near }: FirstAndNear,
  source: MeaningSource,
): Promise<Vectors> {
  const positions = [...new Set([...first, ...near].map(({ position }) => position))];
  const vectors = await source.vectorsOf(query, positions);
  const tools = new Map<number, Int8Vector>();
  vectors?.tools.forEach((tool, place) => {
    if (tool !== undefined) tools.set(positions[place]!, tool);
  });
  return { nearness: vectors && nearnessTo(vectors), tools };
}

/** Returns the near tools with their sentences' nearness included. */
function withSentences(near: readonly NearTool[], vectors: Vectors): NearTool[] {
  const cosines = cosinesOf(near, vectors);
  return near.map(({ position, cosine }) => ({ position, cosine: cosines.get(position) ?? cosine }));
}

function cosinesOf(tools: readonly { readonly position: number }[], vectors: Vectors): Cosines {
  const cosines: Cosines = new Map();
  for (const { position } of tools) {
    const tool = vectors.tools.get(position);
    const known = tool && vectors.nearness?.(tool);
    if (known !== undefined) cosines.set(position, known);
  }
  return cosines;
}

/**
 * Returns the near tools that are not among the first: those that keywords find, and those that are nearer
 * than all of the first; the latter with a score of 0.
 */
function hitsBeyond(
  { hits }: Ranking,
  { first, near, cosines }: FirstAndNear & { readonly cosines: Cosines },
): Hit[] {
  const isFirst = new Set(first.map(({ position }) => position));
  const found = new Map(hits.map((hit) => [hit.position, hit]));
  const most = Math.max(...cosines.values());
  return near
    .filter(({ position }) => !isFirst.has(position))
    .flatMap(({ position, cosine }): Hit[] => {
      const hit = found.get(position);
      if (hit !== undefined) return [hit];
      return cosine > most && cosine >= LEAST_COSINE ? [{ position, score: 0, matchedOn: ['meaning'] }] : [];
    });
}

/** The reordered tools: at least one keyword match, best first. */
interface Reordered {
  readonly first: readonly Hit[];
  readonly beyond: readonly Hit[];
  readonly cosines: Cosines;
  readonly vectors: Vectors['tools'];
}

function reorder(query: string, { first, beyond, cosines, vectors }: Reordered): Hit[] {
  const words = splitWords(cutText(query, LIMITS.keywordPatternChars)).length;
  const hits = [...first, ...beyond];
  const known = hits.map(({ position }) => cosines.get(position));
  const shares = meaningShares(known, meaningWeight(words));
  const best = first[0]!.score;
  const least = first.at(-1)!.score / best;
  const blended = hits
    .map((hit, place) => ({ hit, share: shares[place]!, value: hit.score / best + shares[place]! }))
    .sort((left, right) => right.value - left.value)
    .map((tool) => ({ ...tool, vector: vectors.get(tool.hit.position) }));
  const losses = likenessLosses(blended);
  return blended
    .map(({ hit, share }, place): Hit & { meaning: number } => ({ ...hit, meaning: share - losses[place]! }))
    .map((hit) => ({ ...hit, score: hit.score / best + hit.meaning }))
    .sort((left, right) => right.score - left.score)
    .map((hit) => {
      const cosine = cosines.get(hit.position);
      return { ...hit, score: best * Math.max(hit.score, least), ...(cosine !== undefined && { cosine }) };
    });
}

/** Cuts a ranking to the requested hits. */
export function cut(ranking: Ranking, { limit, alsoPositions = [] }: RankOptions): Ranking {
  const isWanted = new Set(alsoPositions);
  const hits = ranking.hits.filter(({ position }, place) => place < limit || isWanted.has(position));
  const { later, totalMatches, by } = ranking;
  return { hits, ...(limit >= RERANKED && later && { later }), totalMatches, ...(by && { by }) };
}
