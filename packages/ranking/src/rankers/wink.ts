import { cutText, LIMITS, type MatchedField } from '@winnow/core';
import createEngine, { type WinkEngine } from 'wink-bm25-text-search';
import {
  byPosition,
  type Hit,
  type Ranker,
  type RankerIndex,
  type Ranking,
  type RankOptions,
} from '../ranker.ts';
import { tokenize, tokenizeQuery } from '../text/tokenize.ts';
import { DocumentTable } from '../tools/document-table.ts';
import type { ToolDocument } from '../tools/tool-document.ts';

/**
 * The ranker of wink-bm25-text-search, with Winnow's tokens. It judges no hit: every match counts as found.
 *
 * Works around limits of the library: it throws with fewer than three documents and on a missing field, keeps
 * four decimals, reads a limit of 0 as 10, reorders integer-like document ids, leaves ties to the sort,
 * counts repeated query words, and does not report the matched fields.
 */
export const wink: Ranker = {
  name: 'wink',
  build(documents: readonly ToolDocument[]): RankerIndex {
    const table = DocumentTable.of(documents);
    const engine = buildEngine(documents);
    return {
      size: table.size,
      bytes: table.bytes * ENGINE_BYTES_PER_TEXT_BYTE,
      rank: async (query, options) => rank(engine, table, query, options),
    };
  },
};

const FIELD_WEIGHTS = { name: 4, description: 2, parameters: 1 } as const;

/** Minimum number of documents for the library. Documents without tokens fill up; no search finds them. */
const MIN_DOCUMENTS = 3;

/** Maximum precision of the library. With its default of 4, different scores become ties. */
const SCORE_DECIMALS = 9;

/** Memory of the per-document objects by token number, measured on real tools. */
const ENGINE_BYTES_PER_TEXT_BYTE = 8;

const NO_TOKENS = { name: [], description: [], parameters: [] };

function buildEngine(documents: readonly ToolDocument[]): WinkEngine {
  const engine = createEngine();
  engine.defineConfig({ fldWeights: FIELD_WEIGHTS });
  // Fields arrive as tokens, queries as text, because the library cannot prepare queries by field name.
  engine.definePrepTasks([
    (input: string | readonly string[]) => (typeof input === 'string' ? queryTokens(input) : input),
  ]);
  for (let position = 0; position < Math.max(documents.length, MIN_DOCUMENTS); position += 1) {
    const document = documents[position];
    engine.addDoc(document === undefined ? NO_TOKENS : tokensOf(document), toId(position));
  }
  engine.consolidate(SCORE_DECIMALS);
  return engine;
}

function tokensOf(document: ToolDocument): Record<keyof typeof FIELD_WEIGHTS, string[]> {
  return {
    name: tokenize(document.name),
    description: tokenize(document.description),
    parameters: document.parameters.flatMap(({ name, text }) => [...tokenize(name), ...tokenize(text)]),
  };
}

function queryTokens(query: string): string[] {
  return [...new Set(tokenizeQuery(query))];
}

/** Returns an id that is not an integer, because objects reorder integer keys. */
function toId(position: number): string {
  return `d${position}`;
}

function toPosition(id: string): number {
  return Number(id.slice(1));
}

function rank(engine: WinkEngine, table: DocumentTable, query: string, options: RankOptions): Ranking {
  const text = cutText(query, LIMITS.keywordPatternChars);
  if (table.size === 0 || text === '') return { hits: [], totalMatches: 0 };
  const { compare = byPosition } = options;
  const scored = engine
    .search(text, table.size)
    .map(([id, score]) => ({ position: toPosition(id), score }))
    .filter(({ position, score }) => score > 0 && options.excluded?.[position] !== 1)
    .sort((left, right) => right.score - left.score || compare(left.position, right.position));
  const wanted = new Set(options.alsoPositions);
  const best = scored.filter(({ position }, place) => place < options.limit || wanted.has(position));
  const terms = new Set(queryTokens(text));
  const hits = best.map((hit): Hit => ({ ...hit, matchedOn: matchedFields(table, hit.position, terms) }));
  return { hits, totalMatches: scored.length };
}

function matchedFields(table: DocumentTable, position: number, terms: ReadonlySet<string>): MatchedField[] {
  const holdsTerm = (text: string): boolean => tokenize(text).some((token) => terms.has(token));
  const fields: MatchedField[] = [];
  if (holdsTerm(table.name(position))) fields.push('name');
  if (holdsTerm(table.description(position))) fields.push('description');
  if ([...table.parameterPieces(position)].some(holdsTerm)) fields.push('parameters');
  return fields;
}
