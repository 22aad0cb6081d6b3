import { LEAST_COSINE } from '../meaning/meaning-source.ts';
import type { Hit, QueryJudgement, RankerIndex } from '../ranker.ts';

/**
 * The certainty of a search: `found` if a tool for it is probably among the hits; `weak` if all hits match so
 * little of the query that none may be what was meant; `none` without hits.
 */
export type Certainty = 'found' | 'weak' | 'none';

/** Number of best hits to judge: those that an agent sees. */
const JUDGED = 10;

/**
 * Confidence below which a hit counts as weak. Chosen so that answerable queries of no public set lose more than half a
 * point of R@5, in its own catalogue or among the tools of all sets: chosen on all sets but one in this way, it costs
 * that one a point at most.
 */
const LEAST_CONFIDENCE = 0.055;

/** The same for a query mostly in another script than Latin, whose words match in fewer of their parts. */
const LEAST_IN_OTHER_SCRIPTS = 0.02;

/** Maximum number of unknown words to return, and their length. */
const MOST_WORDS = 8;
const MOST_WORD_CHARS = 40;

/** Hits with their confidence, and the certainty of their search. */
export interface JudgedHits {
  readonly hits: readonly Hit[];
  readonly certainty: Certainty;
  /** Words of the query, as written, that no tool contains in any form; at most 8. Empty if `found`. */
  readonly unknownWords: readonly string[];
}

/**
 * The effect of meaning: each unit of cosine above {@link LEAST_COSINE} adds this to the evidence, and each below
 * takes it away. Fitted to a small sentence model; one that places all texts close to each other makes no search weak.
 */
const COSINE_WEIGHT = 6;

/** Evidence of words that counts at least where meaning is known, so that a tool can be found by meaning alone. */
const LEAST_EVIDENCE = -3;

/**
 * Judges the best hits of a search for keywords, with or without meaning; hits of a ranker that cannot judge are never
 * weak. With `isAnyEnough`, hits after the first that is found get no confidence.
 */
export function judgeKeywordHits(
  index: RankerIndex,
  query: string,
  hits: readonly Hit[],
  isAnyEnough = false,
): JudgedHits {
  const least = leastConfidence(query);
  const judgement = index.judge?.(
    query,
    hits.slice(0, JUDGED).map(({ position }) => position),
    isAnyEnough ? least : undefined,
  );
  if (judgement === undefined) return judgedUnseen(hits);
  const { judgements } = judgement;
  const judged = [...hits];
  let isFound = false;
  for (let place = 0; place < judgements.length; place++) {
    const hit = hits[place]!;
    const confidence = withMeaning(judgements[place]!.confidence, hit.cosine);
    isFound ||= confidence >= least;
    judged[place] = { ...hit, confidence };
  }
  return {
    hits: judged,
    certainty: hits.length === 0 ? 'none' : isFound ? 'found' : 'weak',
    unknownWords: isFound ? [] : shortWords(judgement),
  };
}

function leastConfidence(query: string): number {
  if (!NOT_ASCII.test(query)) return LEAST_CONFIDENCE;
  const letters = query.match(/\p{L}/gu)?.length ?? 0;
  const latin = query.match(/\p{Script=Latin}/gu)?.length ?? 0;
  return latin * 2 < letters ? LEAST_IN_OTHER_SCRIPTS : LEAST_CONFIDENCE;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the range is ASCII itself.
const NOT_ASCII = /[^\x00-\x7f]/;

/** Returns the confidence by words and meaning; that by words where the cosine is not known. */
function withMeaning(confidence: number, cosine: number | undefined): number {
  if (cosine === undefined) return confidence;
  const evidence = Math.max(LEAST_EVIDENCE, Math.log(confidence / (1 - confidence)));
  return 1 / (1 + Math.exp(-evidence - COSINE_WEIGHT * (cosine - LEAST_COSINE)));
}

/** Returns hits that are certain by their nature: exact names, globs, expressions, meaning alone. */
export function judgedUnseen(hits: readonly Hit[]): JudgedHits {
  return { hits, certainty: hits.length === 0 ? 'none' : 'found', unknownWords: [] };
}

function shortWords({ unknownWords }: QueryJudgement): string[] {
  return unknownWords()
    .filter((word) => word.length <= MOST_WORD_CHARS)
    .slice(0, MOST_WORDS);
}
