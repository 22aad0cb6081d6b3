import type { MatchedField } from '@winnow/core';
import type { Regex } from '../pattern/compile-regex.ts';
import type { GlobReading, RegexReading } from '../pattern/pattern.ts';
import {
  byPosition,
  type Hit,
  type Pause,
  type RankerIndex,
  type Ranking,
  type RankOptions,
} from '../ranker.ts';
import type { DocumentTable } from '../tools/document-table.ts';

export interface PatternSearch extends RankOptions {
  readonly reading: GlobReading | RegexReading;
  readonly table: DocumentTable;
  /** Whether to consider a position; by default all of the table. */
  readonly has?: (position: number) => boolean;
  /** An index over the same documents; orders matches in the same field by the words of the pattern. */
  readonly keywords: RankerIndex;
  readonly pause: Pause;
}

/**
 * Ranks the documents that a glob or a regular expression matches, like an index.
 *
 * A match in the name (score 3 to 4) ranks above one in the description (2 to 3), and that above one in the
 * parameters (1 to 2); within a field, the keyword score of the pattern's literal words decides, then
 * document order. A glob matches only names. Works in slices of bounded work with a pause after each; rejects
 * only if the pause does. Returns an empty ranking for an expression that would take many seconds over all
 * candidate texts.
 */
export async function rankByPattern(search: PatternSearch): Promise<Ranking> {
  const levels = await findLevels(search);
  if (levels === undefined) return { hits: [], totalMatches: 0 };
  const matched: number[] = [];
  for (let position = 0; position < levels.length; position += 1)
    if (levels[position] !== 0) matched.push(position);
  const scores = await scoreMatches(search, levels, matched);
  const { compare = byPosition } = search;
  matched.sort((left, right) => scores[right]! - scores[left]! || compare(left, right));

  const best = matched.slice(0, search.limit);
  const wanted = new Set(search.alsoPositions);
  const also =
    wanted.size === 0 ? [] : matched.slice(search.limit).filter((position) => wanted.has(position));
  const toHit = (position: number): Hit => ({
    position,
    score: scores[position]!,
    matchedOn: matchedFields(search, position),
  });
  return { hits: [...best, ...also].map(toHit), totalMatches: matched.length };
}

/** The best matching field of a document. Zero means no match. */
const LEVEL = { parameters: 1, description: 2, name: 3 } as const;

/** Work between two pauses, in characters of a plain expression: about 5 ms. */
const SLICE_COST = 400_000;
/**
 * Maximum work of one search: under 10 s for the most expensive expressions on adversarial texts. A plain
 * expression over the largest catalogue takes a tenth of it, and expressions of models are tested only where
 * their literal words occur.
 */
const SEARCH_COST = 800_000_000;
/** Fixed cost of a test, in characters. */
const TEST_COST = 20;

/**
 * Returns levels by position, or undefined if the search costs too much. Counts work, not time, so that equal
 * searches give equal results.
 */
async function findLevels(search: PatternSearch): Promise<Uint8Array | undefined> {
  const { reading, table, pause, has = () => true } = search;
  // The table may grow during a pause.
  const levels = new Uint8Array(table.size);
  let costLeft = SEARCH_COST;
  let cost = 0;
  for (let position = 0; position < levels.length; position++) {
    if (!has(position)) continue;
    if (isCandidate(reading, table, position)) {
      cost += testCost(table, reading, position);
      levels[position] = findLevel(reading, table, position);
    } else cost += TEST_COST + table.chars(position) / 8;
    if (cost < SLICE_COST) continue;
    costLeft -= cost;
    if (costLeft < 0) return undefined;
    cost = 0;
    await pause();
  }
  return levels;
}

function testCost(
  table: DocumentTable,
  { kind, regex }: GlobReading | RegexReading,
  position: number,
): number {
  const chars = kind === 'glob' ? table.name(position).length : table.chars(position);
  return TEST_COST + chars * regex.costPerChar;
}

/** Whether a document has the strings that every match contains; searching for them is fast. */
function isCandidate(
  { kind, regex: { required } }: GlobReading | RegexReading,
  table: DocumentTable,
  position: number,
): boolean {
  // Names are a small part of the text: searching all of it would cost more than testing them.
  if (kind === 'glob' || required === undefined) return true;
  return table.texts(position).some((text) => {
    required.lastIndex = 0;
    return required.test(text);
  });
}

function findLevel(
  { kind, regex }: GlobReading | RegexReading,
  table: DocumentTable,
  position: number,
): number {
  if (regex.test(table.name(position))) return LEVEL.name;
  if (kind === 'glob') return 0;
  if (matchesDescription(regex, table, position)) return LEVEL.description;
  return matchesParameters(regex, table, position) ? LEVEL.parameters : 0;
}

function matchesDescription(regex: Regex, table: DocumentTable, position: number): boolean {
  if (regex.test(table.description(position))) return true;
  const labels = table.labels(position);
  return labels !== '' && regex.test(labels);
}

function matchesParameters(regex: Regex, table: DocumentTable, position: number): boolean {
  for (const piece of table.parameterPieces(position)) if (regex.test(piece)) return true;
  return false;
}

function matchedFields({ reading, table }: PatternSearch, position: number): MatchedField[] {
  const { kind, regex } = reading;
  if (kind === 'glob') return ['name'];
  const fields: MatchedField[] = [];
  if (regex.test(table.name(position))) fields.push('name');
  if (matchesDescription(regex, table, position)) fields.push('description');
  if (matchesParameters(regex, table, position)) fields.push('parameters');
  return [...fields, 'regex'];
}

/** Returns scores by position: the level, plus a share under 1 that grows with the keyword score. */
async function scoreMatches(
  { reading, keywords, excluded }: PatternSearch,
  levels: Uint8Array,
  matched: readonly number[],
): Promise<Float64Array> {
  const scores = Float64Array.from(levels);
  if (reading.regex.words === '' || matched.length < 2) return scores;
  const { hits } = await keywords.rank(reading.regex.words, {
    limit: 1,
    alsoPositions: matched,
    ...(excluded && { excluded }),
  });
  for (const { position, score } of hits) if (scores[position]! > 0) scores[position]! += score / (1 + score);
  return scores;
}
