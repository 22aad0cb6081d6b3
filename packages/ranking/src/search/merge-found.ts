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
  const sums = new Sums(counted);
  const sure = new Set<number>();
  for (let place = 0; place < SURE_OF_EACH; place++) {
    for (const { hits } of counted)
      if (place < hits.length && sure.size < limit) sure.add(hits[place]!.position);
  }
  let room = limit - sure.size;
  const isWanted = new Set(alsoPositions);
  const chosen: Hit[] = [];
  for (const row of sums.order()) {
    const { position } = sums.hits[row]!;
    if (sure.has(position) || room-- > 0 || isWanted.has(position)) chosen.push(sums.hitAt(row));
  }
  return {
    hits: chosen,
    certainty,
    unknownWords: certainty === 'found' ? [] : [...new Set(finds.flatMap((found) => found.unknownWords))],
    totalMatches: Math.max(sums.hits.length, ...finds.map((found) => found.totalMatches)),
    searchType: finds[0]?.searchType ?? 'keyword',
    byPattern: finds,
  };
}

const CERTAINTIES = ['found', 'weak'] as const;

/** Each hit once, as its best pattern has it, with the sum of its shares. In columns: they are made for each search. */
class Sums {
  readonly hits: Hit[] = [];
  readonly #sums: Float64Array;

  constructor(finds: readonly Found[]) {
    const count = finds.reduce((sum, { hits }) => sum + hits.length, 0);
    this.#sums = new Float64Array(count);
    const shares = new Float64Array(count);
    const rows = new Map<number, number>();
    for (const { hits } of finds) {
      const best = hits[0]?.score ?? 1;
      for (const hit of hits) {
        // An exact name comes first, whatever its score.
        const share = Math.min(1, hit.score / best);
        let row = rows.get(hit.position);
        if (row === undefined) {
          row = this.hits.length;
          rows.set(hit.position, row);
        }
        this.#sums[row]! += share;
        if (share <= shares[row]!) continue;
        this.hits[row] = hit;
        shares[row] = share;
      }
    }
  }

  /** Returns the rows, best first. */
  order(): number[] {
    const sums = this.#sums;
    return Array.from(this.hits.keys()).sort((left, right) => sums[right]! - sums[left]!);
  }

  hitAt(row: number): Hit {
    return { ...this.hits[row]!, score: this.#sums[row]! };
  }
}

/** Number of names that a result for a model has behind the tools that it loads. */
export const MOST_NEXT = 12;

/** A page of tools for one query or several. */
interface FoundPage<Tool> {
  /** Best first, up to `MOST_NEXT` more than wanted. */
  readonly tools: readonly Tool[];
  readonly certainty: Found['certainty'];
  readonly byQuery?: readonly { readonly tools: readonly Tool[]; readonly certainty: Found['certainty'] }[];
}

/**
 * Splits a page for a model: the best tools, among them the best two of each query that found something, and the next
 * ones. Weak matches have none next: they are not loaded either.
 */
export function splitPage<Tool extends { readonly id: string }, Page extends FoundPage<Tool>>(
  page: Page & FoundPage<Tool>,
  count: number,
): { readonly page: Page; readonly next: readonly Tool[] } {
  const { tools, byQuery = [], certainty } = page;
  const certain = byQuery.filter((query) => query.certainty === certainty);
  const sure = new Set<string>();
  for (let place = 0; place < SURE_OF_EACH; place++)
    for (const { tools: best } of certain)
      if (place < best.length && sure.size < count) sure.add(best[place]!.id);
  let room = count - tools.filter(({ id }) => sure.has(id)).length;
  const first = tools.filter(({ id }) => sure.has(id) || room-- > 0);
  const isFirst = new Set(first);
  const next = certainty === 'found' ? tools.filter((tool) => !isFirst.has(tool)) : [];
  return { page: { ...page, tools: first }, next };
}
