import type { RankOptions } from '../ranker.ts';
import type { IndexView } from './index-view.ts';
import type { Bm25Parameters } from './parameters.ts';
import { FIELD_BITS, FIELD_MASK, FIELD_SHIFT, WEIGHT_UNITS } from './postings.ts';
import type { Concept, ReadQuery } from './read-query.ts';

/** The result of a query, valid until the next call of `scoreDocuments`. */
export interface Scored {
  /** Matching documents, in no order; only the first `count` are valid. */
  readonly documents: Uint32Array;
  readonly count: number;
  /** By document. */
  readonly scores: Float32Array;
  /** By document: the FIELD_BITS of its matches. */
  readonly fields: Uint8Array;
}

/**
 * Scores the documents of a view against a query:
 *
 *   (sum of the contributions of the concepts' terms) · (1 + matchedShare · share of the concepts matched),
 *     matchedShare falling with the number of concepts above matchedShareWords
 *   + bestClause · (the same for the best-matching sentence, in a query of several)
 *   + best score of the query · (nameCover · covered part of the name + leadCover · covered part of the first sentence)
 *
 * A concept is a word of the query with its equivalents. Of the terms of one concept the best counts in full, the
 * others at `furtherTerm`.
 * Fields are merged before saturation: a term's weight w in a document is the sum over its occurrences of their field's
 * weight, and its contribution is idf · (k1 + 1) · w / (k1 · (1 − b + b · l / l̄) + w), l being the sum of all weights.
 * A part is covered to the share of the idf of its words in the query. Takes time linear in the postings of the query's terms.
 * Source: Robertson & Zaragoza 2009, "The Probabilistic Relevance Framework", section 3.6, with one length norm.
 *
 * @param excluded by document: 1 for one to skip. It still counts in the statistics.
 */
export function scoreDocuments(
  view: IndexView,
  query: ReadQuery,
  parameters: Bm25Parameters,
  { excluded }: Pick<RankOptions, 'excluded'> = {},
): Scored {
  board.open(view, parameters, excluded);
  if (query.clauses.length > 1) {
    board.clearScores();
    for (const clause of query.clauses) board.addClause(clause);
  }
  board.addQuery(query);
  board.addCovers();
  return board;
}

/**
 * Returns the documents that match one sentence, with their scores for it alone: without the bonuses for
 * covered names and first sentences.
 */
export function scoreClause(view: IndexView, clause: readonly Concept[], parameters: Bm25Parameters): Scored {
  board.open(view, parameters, undefined);
  board.clearScores();
  board.addClause(clause);
  return board;
}

/** Working arrays, one set per thread: a query runs without a pause. */
class ScoreBoard implements Scored {
  documents = new Uint32Array(0);
  scores = new Float32Array(0);
  fields = new Uint8Array(0);
  count = 0;
  #sums = new Float32Array(0);
  #matches = new Uint16Array(0);
  /**
   * By document: the last concept it matched, numbered from 1 over all queries, so that nothing needs
   * clearing in between.
   */
  #latestConcept = new Uint32Array(0);
  #concept = 0;
  /** Concepts up to this one belong to earlier sums. */
  #firstConcept = 0;
  /** By document: the highest gain from a term of its last concept. */
  #gains = new Float32Array(0);
  #nameCover = new Float32Array(0);
  #leadCover = new Float32Array(0);
  /** By term: its weight in the sum at hand; 0 once it has been added. */
  #weights = new Float64Array(0);

  #view!: IndexView;
  #parameters!: Bm25Parameters;
  #absent: Uint8Array | undefined;
  #excluded: Uint8Array | undefined;
  /** The saturation of a weight w in a document of length l is w / (#fixedNorm + #lengthNorm · l + w). */
  #fixedNorm = 0;
  #lengthNorm = 0;

  open(view: IndexView, parameters: Bm25Parameters, excluded: Uint8Array | undefined): void {
    this.#view = view;
    this.#parameters = parameters;
    this.#absent = view.absent;
    this.#excluded = excluded;
    const { k1, b } = parameters;
    this.#fixedNorm = WEIGHT_UNITS * k1 * (1 - b);
    this.#lengthNorm = (WEIGHT_UNITS * k1 * b) / view.meanLength;
    if (view.documentCount > this.scores.length || this.#concept > MAX_CONCEPT)
      this.#makeRoom(view.documentCount);
  }

  clearScores(): void {
    this.scores.fill(0, 0, this.#view.documentCount);
  }

  /** Keeps in `scores` the higher of a clause's score and the current value. */
  addClause(clause: readonly Concept[]): void {
    this.#sum(clause);
    const ofMatches = this.#matchedShare(clause.length);
    for (let at = 0; at < this.count; at++) {
      const document = this.documents[at]!;
      const score = this.#sums[document]! * (1 + ofMatches * (this.#matches[document]! / clause.length));
      if (score > this.scores[document]!) this.scores[document] = score;
    }
  }

  addQuery({ concepts, clauses }: ReadQuery): void {
    const { bestClause } = this.#parameters;
    this.#sum(concepts);
    const ofMatches = this.#matchedShare(concepts.length);
    for (let at = 0; at < this.count; at++) {
      const document = this.documents[at]!;
      const score = this.#sums[document]! * (1 + ofMatches * (this.#matches[document]! / concepts.length));
      const ofClause = clauses.length > 1 ? bestClause * this.scores[document]! : 0;
      this.scores[document] = score + ofClause;
    }
  }

  addCovers(): void {
    const view = this.#view;
    const { nameCover, leadCover, leadCoverPrior } = this.#parameters;
    let best = 0;
    for (let at = 0; at < this.count; at++) best = Math.max(best, this.scores[this.documents[at]!]!);
    const covers = view.covers();
    const prior = leadCoverPrior * Math.log(view.size + 1);
    for (let at = 0; at < this.count; at++) {
      const document = this.documents[at]!;
      const inName = this.#nameCover[document]!;
      const inLead = this.#leadCover[document]!;
      if (inName === 0 && inLead === 0) continue;
      covers.read(document);
      const name = inName === 0 ? 0 : inName / covers.name;
      const lead = inLead === 0 ? 0 : inLead / (covers.lead + prior);
      this.scores[document]! += best * (nameCover * name + leadCover * lead);
    }
  }

  /** Returns the weight of the share of concepts that match. */
  #matchedShare(concepts: number): number {
    const { matchedShare, matchedShareWords } = this.#parameters;
    return matchedShare * Math.min(1, matchedShareWords / concepts);
  }

  #sum(concepts: readonly Concept[]): void {
    this.count = 0;
    this.#firstConcept = this.#concept;
    const best = this.#bestWeights(concepts);
    for (const { terms } of concepts) {
      this.#concept++;
      for (const { term, weight } of terms) {
        // A term that stands for several words counts once, at its highest weight.
        if (best[term] !== weight) continue;
        best[term] = 0;
        this.#sumTerm(term, weight);
      }
    }
  }

