import type { MatchedField } from '@winnow/core';

/** A matching tool from the ranking. */
export interface Match {
  readonly name: string;
  /** Comparable within one list of matches; above 0. */
  readonly score: number;
  readonly matchedOn: readonly MatchedField[];
  /** 0 to 1, comparable between searches; absent if it was not judged. */
  readonly confidence?: number;
}

export interface Choice {
  /** Most relevant first, without duplicate names. */
  readonly chosen: readonly ChosenTool[];
  /** Whether nothing matched, so that all chosen names are kept ones. */
  readonly noMatch: boolean;
  /** Number of names to keep that did not fit. */
  readonly keptLeftOut: number;
}

export interface ChosenTool {
  readonly name: string;
  /**
   * Relevance within this choice: 1 for the best match, never increasing down the list, 0 for a name without
   * a match.
   */
  readonly score: number;
  /** Empty for a name without a match. */
  readonly matchedOn: readonly MatchedField[];
  readonly confidence?: number;
}

/**
 * Chooses the tools of a response from the matches and the names to keep.
 *
 * - Returns at most `topK`, including names to keep. These take slots but never the first: the best match is
 *   always included.
 * - A kept name that matched keeps its rank; the others follow all matches, in the order of `keep`.
 * - If not all names to keep fit, those with the best rank do, and the rest are counted.
 *
 * @param matches best first, with every kept name that matched; of duplicate names, the first counts.
 * @param keep names that are in the catalogue, in its order; duplicates count once.
 */
export function chooseTools(matches: readonly Match[], keep: readonly string[], topK: number): Choice {
  const ranked = firstOfEachName(matches);
  if (keep.length === 0)
    return { chosen: toRelevance(ranked.slice(0, topK)), noMatch: ranked.length === 0, keptLeftOut: 0 };
  const matchedNames = new Set(ranked.map((match) => match.name));
  const keptNames = new Set(keep);
  const unmatched = [...keptNames].filter((name) => !matchedNames.has(name));

  const best = ranked.slice(0, 1);
  const rest = ranked.slice(1);
  const keptMatches = rest.filter((match) => keptNames.has(match.name)).slice(0, topK - best.length);
  const keptUnmatched = unmatched.slice(0, topK - best.length - keptMatches.length);
  const room = topK - best.length - keptMatches.length - keptUnmatched.length;
  const others = rest.filter((match) => !keptNames.has(match.name)).slice(0, room);

  const isChosen = new Set([...best, ...keptMatches, ...others]);
  const bestIsKept = best.some((match) => keptNames.has(match.name));
  return {
    chosen: [
      ...toRelevance(ranked.filter((match) => isChosen.has(match))),
      ...keptUnmatched.map(withoutMatch),
    ],
    noMatch: ranked.length === 0,
    keptLeftOut: keptNames.size - (bestIsKept ? 1 : 0) - keptMatches.length - keptUnmatched.length,
  };
}

function firstOfEachName(matches: readonly Match[]): Match[] {
  const seen = new Set<string>();
  return matches.filter((match) => !seen.has(match.name) && seen.add(match.name));
}

/**
 * Returns scores as shares of the first one. A later match with a higher score (after an exact name) is not
 * more relevant.
 */
function toRelevance(ranked: readonly Match[]): ChosenTool[] {
  const top = ranked[0]?.score ?? 1;
  let ceiling = 1;
  return ranked.map(({ name, score, matchedOn, confidence }) => {
    ceiling = Math.min(ceiling, score / top);
    const chosen = { name, score: ceiling, matchedOn };
    return confidence === undefined ? chosen : { ...chosen, confidence };
  });
}

function withoutMatch(name: string): ChosenTool {
  return { name, score: 0, matchedOn: [] };
}
