import type { FlatIndex } from './flat-index.ts';
import { FIELD_BITS } from './flat-index.ts';
import type { Bm25Parameters } from './parameters.ts';
import type { Concept, ReadQuery } from './read-query.ts';

/** What a query found, valid until the next call of `scoreDocuments`. */
export interface Scored {
  /** Documents that matched, in no order; the first `count` are meant. */
  readonly documents: Uint32Array;
  readonly count: number;
  /** By document. */
  readonly scores: Float32Array;
  /** By document: FIELD_BITS in which it matched. */
  readonly fields: Uint8Array;
}

/**
 * Scores all documents against a query:
 *
 *   (sum of term contributions) · (1 + matchedShare · share of the concepts matched)
 *   + bestClause · (the same for the sentence that fits best, in a query of several)
 *   + best score of the query · (nameCover · covered part of the name + leadCover · covered part of the first sentence)
 *
 * A part is covered by the idf of its words that the query has. Time is linear in the postings of the query's terms.
 */
export function scoreDocuments(index: FlatIndex, query: ReadQuery, parameters: Bm25Parameters): Scored {
  board.reset(index.documentCount);
  if (query.clauses.length > 1) {
    for (const clause of query.clauses) board.addClause(index, clause, parameters);
  }
  board.addQuery(index, query.concepts, parameters);
  board.addCovers(index, parameters);
  return board;
}

/** Working arrays, one set for the thread: a query runs to its end without a pause. */
class ScoreBoard implements Scored {
  documents = new Uint32Array(0);
  scores = new Float32Array(0);
  fields = new Uint8Array(0);
  count = 0;
  #sums = new Float32Array(0);
  #matches = new Uint16Array(0);
  #latestConcept = new Int32Array(0);
  #nameCover = new Float32Array(0);
  #leadCover = new Float32Array(0);

  reset(documentCount: number): void {
    if (documentCount > this.scores.length) {
      this.documents = new Uint32Array(documentCount);
      this.scores = new Float32Array(documentCount);
      this.fields = new Uint8Array(documentCount);
      this.#sums = new Float32Array(documentCount);
      this.#matches = new Uint16Array(documentCount);
      this.#latestConcept = new Int32Array(documentCount);
      this.#nameCover = new Float32Array(documentCount);
      this.#leadCover = new Float32Array(documentCount);
    } else {
      this.scores.fill(0, 0, documentCount);
    }
  }

  /** Leaves in `scores` the best of a clause's score and what is there. */
  addClause(index: FlatIndex, clause: readonly Concept[], parameters: Bm25Parameters): void {
    this.#sum(index, clause);
    for (let at = 0; at < this.count; at++) {
      const document = this.documents[at]!;
      const score = this.#finished(document, clause.length, parameters);
      if (score > this.scores[document]!) this.scores[document] = score;
    }
  }

  addQuery(index: FlatIndex, concepts: readonly Concept[], parameters: Bm25Parameters): void {
    this.#sum(index, concepts);
    for (let at = 0; at < this.count; at++) {
      const document = this.documents[at]!;
      const score = this.#finished(document, concepts.length, parameters);
      this.scores[document] = score + parameters.bestClause * this.scores[document]!;
    }
  }

  addCovers(index: FlatIndex, parameters: Bm25Parameters): void {
    let best = 0;
    for (let at = 0; at < this.count; at++) best = Math.max(best, this.scores[this.documents[at]!]!);
    const prior = parameters.leadCoverPrior * Math.log(index.documentCount + 1);
    for (let at = 0; at < this.count; at++) {
      const document = this.documents[at]!;
      const nameIdf = index.nameIdf[document]!;
      const name = nameIdf > 0 ? this.#nameCover[document]! / nameIdf : 0;
      const lead = this.#leadCover[document]! / (index.leadIdf[document]! + prior);
      this.scores[document]! += best * (parameters.nameCover * name + parameters.leadCover * lead);
    }
  }

  #finished(document: number, concepts: number, parameters: Bm25Parameters): number {
    return this.#sums[document]! * (1 + (parameters.matchedShare * this.#matches[document]!) / concepts);
  }

  #sum(index: FlatIndex, concepts: readonly Concept[]): void {
    this.count = 0;
    this.#latestConcept.fill(-1, 0, index.documentCount);
    const weightOfTerm = bestWeights(concepts);
    concepts.forEach(({ terms }, concept) => {
      for (const { term, weight } of terms) {
        // A term that stands for several words counts once, where it counts most.
        if (weightOfTerm.get(term) !== weight) continue;
        weightOfTerm.delete(term);
        this.#sumTerm(index, term, weight, concept);
      }
    });
  }

  #sumTerm(index: FlatIndex, term: number, weight: number, concept: number): void {
    const { postingStart, postingDocument, postingScore, postingFields } = index;
    const idf = weight * index.idf[term]!;
    const end = postingStart[term + 1]!;
    for (let posting = postingStart[term]!; posting < end; posting++) {
      const document = postingDocument[posting]!;
      const fields = postingFields[posting]!;
      const latest = this.#latestConcept[document]!;
      if (latest === -1) this.#open(document);
      if (latest !== concept) {
        this.#latestConcept[document] = concept;
        this.#matches[document]!++;
      }
      this.#sums[document]! += weight * postingScore[posting]!;
      this.fields[document]! |= fields;
      if (fields & FIELD_BITS.namePart) this.#nameCover[document]! += idf;
      if (fields & FIELD_BITS.lead) this.#leadCover[document]! += idf;
    }
  }

  #open(document: number): void {
    this.documents[this.count++] = document;
    this.#sums[document] = 0;
    this.#matches[document] = 0;
    this.#nameCover[document] = 0;
    this.#leadCover[document] = 0;
    this.fields[document] = 0;
  }
}

const board = new ScoreBoard();

function bestWeights(concepts: readonly Concept[]): Map<number, number> {
  const best = new Map<number, number>();
  for (const { terms } of concepts) {
    for (const { term, weight } of terms) best.set(term, Math.max(weight, best.get(term) ?? 0));
  }
  return best;
}