  /** Returns the highest weight of each term of some concepts, by term; 0 for others. */
  #bestWeights(concepts: readonly Concept[]): Float64Array {
    const count = this.#view.store.terms.size;
    if (count > this.#weights.length) this.#weights = new Float64Array(count + (count >> 2));
    const best = this.#weights;
    for (const { terms } of concepts) {
      for (const { term, weight } of terms) if (weight > best[term]!) best[term] = weight;
    }
    return best;
  }

  /**
   * Adds the postings of a term. A search in a large catalogue spends nearly all its time here, so invariants
   * are hoisted.
   */
  #sumTerm(term: number, weight: number): void {
    const { store, documentCount } = this.#view;
    const { lengths } = store;
    const postings = store.postingsOf(term);
    const absent = this.#absent;
    const excluded = this.#excluded;
    const fixedNorm = this.#fixedNorm;
    const lengthNorm = this.#lengthNorm;
    const latestConcept = this.#latestConcept;
    const firstConcept = this.#firstConcept;
    const concept = this.#concept;
    const documents = this.documents;
    const sums = this.#sums;
    const gains = this.#gains;
    const matches = this.#matches;
    const allFields = this.fields;
    const nameCover = this.#nameCover;
    const leadCover = this.#leadCover;
    const { k1, furtherTerm } = this.#parameters;
    const idf = weight * this.#view.idf(term);
    const most = idf * (k1 + 1);
    let count = this.count;
    for (let at = 0; at < postings.length; at += 2) {
      const document = postings[at]!;
      // Documents of later states of the index follow.
      if (document >= documentCount) break;
      if (absent !== undefined && absent[document] === 1) continue;
      if (excluded !== undefined && excluded[document] === 1) continue;
      const posting = postings[at + 1]!;
      const weight = posting >>> FIELD_SHIFT;
      const fields = posting & FIELD_MASK;
      const gain = (most * weight) / (fixedNorm + lengthNorm * lengths[document]! + weight);
      const latest = latestConcept[document]!;
      if (latest <= firstConcept) {
        documents[count++] = document;
        latestConcept[document] = concept;
        matches[document] = 1;
        gains[document] = gain;
        sums[document] = gain;
        allFields[document] = fields;
        nameCover[document] = fields & FIELD_BITS.namePart ? idf : 0;
        leadCover[document] = fields & FIELD_BITS.lead ? idf : 0;
        continue;
      }
      if (latest !== concept) {
        latestConcept[document] = concept;
        matches[document]!++;
        gains[document] = gain;
        sums[document]! += gain;
      } else {
        // A further term of the concept.
        const best = gains[document]!;
        const further = furtherTerm * Math.min(gain, best);
        sums[document]! += gain > best ? gain - best + further : further;
        if (gain > best) gains[document] = gain;
      }
      allFields[document]! |= fields;
      if (fields & FIELD_BITS.namePart) nameCover[document]! += idf;
      if (fields & FIELD_BITS.lead) leadCover[document]! += idf;
    }
    this.count = count;
  }

  #makeRoom(documentCount: number): void {
    // With room to grow: where documents arrive one by one, every search would reallocate all of these.
    const length = Math.max(documentCount + (documentCount >> 2), this.scores.length);
    this.documents = new Uint32Array(length);
    this.scores = new Float32Array(length);
    this.fields = new Uint8Array(length);
    this.#sums = new Float32Array(length);
    this.#matches = new Uint16Array(length);
    this.#latestConcept = new Uint32Array(length);
    this.#concept = 0;
    this.#gains = new Float32Array(length);
    this.#nameCover = new Float32Array(length);
    this.#leadCover = new Float32Array(length);
  }
}

/** Numbering restarts before it exceeds its range. */
const MAX_CONCEPT = 2 ** 31;

const board = new ScoreBoard();
