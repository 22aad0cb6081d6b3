import type { MatchedField, UsedSearchType } from '@winnow/contract';
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { Pause } from '../pause.ts';
import { summarize } from '../tools/summary.ts';
import { type Choice, chooseTools, type Match } from './choose.ts';
import { type FindQuery, type Found, findTools, shownBy } from './find-tools.ts';

/** What is searched for, and how much of it is wanted. */
export interface ToolQuery extends Pick<FindQuery, 'pattern' | 'searchType' | 'excluded' | 'meaning'> {
  /** Most names to select, names to keep included; at least 1. */
  readonly topK: number;
  /** Names that must be selected if they are in the catalogue and there is room. */
  readonly alwaysKeep: readonly string[];
}

/** What a search selected, most relevant first, each name once. */
export interface Selection {
  readonly names: readonly string[];
  /** Nothing matched: the names, if any, are there only to be kept. */
  readonly noMatch: boolean;
  /** One for each name, in the same order. */
  readonly references: readonly SelectedTool[];
  /** Tools that matched, before `topK`. */
  readonly totalMatches: number;
  /** How the pattern was read in the end. */
  readonly searchType: UsedSearchType;
  /** Names to keep that are in the catalogue and found no room. */
  readonly keptLeftOut: number;
}

export interface SelectedTool {
  readonly name: string;
  /** 0 to 1, within this selection. */
  readonly score: number;
  /** First sentence of the description. */
  readonly summary: string;
  readonly matchedOn: readonly MatchedField[];
}

/**
 * The tools that fit a query best.
 *
 * Tools whose exact names stand in the pattern come first. The rest follows the first reading of the pattern that finds
 * something: a glob, a regular expression, keywords. Who is in and in which order is `chooseTools`' decision.
 * Deterministic; rejects only if `pause` does.
 */
export async function selectTools(catalogue: Catalogue, query: ToolQuery, pause: Pause): Promise<Selection> {
  const kept = keptPositions(catalogue, query);
  const found = await findEnough(catalogue, { ...query, limit: query.topK, alsoPositions: kept }, pause);
  const matches = found.hits.map(
    ({ position, ...hit }): Match => ({ ...hit, name: catalogue.table.name(position) }),
  );
  const keep = kept.map((position) => catalogue.table.name(position));
  const { totalMatches, searchType } = found;
  return { ...toSelection(catalogue, chooseTools(matches, keep, query.topK)), totalMatches, searchType };
}

/** At least as many names as the limit says, or all that match: of tools that share a name only the best is selected. */
async function findEnough(catalogue: Catalogue, query: FindQuery, pause: Pause): Promise<Found> {
  for (let { limit } = query; ; limit *= 4) {
    const found = await findTools(catalogue, { ...query, limit }, pause);
    const names = found.hits.slice(0, limit).map(({ position }) => catalogue.table.name(position));
    if (limit >= found.totalMatches || new Set(names).size >= query.limit) return found;
  }
}

/** Positions of names to keep, in catalogue order. */
function keptPositions(catalogue: Catalogue, { alwaysKeep, excluded }: ToolQuery): number[] {
  const shown = shownBy(catalogue, excluded);
  return [...new Set(alwaysKeep)]
    .flatMap((name) => catalogue.names.positionsOf(name, shown))
    .sort(shown.compare);
}

function toSelection(
  catalogue: Catalogue,
  { chosen, noMatch, keptLeftOut }: Choice,
): Omit<Selection, 'totalMatches' | 'searchType'> {
  return {
    names: chosen.map((tool) => tool.name),
    noMatch,
    references: chosen.map((tool) => ({
      ...tool,
      summary: summarize(catalogue.table.description(firstPositionOf(catalogue, tool.name))),
    })),
    keptLeftOut,
  };
}

function firstPositionOf(catalogue: Catalogue, name: string): number {
  return catalogue.names.positionsOf(name, shownBy(catalogue, undefined))[0] ?? 0;
}
