import { FIELD_WEIGHTS } from '../tools/tool-document.ts';

export type FieldWeights = Readonly<typeof FIELD_WEIGHTS>;

/** All numbers of the ranker. Chosen on the training sets of the retrieval bench; see docs/decisions. */
export interface Bm25Parameters {
  /** Saturation of repeated words. Sensible range 0.4 to 2. */
  readonly k1: number;
  /** Length normalisation: 0 for none, 1 for full. */
  readonly b: number;
  /** Weight of one occurrence of a word, by field. */
  readonly fieldWeights: FieldWeights;
  /**
   * A score is multiplied by 1 + this × the share of the query's words that match; in queries of more than
   * `matchedShareWords`, by less in proportion: half of a long text says less than half of a short one.
   */
  readonly matchedShare: number;
  readonly matchedShareWords: number;
  /** Added for a fully covered name, as a share of the query's best score. */
  readonly nameCover: number;
  /** Added for a fully covered first sentence, as a share of the query's best score. */
  readonly leadCover: number;
  /** Keeps a single word from covering a short first sentence; in units of the rarest word's weight. */
  readonly leadCoverPrior: number;
  /**
   * Added for the best-matching sentence of a query with several, as a share of that sentence's own score.
   */
  readonly bestClause: number;
  /** Weight of a synonym, relative to the word itself. */
  readonly synonym: number;
  /** Weight of a word's category: "currency" for "dollar". */
  readonly kind: number;
  /** Weight of a short form for its long one, and the reverse: "repo", "repository". */
  readonly abbreviation: number;
  /** Weight of all but the best term for a word of the query; the best counts in full. */
  readonly furtherTerm: number;
  /** Weight of a compound's parts: "web page" for "webpage", and the reverse; and of a pair of Chinese characters. */
  readonly compound: number;
  /** Weight of the nearest known words for an unknown word. */
  readonly correction: number;
  /** Weight of words that occur in nearly every request (WEAK_WORDS). */
  readonly weakWord: number;
  /** Added for a document whose words all mean what the query's do, as a share of the query's best score. */
  readonly relatedness: number;
}

export const BM25_DEFAULTS: Bm25Parameters = {
  k1: 0.9,
  b: 0.75,
  fieldWeights: FIELD_WEIGHTS,
  matchedShare: 2,
  matchedShareWords: 12,
  nameCover: 0.5,
  leadCover: 0.3,
  leadCoverPrior: 0.25,
  bestClause: 0.6,
  synonym: 0.25,
  kind: 0.5,
  abbreviation: 0.7,
  furtherTerm: 0.3,
  compound: 0.7,
  correction: 0.7,
  weakWord: 0.4,
  relatedness: 0.5,
};
