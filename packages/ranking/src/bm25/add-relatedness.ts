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
  asked.read(view, query, parameters);
  if (asked.known < LEAST_KNOWN) return;
  let most = 0;
  for (const document of best) most = Math.max(most, scores[document]!);
  most = parameters.relatedness * most * asked.known;
  const nearness = asked.nearnessOf(best.map((document, at) => vectorOfDocument(view, document, at)));
  let least = Infinity;
  for (let at = 0; at < best.length; at++) least = Math.min(least, nearness[at]!);
  for (let at = 0; at < best.length; at++) scores[best[at]!]! += most * (nearness[at]! - least);
}

/** Minimum number of words in a sentence that says what is wanted. */
const LEAST_WORDS = 3;

const MOST_SENTENCES = 7;

/**
 * The vectors of a query and of its sentences, each of length 1, or 0 if none of its words has one. One per thread,
 * valid until the next query is read.
 */
class AskedVectors {
  /** Share of the query's idf that has vectors. */
  known = 0;
  readonly #whole = new Float32Array(COMPONENTS);
  readonly #sentences = Array.from({ length: MOST_SENTENCES }, () => new Float32Array(COMPONENTS));
  #sentenceCount = 0;
  /** By place of a concept in the query: its idf, and its vector or NO_VECTOR. */
  #idfs = new Float64Array(64);
  #vectors = new Int32Array(64);

  read(view: IndexView, { concepts, clauses }: ReadQuery, { weakWord }: Bm25Parameters): void {
    if (concepts.length > this.#idfs.length) {
      this.#idfs = new Float64Array(2 * concepts.length);
      this.#vectors = new Int32Array(2 * concepts.length);
    }
    let [whole, known] = [0, 0];
    for (let at = 0; at < concepts.length; at++) {
      const vector = vectorOf(view, concepts[at]!);
      const idf = idfOf(view, concepts[at]!, vector, weakWord);
      concepts[at]!.token.place = at;
      this.#idfs[at] = idf;
      this.#vectors[at] = vector;
      whole += idf;
      if (vector !== NO_VECTOR) known += idf;
    }
    this.known = known / (whole || 1);
    if (this.known < LEAST_KNOWN) return;
    this.#sum(concepts, this.#whole);
    this.#sentenceCount = 0;
    if (clauses.length === 1) return;
    for (const clause of clauses) {
      if (clause.length < LEAST_WORDS || this.#sentenceCount === MOST_SENTENCES) continue;
      this.#sum(clause, this.#sentences[this.#sentenceCount++]!);
    }
  }

  #sum(concepts: readonly Concept[], unit: Float32Array): void {
    sum.clear();
    for (const { token } of concepts) sum.add(this.#vectors[token.place]!, this.#idfs[token.place]!);
    sum.writeUnit(unit);
  }

  /** Returns the nearness of each document's vector, from 0 to 1; valid until the next call. */
  nearnessOf(documents: readonly Float32Array[]): Float64Array {
    dotProducts(this.#whole, documents, nearness);
    if (this.#sentenceCount > 0) {
      nearest.fill(-1);
      for (let sentence = 0; sentence < this.#sentenceCount; sentence++) {
        dotProducts(this.#sentences[sentence]!, documents, products);
        for (let at = 0; at < documents.length; at++) nearest[at] = Math.max(nearest[at]!, products[at]!);
      }
    }
    for (let at = 0; at < documents.length; at++) {
      const whole = nearness[at]!;
      nearness[at] = Math.max(0, this.#sentenceCount > 0 ? (whole + nearest[at]!) / 2 : whole);
    }
    return nearness;
  }
}

const asked = new AskedVectors();

/** Working arrays: by place of a document among the best. */
const [nearness, nearest, products] = [RELATED, RELATED, RELATED].map((size) => new Float64Array(size)) as [
  Float64Array,
  Float64Array,
  Float64Array,
];

const NO_VECTOR = -1;

/**
 * Returns the vector of a word of the query; an unknown one has that of the nearest term that may stand for it, such as
 * a correction.
 */
function vectorOf(view: IndexView, { token, terms }: Concept): number {
  if (token.vector !== undefined) return token.vector;
  if (terms.length === 0) return NO_VECTOR;
  const nearest = terms.reduce((one, other) => (other.weight > one.weight ? other : one));
  return view.store.terms.vectorOf(nearest.term) ?? NO_VECTOR;
}

/** A pair of Chinese characters without a vector counts for nothing: most are parts of two words. */
function idfOf(
  view: IndexView,
  { token, itself, isWeak }: Concept,
  vector: number,
  weakWord: number,
): number {
  if (vector === NO_VECTOR && token.isHanPair) return 0;
  const idf = itself === undefined ? view.idfOfNone : view.idf(itself);
  return isWeak ? weakWord * idf : idf;
}

/** A weighted sum of word vectors. One per thread. */
class VectorSum {
  readonly #components = new Float64Array(COMPONENTS);
  readonly #vectors: number[] = [];
  readonly #weights: number[] = [];
  #count = 0;

  clear(): void {
    this.#count = 0;
  }

  add(vector: number, weight: number): void {
    if (vector === NO_VECTOR) return;
    this.#vectors[this.#count] = vector;
    this.#weights[this.#count++] = weight;
  }

  /** Writes the sum into an array at length 1, or 0. */
  writeUnit(unit: Float32Array): Float32Array {
    const components = this.#components;
    components.fill(0);
    if (this.#count > 0) wordVectors().addAll(components, this.#vectors, this.#weights, this.#count);
    let squares = 0;
    for (let at = 0; at < COMPONENTS; at++) squares += components[at]! * components[at]!;
    const length = Math.sqrt(squares);
    for (let at = 0; at < COMPONENTS; at++) unit[at] = length === 0 ? 0 : components[at]! / length;
    return unit;
  }
}

const sum = new VectorSum();

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
  sum.clear();
  for (const entry of entries) {
    const occurrences = OCCURRENCES[entry & ENTRY_MASK]!;
    // Entries of neither the name nor the first sentence follow.
    if (occurrences === 0) break;
    const term = entry >>> ENTRY_SHIFT;
    const word = view.store.terms.vectorOf(term);
    if (word !== undefined) sum.add(word, (view.idf(term) * occurrences) / (1 + occurrences));
  }
  return sum.writeUnit(vector);
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
    const a = others[place]!;
    const b = others[place + 1]!;
    const c = others[place + 2]!;
    const d = others[place + 3]!;
    let ofA = 0;
    let ofB = 0;
    let ofC = 0;
    let ofD = 0;
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
