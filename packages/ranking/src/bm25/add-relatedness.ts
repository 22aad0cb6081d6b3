import { COMPONENTS, wordVectors } from '../word-vectors/word-vectors.ts';
import { type IndexView, MOST_DOCUMENT_VECTORS } from './index-view.ts';
import type { Bm25Parameters } from './parameters.ts';
import { ENTRY_BITS, ENTRY_SHIFT } from './postings.ts';
import type { Concept, ReadQuery } from './read-query.ts';
import type { Scored } from './score-documents.ts';

/** Number of best documents to raise by relatedness. */
export const RELATED = 50;

/** Share of the query's idf that must have vectors: a query in another language is not judged by its few English words. */
const LEAST_KNOWN = 0.5;

/**
 * Raises the scores of the best documents by how related their names and first sentences are to the query, even if
 * only the rest of the document shares words with it:
 *
 *   score + relatedness · best score · known · (nearness − least nearness)
 *
 * The nearness of a document is the cosine between its vector and that of the query or, for a query of several
 * sentences, the mean of that and the cosine with the nearest sentence; 0 if it is negative. A vector is the sum of
 * those of the words, each weighted by its idf. `known` is the share of the query's idf that has vectors; nothing
 * changes below {@link LEAST_KNOWN}.
 *
 * @param best at most {@link RELATED} documents, in any order.
 */
export function addRelatedness(
  { scores }: Scored,
  best: readonly number[],
  { view, query, parameters }: { view: IndexView; query: ReadQuery; parameters: Bm25Parameters },
): void {
  if (best.length < 2) return;
  const asked = new AskedVectors(view, query, parameters);
  if (asked.known < LEAST_KNOWN) return;
  let most = 0;
  for (const document of best) most = Math.max(most, scores[document]!);
  most = parameters.relatedness * most * asked.known;
  const nearness = asked.nearnessOf(best.map((document, at) => vectorOfDocument(view, document, at)));
  let least = Infinity;
  for (let at = 0; at < best.length; at++) least = Math.min(least, nearness[at]!);
  for (let at = 0; at < best.length; at++) scores[best[at]!]! += most * (nearness[at]! - least);
}

/** The vectors of a query and of its sentences, each of length 1, or 0 if none of its words has one. */
class AskedVectors {
  /** Share of the query's idf that has vectors. */
  readonly known: number;
  readonly #whole: Float32Array;
  readonly #sentences: readonly Float32Array[] = [];

  constructor(view: IndexView, { concepts, clauses }: ReadQuery, { weakWord }: Bm25Parameters) {
    const words = concepts.map((concept) => askedWord(view, concept, weakWord));
    let [whole, known] = [0, 0];
    for (const { idf, vector } of words) {
      whole += idf;
      if (vector !== undefined) known += idf;
    }
    this.known = known / (whole || 1);
    this.#whole = sumWords(words);
    if (clauses.length === 1) return;
    const byToken = new Map(words.map((word, at) => [concepts[at]!.token, word]));
    this.#sentences = clauses
      .filter((clause) => clause.length >= LEAST_WORDS)
      .slice(0, MOST_SENTENCES)
      .map((clause) => sumWords(clause.map(({ token }) => byToken.get(token)!)));
  }

