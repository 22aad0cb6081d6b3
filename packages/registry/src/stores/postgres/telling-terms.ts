import type { AskedConcept, AskedTerm } from '@winnow/ranking';

/** Most scored concepts, and scored terms of each, the most distinctive first; others only make a tool match. */
const SCORED_CONCEPTS = 10;
const SCORED_TERMS = 3;

/** The ranker's `matchedShare`: the bonus of a tool that matches all concepts. */
export const MATCHED_SHARE = 2;

/** Rank of a single lexeme of weight 1 by `ts_rank`: 6/π², rounded up. */
const MOST_RANK = 0.608;

/** Scoring up to this share of the matches, and counting all of them separately, is faster than scoring all. */
const WORTH_IT = 0.8;

/** Returns the scored concepts of a query, rarest first, each with its best distinct terms. */
export function scoredConcepts(concepts: readonly AskedConcept[]): readonly AskedConcept[] {
  return concepts.slice(0, SCORED_CONCEPTS).map(({ terms }) => ({
    terms: distinct(byGain(terms)).slice(0, SCORED_TERMS),
  }));
}

/**
 * The terms of a query in order of gain. Only a tool with one of the first terms can be among the best. The number of
 * first terms is verified once the best are found (MaxScore: Turtle & Flood 1995).
 */
export class TellingTerms {
  readonly terms: readonly AskedTerm[];
  readonly #concepts: readonly AskedConcept[];

  /** @param concepts The result of `scoredConcepts`. */
  constructor(concepts: readonly AskedConcept[]) {
    this.#concepts = concepts;
    this.terms = distinct(byGain(concepts.flatMap(({ terms }) => terms)));
  }

  /** Returns the number of terms to try first for the best of a list; all terms when fewer would save too little. */
  first(best: number, limit: number): number {
    const ofBest = this.#countFor(best);
    const gain = this.terms[ofBest - 1]?.gain ?? 0;
    // Assumes that the last of the best has only that term, in its name.
    const expected = gain * MOST_RANK * (1 + MATCHED_SHARE / this.#concepts.length);
    const count = this.enough(Math.max(ofBest, this.#countFor(limit)), expected);
    const isWorthIt = documentsOf(this.terms.slice(0, count)) <= documentsOf(this.terms) * WORTH_IT;
    return isWorthIt ? count : this.terms.length;
  }

  /** Returns the number of first terms, at least `least`, of which every tool with this score has one. */
  enough(least: number, score: number): number {
    let count = Math.min(least, this.terms.length);
    while (count < this.terms.length && this.mostWithout(count) >= score) count++;
    return count;
  }

  /** Returns the highest possible score of a tool without any of the first terms. */
  mostWithout(count: number): number {
    const first = new Set(this.terms.slice(0, count).map(({ term }) => term));
    const gains = this.#concepts.flatMap(
      ({ terms }) => terms.find(({ term }) => !first.has(term))?.gain ?? [],
    );
    const sum = gains.reduce((total, gain) => total + gain * MOST_RANK, 0);
    return sum * (1 + (MATCHED_SHARE * gains.length) / this.#concepts.length);
  }

  /** Returns the number of first terms that occur in at least this many tools. */
  #countFor(tools: number): number {
    let count = 1;
    while (count < this.terms.length && documentsOf(this.terms.slice(0, count)) < tools) count++;
    return count;
  }
}

function byGain(terms: readonly AskedTerm[]): readonly AskedTerm[] {
  return terms.toSorted((left, right) => right.gain - left.gain);
}

/** Keeps the first occurrence of each term. */
function distinct(terms: readonly AskedTerm[]): readonly AskedTerm[] {
  const seen = new Set<string>();
  return terms.filter(({ term }) => !seen.has(term) && seen.add(term));
}

function documentsOf(terms: readonly AskedTerm[]): number {
  return terms.reduce((sum, { documents }) => sum + documents, 0);
}
