import { type MatchedField, summarize, type UsedSearchType } from '@winnow/core';
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { Hit, Pause } from '../ranker.ts';
import type { Certainty } from './certainty.ts';
import { type FindQuery, findTools, shownBy } from './find-tools.ts';
import type { Found } from './merge-found.ts';

/** A search, and the number of tools to select. */
export interface ToolQuery
  extends Pick<FindQuery, 'pattern' | 'searchType' | 'excluded' | 'meaning' | 'needsCertaintyOnly'> {
  /** Maximum number of names to select, including names to keep; at least 1. */
  readonly topK: number;
  /** Names that must be selected if they are in the catalogue and fit. */
  readonly alwaysKeep: readonly string[];
}

/** The selection of a search, most relevant first, without duplicate names. */
export interface Selection {
  readonly names: readonly string[];
  /** 1 for the best match, never increasing; 0 for a kept name without a match. */
  readonly scores: readonly number[];
  /** Whether nothing matched, so that all names, if any, are kept ones. */
  readonly noMatch: boolean;
  /** Whether a tool for the query is probably among the matches. */
  readonly certainty: Certainty;
  /** Words of the pattern that no tool contains in any form, at most 8; empty if `found`. */
  readonly unknownWords: readonly string[];
  /** One entry per name, in the same order; made on demand, as many searches need names alone. */
  readonly references: readonly SelectedTool[];
  /** Number of matching tools, before `topK`. */
  readonly totalMatches: number;
  /** The actual reading of the pattern. */
  readonly searchType: UsedSearchType;
  /** Number of names to keep that are in the catalogue but did not fit. */
  readonly keptLeftOut: number;
  /** The results of several patterns, in their order; absent for one. */
  readonly byPattern?: readonly PatternSelection[];
}

/** The result of one of several patterns. */
export interface PatternSelection extends Pick<Selection, 'certainty' | 'unknownWords'> {
  /** The best matches, at most {@link NAMED_OF_EACH}, whether they are selected or not. */
  readonly names: readonly string[];
}

/** Number of best matches that the result of one of several patterns names. */
export const NAMED_OF_EACH = 3;

export interface SelectedTool extends ChosenTool {
  /** First sentence of the description. */
  readonly summary: string;
}

/**
 * Selects the tools that match a query best.
 *
 * Tools whose exact names occur in the pattern are first. The rest follows the first reading of the pattern
 * that finds something: a glob, a regular expression, or keywords. `chooseTools` decides which tools are
 * included, and their order. Deterministic; rejects only if `pause` does.
 */
export async function selectTools(catalogue: Catalogue, query: ToolQuery, pause: Pause): Promise<Selection> {
  const kept = keptPositions(catalogue, query);
  const found = await findEnough(catalogue, { ...query, limit: query.topK, alsoPositions: kept }, pause);
  const { table, names } = catalogue;
  const matches = found.hits.map((hit) => matchOf(hit, table.name(hit.position)));
  const keep = kept.map((position) => table.name(position));
  const { chosen, noMatch, keptLeftOut } = chooseTools(matches, keep, query.topK);
  const descriptionOf = (name: string) =>
    table.description(names.positionsOf(name, shownBy(catalogue, undefined))[0] ?? 0);
  const { totalMatches, searchType, certainty, unknownWords } = found;
  return {
    names: chosen.map(({ name }) => name),
    scores: chosen.map(({ score }) => score),
    get references() {
      return summarized(chosen, descriptionOf);
    },
    ...{ noMatch, keptLeftOut, totalMatches, searchType, certainty, unknownWords },
    ...selectByPattern(found, (position) => table.name(position)),
  };
}

/** Returns chosen tools with the first sentences of their descriptions. */
export function summarized(
  chosen: readonly ChosenTool[],
  descriptionOf: (name: string) => string,
): readonly SelectedTool[] {
  return chosen.map((tool) => ({ ...tool, summary: summarize(descriptionOf(tool.name)) }));
}

/** Returns a hit as a match. */
export function matchOf({ score, matchedOn, confidence }: Hit, name: string): Match {
  return confidence === undefined ? { name, score, matchedOn } : { name, score, matchedOn, confidence };
}

/** Returns the results of several patterns by name. */
export function selectByPattern(
  { byPattern }: Found,
  nameOf: (position: number) => string | undefined,
): Pick<Selection, 'byPattern'> {
  if (byPattern === undefined) return {};
  return {
    byPattern: byPattern.map(({ hits, certainty, unknownWords }) => {
      const best = hits.slice(0, NAMED_OF_EACH * 2).flatMap(({ position }) => nameOf(position) ?? []);
      return { names: [...new Set(best)].slice(0, NAMED_OF_EACH), certainty, unknownWords };
    }),
  };
}

/**
 * Finds as many distinct names as the limit says, or all matches: of tools with the same name, only the best
 * is selected.
 */
async function findEnough(catalogue: Catalogue, query: FindQuery, pause: Pause): Promise<Found> {
  for (let { limit } = query; ; limit *= 4) {
    const found = await findTools(catalogue, { ...query, limit }, pause);
    if (limit >= found.totalMatches) return found;
    const names = found.hits.slice(0, limit).map(({ position }) => catalogue.table.name(position));
    if (new Set(names).size >= query.limit) return found;
  }
}

/** Returns positions of names to keep, in catalogue order. */
function keptPositions(catalogue: Catalogue, { alwaysKeep, excluded }: ToolQuery): number[] {
  const shown = shownBy(catalogue, excluded);
  return [...new Set(alwaysKeep)]
    .flatMap((name) => catalogue.names.positionsOf(name, shown))
    .sort(shown.compare);
}

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
