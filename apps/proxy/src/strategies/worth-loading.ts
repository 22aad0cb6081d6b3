/** A match that may be loaded. */
export interface LoadCandidate {
  readonly name: string;
  /** Relevance as a share of the best match's. */
  readonly score: number;
  /** Length of the definition, in any unit. */
  readonly size: number;
}

/** Number of best matches that are loaded in any case, for one query. */
const SURE = 3;

/** Score from which on a further match of typical size is worth its definition. */
const LEAST_SCORE = 0.38;

/** Ratio to the typical size above whose value, and below whose inverse, a size changes nothing more. */
const MOST_RATIO = 4;

/**
 * Returns the names of the matches that are worth their definitions, in their order, at most `most`: the best
 * three or those that are `sure`, and each further one whose score is at least
 *
 *   0.38 · √(size / typical size)
 *
 * So many tools are loaded where scores are flat, and few where they fall; a small definition is loaded sooner
 * than a large one.
 * Source: chosen over whole tasks of public sets, see docs/decisions/2026-11-28-how-many-tools-to-load.md.
 */
export function worthLoading(
  candidates: readonly LoadCandidate[],
  {
    most,
    typicalSize,
    sure = candidates.slice(0, SURE).map(({ name }) => name),
  }: {
    readonly most: number;
    readonly typicalSize: number;
    readonly sure?: readonly string[] | undefined;
  },
): string[] {
  const isSure = new Set(sure);
  let room = most - candidates.filter(({ name }) => isSure.has(name)).length;
  const isWorth = ({ name, score, size }: LoadCandidate) => {
    if (isSure.has(name)) return true;
    const ratio = Math.min(MOST_RATIO, Math.max(1 / MOST_RATIO, size / typicalSize));
    return score >= LEAST_SCORE * Math.sqrt(ratio) && room-- > 0;
  };
  return candidates
    .filter(isWorth)
    .slice(0, most)
    .map(({ name }) => name);
}

/** Number of matches to look at for each that may be loaded: large ones are passed over. */
export const CANDIDATES_EACH = 2;

/** Returns the median of sizes; 1 without any. */
export function typicalSizeOf(sizes: Iterable<number>): number {
  const sorted = Float64Array.from(sizes).sort();
  return sorted[sorted.length >> 1] || 1;
}
