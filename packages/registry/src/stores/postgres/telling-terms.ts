import type { AskedConcept, AskedTerm } from '@winnow/ranking';

/** Concepts that are scored, and terms of each, the most telling first; the others only let a tool match. */
const SCORED_CONCEPTS = 10;
const SCORED_TERMS = 3;

/** As the ranker's `matchedShare`: how much more a tool counts that has all that is asked for. */
export const MATCHED_SHARE = 2;

/** What `ts_rank` gives for a single lexeme of weight 1 is 6/π², rounded up here. */
const MOST_RANK = 0.608;

/** Scoring up to this share of what matches, and counting all of it beside, is quicker than scoring all. */
const WORTH_IT = 0.8;

/** The concepts of a query that are scored, rarest first, each with its best terms, once each. */
export function scoredConcepts(concepts: readonly AskedConcept[]): readonly AskedConcept[] {
  return concepts.slice(0, SCORED_CONCEPTS).map(({ terms }) => ({
    terms: distinct(byGain(terms)).slice(0, SCORED_TERMS),
  }));
}

/**
 * The terms of a query in the order of what a tool gains by them. Only a tool that has one of the first can be among the best; how many of
 * the first it takes is known for sure when the best are there (MaxScore: Turtle & Flood 1995).
 */
export class TellingTerms {
  readonly terms: readonly AskedTerm[];
  readonly #concepts: readonly AskedConcept[];

  /** @param concepts as `scoredConcepts` gives them. */
  constructor(concepts: readonly AskedConcept[]) {
    this.#concepts = concepts;
    this.terms = distinct(byGain(concepts.flatMap(({ terms }) => terms)));
  }

  /** How many of the terms to try first, for so many best of a longer list; all of them when that would spare too little. */
  first(best: number, limit: number): number {
    const ofBest = this.#countFor(best);
    const gain = this.terms[ofBest - 1]?.gain ?? 0;
    // As if the last of the best had that term in its name, and nothing else.
    const expected = gain * MOST_RANK * (1 + MATCHED_SHARE / this.#concepts.length);
    const count = this.enough(Math.max(ofBest, this.#countFor(limit)), expected);
    const isWorthIt = documentsOf(this.terms.slice(0, count)) <= documentsOf(this.terms) * WORTH_IT;
    return isWorthIt ? count : this.terms.length;
  }

  /** How many of the terms, and at least so many, every tool has one of that scores as much. */
  enough(least: number, score: number): number {
    let count = Math.min(least, this.terms.length);
    while (count < this.terms.length && this.mostWithout(count) >= score) count++;
    return count;
  }

  /** What a tool scores at most that has none of the first terms. */
  mostWithout(count: number): number {
    const first = new Set(this.terms.slice(0, count).map(({ term }) => term));
    const gains = this.#concepts.flatMap(
      ({ terms }) => terms.find(({ term }) => !first.has(term))?.gain ?? [],
    );
    const sum = gains.reduce((total, gain) => total + gain * MOST_RANK, 0);
    return sum * (1 + (MATCHED_SHARE * gains.length) / this.#concepts.length);
  }

  /** How many of the terms as many tools have. */
  #countFor(tools: number): number {
    let count = 1;
    while (count < this.terms.length && documentsOf(this.terms.slice(0, count)) < tools) count++;
    return count;
  }
}

function byGain(terms: readonly AskedTerm[]): readonly AskedTerm[] {
  return terms.toSorted((left, right) => right.gain - left.gain);
}

/** Each term once, as it stands first. */
function distinct(terms: readonly AskedTerm[]): readonly AskedTerm[] {
  const seen = new Set<string>();
  return terms.filter(({ term }) => !seen.has(term) && seen.add(term));
}

function documentsOf(terms: readonly AskedTerm[]): number {
  return terms.reduce((sum, { documents }) => sum + documents, 0);
}
