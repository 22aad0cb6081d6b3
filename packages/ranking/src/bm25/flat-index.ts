/** Where in a document a term stands, as bits of `postingFields`. */
export const FIELD_BITS = {
  /** In the name, as one of the words that a query can cover it by. */
  namePart: 1,
  /** In the name otherwise: a stop word, or several parts joined. */
  name: 2,
  /** In the first sentence of the description, as one of the words that a query can cover it by. */
  lead: 4,
  /** Anywhere else in the description. */
  description: 8,
  parameters: 16,
} as const;

/**
 * An inverted index in flat arrays: for each term its postings, one per document that has it, with the term's finished
 * contribution to that document's score. Everything that does not depend on the query is computed when it is built.
 */
export interface FlatIndex {
  readonly documentCount: number;
  readonly terms: readonly string[];
  /** Inverse document frequency of each term: ln(1 + (N − df + 0.5) / (df + 0.5)). */
  readonly idf: Float32Array;
  /** Postings of term t are those from `postingStart[t]` up to `postingStart[t + 1]`, in document order. */
  readonly postingStart: Uint32Array;
  readonly postingDocument: Uint32Array;
  readonly postingScore: Float32Array;
  readonly postingFields: Uint8Array;
  /** Sum of idf over the distinct terms that each document's name and first sentence can be covered by. */
  readonly nameIdf: Float32Array;
  readonly leadIdf: Float32Array;
}

/** Memory of an index, in bytes: its arrays, and about 60 for each term's string and place in a map. */
export function flatIndexBytes(index: FlatIndex): number {
  const arrays = [
    index.idf,
    index.postingStart,
    index.postingDocument,
    index.postingScore,
    index.postingFields,
    index.nameIdf,
    index.leadIdf,
  ];
  return arrays.reduce((sum, array) => sum + array.byteLength, index.terms.length * 60);
}
