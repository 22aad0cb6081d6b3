import { cutText, LIMITS } from '@winnow/core';
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { Pause } from '../ranker.ts';
import { STOP_WORDS } from '../text/stop-words.ts';
import { splitWords } from '../text/tokenize.ts';
import { type FindQuery, findTools, shownBy } from './find-tools.ts';
import type { Found } from './merge-found.ts';

/** The place of one tool in a search, found or not. */
export interface PositionExplanation {
  readonly position: number;
  /** From 1, among all matching tools, chosen or not; undefined if the tool does not match. */
  readonly rank: number | undefined;
  /** 0 to 1: the tool's score as a share of the best score; 0 if it does not match. */
  readonly score: number;
  /**
   * The amount that meaning added to the score, relative to the best keyword score; negative if it lowered
   * the score. Absent if meaning was not used.
   */
  readonly meaning?: number;
  /**
   * The pattern's words, as written, that match this tool on their own; a regular expression or a glob counts
   * as one word.
   */
  readonly matched: readonly string[];
  /** The pattern's words that do not match it. */
  readonly missing: readonly string[];
}

/** The explanation of a tool by its name. */
export interface ToolExplanation extends Omit<PositionExplanation, 'position'> {
  readonly name: string;
}

/** Maximum number of words to explain; further ones are in neither list. */
const MAX_WORDS = 32;

/** The search to explain, by one pattern. */
type Pattern = Pick<FindQuery, 'searchType' | 'excluded' | 'meaning'> & { readonly pattern: string };

/**
 * Explains the place of each named tool in a search; of several tools with the same name, the best one. Names
 * that are not in the catalogue are left out. Takes one search that orders all matches, and one per word.
 */
export async function explainTools(
  catalogue: Catalogue,
  names: readonly string[],
  query: Pattern,
  pause: Pause,
): Promise<ToolExplanation[]> {
  const shown = shownBy(catalogue, query.excluded);
  const wanted = [...new Set(names)].map((name) => ({
    name,
    positions: catalogue.names.positionsOf(name, shown),
  }));
  const explained = await explainPositions(
    catalogue,
    wanted.flatMap(({ positions }) => positions),
    query,
    pause,
  );
  return wanted.flatMap(({ name, positions }) => {
    const own = explained.filter(({ position }) => positions.includes(position));
    const best = own.reduce<PositionExplanation | undefined>(better, undefined);
    if (best === undefined) return [];
    const { position: _position, ...explanation } = best;
    return [{ name, ...explanation }];
  });
}

function better(best: PositionExplanation | undefined, other: PositionExplanation): PositionExplanation {
  const rankOf = ({ rank = Number.POSITIVE_INFINITY }: PositionExplanation) => rank;
  return best === undefined || rankOf(other) < rankOf(best) ? other : best;
}

/** Explains tools by position; each must be visible to the search. */
export async function explainPositions(
  catalogue: Catalogue,
  positions: readonly number[],
  query: Pattern,
  pause: Pause,
): Promise<PositionExplanation[]> {
  if (positions.length === 0) return [];
  const found = await findTools(catalogue, { ...query, limit: Math.max(1, catalogue.size) }, pause);
  const ranks = new Map(found.hits.map(({ position }, at) => [position, at + 1]));
  const best = found.hits[0]?.score ?? 1;
  const words = wordsOf(query.pattern, found);
  const finders = await findersOf(words, catalogue, positions, { query, found, pause });
  return positions.map((position) => {
    const rank = ranks.get(position);
    const matched = words.filter((word) => finders.get(word)!.has(position));
    const hit = rank === undefined ? undefined : found.hits[rank - 1]!;
    return {
      position,
      rank,
      score: hit === undefined ? 0 : hit.score / best,
      ...(hit?.meaning !== undefined && { meaning: hit.meaning }),
      matched,
      missing: words.filter((word) => !matched.includes(word)),
    };
  });
}

/** Returns the significant words, without duplicates, as a reader would name them. */
function wordsOf(pattern: string, { searchType }: Found): string[] {
  if (!isOfWords(searchType)) return [pattern];
  const words = splitWords(cutText(pattern, LIMITS.keywordPatternChars));
  const telling = words.filter((word) => !STOP_WORDS.has(word.toLowerCase()));
  const distinct = new Map((telling.length > 0 ? telling : words).map((word) => [word.toLowerCase(), word]));
  return [...distinct.values()].slice(0, MAX_WORDS);
}

function isOfWords(searchType: Found['searchType']): boolean {
  return searchType !== 'regex' && searchType !== 'glob';
}

interface WordSearch {
  readonly query: Pattern;
  /** The result of the whole pattern. */
  readonly found: Found;
  readonly pause: Pause;
}

/** Returns, for each word, the given positions that it finds. */
async function findersOf(
  words: readonly string[],
  catalogue: Catalogue,
  positions: readonly number[],
  { query: { excluded }, found, pause }: WordSearch,
): Promise<Map<string, ReadonlySet<number>>> {
  const finders = new Map<string, ReadonlySet<number>>();
  for (const word of words) {
    const hits = isOfWords(found.searchType)
      ? (
          await catalogue.index.rank(word, {
            limit: 1,
            alsoPositions: positions,
            ...(excluded && { excluded }),
            ...(catalogue.compare && { compare: catalogue.compare }),
          })
        ).hits
      : found.hits;
    finders.set(word, new Set(hits.map(({ position }) => position)));
    await pause();
  }
  return finders;
}
