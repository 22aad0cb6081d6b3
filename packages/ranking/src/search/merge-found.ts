import type { UsedSearchType } from '@winnow/core';
import type { Hit, LaterHits } from '../ranker.ts';
import type { JudgedHits } from './certainty.ts';

/** The matching tools, or the best of them. */
export interface Found extends JudgedHits {
  /** Best first. Tools whose exact names occur in the pattern precede the others, in its order. */
  readonly hits: readonly Hit[];
  /** The remaining hits, if some were left for later. */
  readonly later?: LaterHits<Hit>;
  /** Number of matching tools, before the limit. */
  readonly totalMatches: number;
  /** The actual reading of the pattern; of several, that of the first. */
  readonly searchType: UsedSearchType;
  /** The results of several patterns, in their order; absent for one. */
  readonly byPattern?: readonly Found[];
}

/** Number of best hits of each pattern whose scores are added. */
export const MERGED_DEPTH = 20;

/** Number of best hits of each pattern that have a place in any case. */
export const SURE_OF_EACH = 2;

/**
 * Merges the results of several patterns, which stand for several needs or for several wordings of one.
 *
 * A tool's score is the sum of its scores as shares of each pattern's best score. The best tool of each pattern
 * has a place within the limit, then the second best of each, as far as they fit; the sum decides on the others
 * and on the order. Patterns without a certain match add nothing, unless no pattern has one.
 *
 * The certainty is the best of any pattern. `totalMatches` may be too low: it counts the best hits of all patterns, or
 * all matches of one.
 *
 * Source: CombSUM of Fox & Shaw 1994, "Combination of Multiple Searches", over scores divided by the best.
 */
export function mergeFound(
  finds: readonly Found[],
  { limit, alsoPositions = [] }: { readonly limit: number; readonly alsoPositions?: readonly number[] },
): Found {
  const certainty = CERTAINTIES.find((one) => finds.some((found) => found.certainty === one)) ?? 'none';
  const counted = finds.filter((found) => found.certainty === certainty);
  const sums = addShares(counted);
  const sure = new Set<number>();
  for (let place = 0; place < SURE_OF_EACH; place++) {
    for (const { hits } of counted)
      if (place < hits.length && sure.size < limit) sure.add(hits[place]!.position);
  }
  let room = limit - sure.size;
  const isWanted = new Set(alsoPositions);
  const chosen = sums.filter(({ hit: { position } }) => {
    return sure.has(position) || room-- > 0 || isWanted.has(position);
  });
  return {
    hits: chosen.map(({ hit, sum }) => ({ ...hit, score: sum })),
    certainty,
    unknownWords: certainty === 'found' ? [] : [...new Set(finds.flatMap((found) => found.unknownWords))],
    totalMatches: Math.max(sums.length, ...finds.map((found) => found.totalMatches)),
    searchType: finds[0]?.searchType ?? 'keyword',
    byPattern: finds,
  };
}

const CERTAINTIES = ['found', 'weak'] as const;

/** A hit as its best pattern has it, and the sum of its shares. */
interface Sum {
  hit: Hit;
  share: number;
  sum: number;
}

/** Returns each hit once, best first. */
function addShares(finds: readonly Found[]): readonly Sum[] {
  const sums = new Map<number, Sum>();
  for (const { hits } of finds) {
    const best = hits[0]?.score ?? 1;
    for (const hit of hits) {
      // An exact name comes first, whatever its score.
      const share = Math.min(1, hit.score / best);
      const before = sums.get(hit.position);
      if (before === undefined) {
        sums.set(hit.position, { hit, share, sum: share });
        continue;
      }
      before.sum += share;
      if (share <= before.share) continue;
      before.hit = hit;
      before.share = share;
    }
  }
  return [...sums.values()].sort((left, right) => right.sum - left.sum);
}
