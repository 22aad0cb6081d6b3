import type { MatchedField } from '@winnow/contract';

/** A tool that matched, as ranking found it. */
export interface Match {
  readonly name: string;
  /** Compares within one list of matches; above 0. */
  readonly score: number;
  readonly matchedOn: readonly MatchedField[];
}

export interface Choice {
  /** Most relevant first, each name once. */
  readonly chosen: readonly ChosenTool[];
  /** Nothing matched: whatever was chosen is there only to be kept. */
  readonly noMatch: boolean;
  /** Names to keep that found no room. */
  readonly keptLeftOut: number;
}

export interface ChosenTool {
  readonly name: string;
  /** Relevance within this choice: 1 for the best match, never rising down the list, 0 for a name without a match. */
  readonly score: number;
  /** Empty for a name without a match. */
  readonly matchedOn: readonly MatchedField[];
}

/**
 * The tools that an answer holds, out of those that matched and those to keep.
 *
 * - At most `topK`, names to keep included. These take slots but never the first: the best match is always in.
 * - A kept name that matched stands at its rank; one that did not stands after all that did, in the order of `keep`.
 * - Where there is not room for all names to keep, those in best rank have it, and the rest are counted.
 *
 * @param matches best first, with every kept name that matched; a name that stands twice counts where it stands first.
 * @param keep names that are in the catalogue, in its order; a name that stands twice counts once.
 */
export function chooseTools(matches: readonly Match[], keep: readonly string[], topK: number): Choice {
  const ranked = firstOfEachName(matches);
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

/** Scores as shares of the first one. A later match with a higher score (behind an exact name) is no more relevant. */
function toRelevance(ranked: readonly Match[]): ChosenTool[] {
  const top = ranked[0]?.score ?? 1;
  let ceiling = 1;
  return ranked.map(({ name, score, matchedOn }) => {
    ceiling = Math.min(ceiling, score / top);
    return { name, score: ceiling, matchedOn };
  });
}

function withoutMatch(name: string): ChosenTool {
  return { name, score: 0, matchedOn: [] };
}