  /** Returns the nearness of each document's vector, from 0 to 1; valid until the next call. */
  nearnessOf(documents: readonly Float32Array[]): Float64Array {
    dotProducts(this.#whole, documents, nearness);
    if (this.#sentences.length > 0) {
      nearest.fill(-1);
      for (const sentence of this.#sentences) {
        dotProducts(sentence, documents, products);
        for (let at = 0; at < documents.length; at++) nearest[at] = Math.max(nearest[at]!, products[at]!);
      }
    }
    for (let at = 0; at < documents.length; at++) {
      const whole = nearness[at]!;
      nearness[at] = Math.max(0, this.#sentences.length > 0 ? (whole + nearest[at]!) / 2 : whole);
    }
    return nearness;
  }
}

/** Working arrays: by place of a document among the best. */
const [nearness, nearest, products] = [RELATED, RELATED, RELATED].map((size) => new Float64Array(size)) as [
  Float64Array,
  Float64Array,
  Float64Array,
];

/** Minimum number of words in a sentence that says what is wanted. */
const LEAST_WORDS = 3;

const MOST_SENTENCES = 7;

interface AskedWord {
  readonly idf: number;
  readonly vector: number | undefined;
}

/**
 * Reads a word of the query; an unknown one has the vector of the nearest term that may stand for it, such as a
 * correction. A pair of Chinese characters without a vector counts for nothing: most are parts of two words.
 */
function askedWord(view: IndexView, { token, terms, isWeak }: Concept, weakWord: number): AskedWord {
  const term = view.vocabulary.find(token);
  const idf = term === undefined ? view.idfOfNone : view.idf(term);
  const vector = wordVectors().find(token) ?? vectorOfNearest(view, terms);
  if (vector === undefined && HAN_PAIR.test(token)) return { idf: 0, vector };
  return { idf: isWeak ? weakWord * idf : idf, vector };
}

function vectorOfNearest(view: IndexView, terms: Concept['terms']): number | undefined {
  if (terms.length === 0) return undefined;
  const nearest = terms.reduce((one, other) => (other.weight > one.weight ? other : one));
  return view.store.terms.vectorOf(nearest.term);
}

const HAN_PAIR = /^\p{Script=Han}{2}$/u;

/** Working array of the sums. */
const sum = new Float64Array(COMPONENTS);

function sumWords(words: readonly AskedWord[]): Float32Array {
  sum.fill(0);
  for (const { idf, vector } of words) if (vector !== undefined) wordVectors().addTo(sum, vector, idf);
  return unitOfSum(new Float32Array(COMPONENTS));
}

/** Returns the vector of a document, valid until the next call with the same place. */
function vectorOfDocument(view: IndexView, document: number, place: number): Float32Array {
  if (view.documentCount > MOST_DOCUMENT_VECTORS) return sumDocument(view, document, passing[place]!);
  const known = view.documentVectors.get(document);
  if (known !== undefined) return known;
  const vector = sumDocument(view, document, new Float32Array(COMPONENTS));
  view.documentVectors.set(document, vector);
  return vector;
}

const passing = Array.from({ length: RELATED }, () => new Float32Array(COMPONENTS));

function sumDocument(view: IndexView, document: number, vector: Float32Array): Float32Array {
  const entries = view.store.entriesOf(document);
  sum.fill(0);
  for (const entry of entries) {
    const occurrences = OCCURRENCES[entry & ENTRY_MASK]!;
    // Entries of neither the name nor the first sentence follow.
    if (occurrences === 0) break;
    const term = entry >>> ENTRY_SHIFT;
    const word = view.store.terms.vectorOf(term);
    if (word !== undefined)
      wordVectors().addTo(sum, word, (view.idf(term) * occurrences) / (1 + occurrences));
  }
  return unitOfSum(vector);
}

/** Writes the sum into an array at length 1, or 0. */
function unitOfSum(unit: Float32Array): Float32Array {
  let squares = 0;
  for (let at = 0; at < COMPONENTS; at++) squares += sum[at]! * sum[at]!;
  const length = Math.sqrt(squares);
  for (let at = 0; at < COMPONENTS; at++) unit[at] = length === 0 ? 0 : sum[at]! / length;
  return unit;
}

const ENTRY_MASK = (1 << ENTRY_SHIFT) - 1;

/** By ENTRY_BITS: an occurrence in the name counts twice. */
const OCCURRENCES = [0, 0, 0, 0];
OCCURRENCES[ENTRY_BITS.namePart] = 2;
OCCURRENCES[ENTRY_BITS.lead] = 1;
OCCURRENCES[ENTRY_BITS.namePart | ENTRY_BITS.lead] = 3;

/** Writes the dot product of a vector with each of some others: four at a time, as each sum waits for itself. */
function dotProducts(one: Float32Array, others: readonly Float32Array[], products: Float64Array): void {
  let place = 0;
  for (; place + 4 <= others.length; place += 4) {
    const [a, b, c, d] = [others[place]!, others[place + 1]!, others[place + 2]!, others[place + 3]!];
    let [ofA, ofB, ofC, ofD] = [0, 0, 0, 0];
    for (let at = 0; at < COMPONENTS; at++) {
      const component = one[at]!;
      ofA += component * a[at]!;
      ofB += component * b[at]!;
      ofC += component * c[at]!;
      ofD += component * d[at]!;
    }
    products[place] = ofA;
    products[place + 1] = ofB;
    products[place + 2] = ofC;
    products[place + 3] = ofD;
  }
  for (; place < others.length; place++) {
    let sum = 0;
    for (let at = 0; at < COMPONENTS; at++) sum += one[at]! * others[place]![at]!;
    products[place] = sum;
  }
}
