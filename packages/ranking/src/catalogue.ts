import { LIMITS, type MatchedField, type SearchType, type Tool, type UsedSearchType } from '@winnow/contract';
import { type Choice, chooseTools, type Match } from './choose.ts';
import { cutText } from './cut-text.ts';
import { toDocument } from './document.ts';
import { DocumentTable, type PackedDocumentTable } from './document-table.ts';
import { NameIndex } from './name-index.ts';
import { type Reading, readPattern } from './pattern.ts';
import type { Pause } from './pause.ts';
import type { PackedIndex, Ranker, RankerIndex, Ranking, RankOptions } from './ranker.ts';
import { rankByPattern } from './rankers/regex.ts';
import { summarize } from './summary.ts';

/**
 * Tools, ready to be searched.
 *
 * Contract: immutable but for the name index, which is built at the first search; safe for concurrent searches; holds copies of the
 * tools' texts, not the tools.
 */
export interface Catalogue {
  /** Number of tools. */
  readonly size: number;
  /** Memory held, in bytes, roughly. */
  readonly bytes: number;
  readonly table: DocumentTable;
  readonly index: RankerIndex;
  readonly names: NameIndex;
}

/** A catalogue as plain data, for another thread. */
export interface PackedCatalogue {
  readonly table: PackedDocumentTable;
  readonly index: PackedIndex;
}

