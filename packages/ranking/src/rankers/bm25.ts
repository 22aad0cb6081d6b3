import type { MatchedField } from '@winnow/contract';
import { buildIndex } from '../bm25/build-index.ts';
import { FIELD_BITS, type FlatIndex, flatIndexBytes } from '../bm25/flat-index.ts';
import { BM25_DEFAULTS, type Bm25Parameters } from '../bm25/parameters.ts';
import { readLoosely, readQuery } from '../bm25/read-query.ts';
import { type Scored, scoreDocuments } from '../bm25/score-documents.ts';
import { selectBest } from '../bm25/select-best.ts';
import { Vocabulary } from '../bm25/vocabulary.ts';
import type { Hit, PackedIndex, Ranker, RankerIndex, Ranking, RankOptions } from '../ranker.ts';

/** Orders tools by BM25F over their merged fields, with bonuses for what a query covers of them. The default. */
export const bm25: Ranker = createBm25(BM25_DEFAULTS);

/** The ranker with other numbers, for the bench. */
export function createBm25(parameters: Bm25Parameters): Ranker {
  return {
    name: 'bm25',
    build: (documents) => open(buildIndex(documents, parameters), parameters),
    unpack: async (packed, pause) => {
      const index = unpack(packed);
      return open(index, parameters, await Vocabulary.inSlices(index.terms, pause));
    },
  };
}

function open(index: FlatIndex, parameters: Bm25Parameters, known?: Vocabulary): RankerIndex {
  let vocabulary = known;
  return {
    size: index.documentCount,
    bytes: flatIndexBytes(index),
    rank: async (query, options) => {
      // Made at the first query: an index that goes to another thread needs none on this one.
      vocabulary ??= new Vocabulary(index.terms);
      return rank(index, vocabulary, parameters, query, options);
    },
    pack: () => ({ ...index, terms: index.terms.join(TERM_SEPARATOR) }),
  };
}

function rank(
  index: FlatIndex,
  vocabulary: Vocabulary,
  parameters: Bm25Parameters,
  query: string,
  options: RankOptions,
): Ranking {
  const read = readQuery(query, vocabulary, parameters);
  let scored = scoreDocuments(index, read, parameters);
  if (scored.count === 0) scored = scoreDocuments(index, readLoosely(read, vocabulary), parameters);
  const best = selectBest(scored, options.limit);
  return {
    hits: [...best, ...wantedBeyond(best, scored, options)].map((document) => toHit(document, scored)),
    totalMatches: scored.count,
  };
}

function wantedBeyond(best: readonly number[], scored: Scored, options: RankOptions): number[] {
  if (options.alsoPositions === undefined || best.length === scored.count) return [];
  const matched = new Set(scored.documents.subarray(0, scored.count));
  const wanted = new Set(options.alsoPositions);
  for (const document of best) wanted.delete(document);
  return [...wanted]
    .filter((document) => matched.has(document))
    .sort((a, b) => scored.scores[b]! - scored.scores[a]! || a - b);
}

function toHit(document: number, scored: Scored): Hit {
  return {
    position: document,
    score: scored.scores[document]!,
    matchedOn: matchedFields(scored.fields[document]!),
  };
}

function matchedFields(bits: number): MatchedField[] {
  const fields: MatchedField[] = [];
  if (bits & (FIELD_BITS.namePart | FIELD_BITS.name)) fields.push('name');
  if (bits & (FIELD_BITS.lead | FIELD_BITS.description)) fields.push('description');
  if (bits & FIELD_BITS.parameters) fields.push('parameters');
  return fields;
}

/** No token holds one. */
const TERM_SEPARATOR = '\n';

function unpack(packed: PackedIndex): FlatIndex {
  // Only what `pack` made comes here, through postMessage.
  const { terms, ...rest } = packed as unknown as FlatIndex & { terms: string };
  return { ...rest, terms: terms === '' ? [] : terms.split(TERM_SEPARATOR) };
}
