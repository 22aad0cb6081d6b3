import { FIELD_WEIGHTS } from '../tools/tool-document.ts';

/** A weight for every field. */
export type FieldWeights = Readonly<typeof FIELD_WEIGHTS>;

/** Every number of the ranker. Chosen on the training sets of the retrieval bench; see docs/decisions. */
export interface Bm25Parameters {
  /** How fast repeated words stop counting. Sensible range 0.4 to 2. */
  readonly k1: number;
  /** How much a long tool is held against it: 0 not at all, 1 fully. */
  readonly b: number;
  /** How much one occurrence of a word counts, by where it stands. */
  readonly fieldWeights: FieldWeights;
  /** A score is multiplied by 1 + this × the share of the query's words that matched. */
  readonly matchedShare: number;
  /** Added for a fully covered name, as a share of the query's best score. */
  readonly nameCover: number;
  /** Added for a fully covered first sentence, as a share of the query's best score. */
  readonly leadCover: number;
  /** Keeps short first sentences from being covered by one word; in units of the rarest word's weight. */
  readonly leadCoverPrior: number;
  /** Added for the best-fitting sentence of a query of several, as a share of that sentence's own score. */
  readonly bestClause: number;
  /** Weight of a synonym beside the word itself. */
  readonly synonym: number;
  /** Weight of what a thing is a kind of: "currency" for "dollar". */
  readonly kind: number;
  /** Weight of a short form for its long one, and the other way round: "repo", "repository". */
  readonly abbreviation: number;
  /** Of what stands for one word of a query, the best counts in full, and the rest this much. */
  readonly furtherTerm: number;
  /** Weight of what is read as a compound: "web page" for "webpage", and the other way round. */
  readonly compound: number;
  /** Weight of the nearest known words for a word that no tool has. */
  readonly correction: number;
  /** Weight of words that nearly every request has (WEAK_WORDS). */
  readonly weakWord: number;
}

export const BM25_DEFAULTS: Bm25Parameters = {
  k1: 0.9,
  b: 0.75,
  fieldWeights: FIELD_WEIGHTS,
  matchedShare: 2,
  nameCover: 0.4,
  leadCover: 0.3,
  leadCoverPrior: 0.5,
  bestClause: 0.6,
  synonym: 0.25,
  kind: 0.5,
  abbreviation: 0.7,
  furtherTerm: 0.3,
  compound: 0.7,
  correction: 0.7,
  weakWord: 0.4,
};