export interface ToolQuery {
  /** Text, keywords, a regular expression, a glob, or exact names. */
  readonly pattern: string;
  /** Most names to select, names to keep included; at least 1. */
  readonly topK: number;
  /** Names that must be selected if they are in the catalogue and there is room. */
  readonly alwaysKeep: readonly string[];
  readonly searchType: SearchType;
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

/** A catalogue of tools, indexed by a ranker. Takes tens of microseconds per tool, in one go: build large ones beside the main thread. */
export function buildCatalogue(tools: readonly Tool[], ranker: Ranker): Catalogue {
  const documents = tools.map(toDocument);
  return toCatalogue(DocumentTable.of(documents), ranker.build(documents));
}

/**
 * A catalogue as data, with the buffers that `postMessage` may move instead of copying; the catalogue is of no use afterwards.
 * Undefined when the ranker's indexes cannot be packed.
 */
export function packCatalogue(
  catalogue: Catalogue,
): { packed: PackedCatalogue; transfer: ArrayBuffer[] } | undefined {
  const index = catalogue.index.pack?.();
  if (index === undefined) return undefined;
  const table = catalogue.table.pack();
  return {
    packed: { table, index },
    transfer: buffersOf([...Object.values(table), ...Object.values(index)]),
  };
}

/**
 * The catalogue that was packed, ready for its first search. Pauses every millisecond or so.
 *
 * @param ranker the one that it was built with.
 * @throws TypeError when that ranker cannot unpack: `packCatalogue` gave nothing for it.
 */
export async function unpackCatalogue(
  packed: PackedCatalogue,
  ranker: Ranker,
  pause: Pause,
): Promise<Catalogue> {
  if (ranker.unpack === undefined)
    throw new TypeError(`the indexes of ranker "${ranker.name}" cannot be unpacked`);
  const table = new DocumentTable(packed.table);
  const index = await ranker.unpack(packed.index, pause);
  return toCatalogue(table, index, await NameIndex.inSlices(namesOf(table), pause));
}

/**
 * The tools that fit a query best.
 *
 * Tools whose exact names stand in the pattern come first. The rest follows the first reading of the pattern that finds
 * something: a glob, a regular expression, keywords. Who is in and in which order is `chooseTools`' decision.
 * Deterministic; rejects only if `pause` does.
 */
export async function selectTools(catalogue: Catalogue, query: ToolQuery, pause: Pause): Promise<Selection> {
  const pattern = cutText(query.pattern, LIMITS.keywordPatternChars);
  const kept = keptPositions(catalogue, query.alwaysKeep);
  const { positions: exact, isWholeAnswer } = catalogue.names.findIn(pattern);
  const options: RankOptions = {
    // Room for those that stand twice in the ranking: as an exact name, or under a name that several tools have.
    limit: query.topK + exact.length + catalogue.names.duplicates,
    alsoPositions: [...exact, ...kept],
  };
  const readings = isWholeAnswer ? [] : readPattern(pattern, query.searchType);
  const { ranking, searchType } = await rankByReadings(catalogue, pattern, readings, options, pause);

  const matches = withExactNames(catalogue, ranking, exact);
  const keep = kept.map((position) => catalogue.table.name(position));
  const isRanked = new Set(ranking.hits.map((hit) => hit.position));
  const totalMatches = ranking.totalMatches + exact.filter((position) => !isRanked.has(position)).length;
  return { ...toSelection(catalogue, chooseTools(matches, keep, query.topK)), totalMatches, searchType };
}

function toCatalogue(table: DocumentTable, index: RankerIndex, known?: NameIndex): Catalogue {
  let names = known;
  return {
    size: table.size,
    bytes: table.bytes + index.bytes + table.size * NAME_INDEX_BYTES,
    table,
    index,
    // Not built with the rest: it does not move between threads, and a catalogue may be built ahead of any search.
    get names() {
      names ??= new NameIndex(namesOf(table));
      return names;
    },
  };
}

function namesOf(table: DocumentTable): string[] {
  return Array.from({ length: table.size }, (_, position) => table.name(position));
}

/** What the name index holds per tool: a string, a folded one, a map entry, a list of positions. Measured. */
const NAME_INDEX_BYTES = 330;

function buffersOf(values: readonly unknown[]): ArrayBuffer[] {
  const buffers = values.map((value) => (ArrayBuffer.isView(value) ? value.buffer : undefined));
  return [...new Set(buffers.filter((buffer) => buffer instanceof ArrayBuffer))];
}

/** Positions of names to keep, in catalogue order. */
function keptPositions({ names }: Catalogue, alwaysKeep: readonly string[]): number[] {
  return [...new Set(alwaysKeep)]
    .flatMap((name) => names.positionsOf(name))
    .sort((left, right) => left - right);
}

const NO_RANKING: Ranking = { hits: [], totalMatches: 0 };

async function rankByReadings(
  catalogue: Catalogue,
  pattern: string,
  readings: readonly Reading[],
  options: RankOptions,
  pause: Pause,
): Promise<{ ranking: Ranking; searchType: UsedSearchType }> {
  for (const reading of readings) {
    const ranking = await rankByReading(catalogue, pattern, reading, options, pause);
    if (ranking.totalMatches > 0) return { ranking, searchType: reading.kind };
  }
  return { ranking: NO_RANKING, searchType: 'keyword' };
}

function rankByReading(
  { table, index }: Catalogue,
  pattern: string,
  reading: Reading,
  options: RankOptions,
  pause: Pause,
): Promise<Ranking> {
  if (reading.kind === 'keyword') return index.rank(pattern, options);
  return rankByPattern({ ...options, reading, table, keywords: index, pause });
}

/** The ranking, with tools whose exact names stand in the pattern before all others. */
function withExactNames({ table }: Catalogue, ranking: Ranking, exact: readonly number[]): Match[] {
  const hits = new Map(ranking.hits.map((hit) => [hit.position, hit]));
  const topScore = ranking.hits[0]?.score ?? 1;
  const toMatch = (position: number, score: number, matchedOn: readonly MatchedField[]): Match => ({
    name: table.name(position),
    score,
    matchedOn,
  });
  return [
    ...exact.map((position) =>
      toMatch(position, topScore, ['exact_name', ...(hits.get(position)?.matchedOn ?? [])]),
    ),
    ...ranking.hits.map((hit) => toMatch(hit.position, hit.score, hit.matchedOn)),
  ];
}

function toSelection(
  { table, names }: Catalogue,
  { chosen, noMatch, keptLeftOut }: Choice,
): Omit<Selection, 'totalMatches' | 'searchType'> {
  return {
    names: chosen.map((tool) => tool.name),
    noMatch,
    references: chosen.map((tool) => ({
      ...tool,
      summary: summarize(table.description(names.positionsOf(tool.name)[0] ?? 0)),
    })),
    keptLeftOut,
  };
}
