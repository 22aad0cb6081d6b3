import { TextTable } from '../text/text-table.ts';
import type { TermTexts } from './term-table.ts';

/** The fields of a document that contain a term, as bits of a posting. */
export const FIELD_BITS = {
  /** In the name, as one of the words that a query can cover. */
  namePart: 1,
  /** Elsewhere in the name (a stop word, a generic ending, or several joined parts), or in the namespace. */
  name: 2,
  /** In the first sentence of the description, as one of the words that a query can cover. */
  lead: 4,
  /** Elsewhere in the description, in the title or in a tag. */
  description: 8,
  parameters: 16,
} as const;

/** Bits to shift in a posting: `weight << FIELD_SHIFT | FIELD_BITS`. */
export const FIELD_SHIFT = 5;
export const FIELD_MASK = (1 << FIELD_SHIFT) - 1;

/**
 * Units per occurrence of a word at weight 1, for weights and lengths. As integers, their sums are exact in
 * every order of changes.
 */
export const WEIGHT_UNITS = 100;
/** Maximum weight of one term in one document, far above what DOCUMENT_LIMITS allow. */
export const MAX_WEIGHT = 2 ** 26;

/** Flags in an entry of a document: `term << ENTRY_SHIFT | ENTRY_BITS`. */
export const ENTRY_BITS = { namePart: 1, lead: 2 } as const;
export const ENTRY_SHIFT = 2;

/**
 * Documents as terms, in flat arrays and in both directions: the distinct terms of each document, and the
 * postings of each term. No value depends on other documents, so all stay valid when documents are added or
 * removed.
 */
export interface FlatIndex {
  readonly documentCount: number;
  readonly terms: TermTexts;
  /** Total weight of all words of each document. */
  readonly lengths: Uint32Array;
  /**
   * Entries of document d are those from `entryStart[d]` up to `entryStart[d + 1]`: those with any ENTRY_BITS
   * first, otherwise in order of first occurrence.
   */
  readonly entryStart: Uint32Array;
  readonly entries: Uint32Array;
  /**
   * Postings of term t are those from `postingStart[t]` up to `postingStart[t + 1]`, one per document that
   * contains it.
   */
  readonly postingStart: Uint32Array;
  readonly postingDocument: Uint32Array;
  /** Total weight of a term in the document, and the fields that contain it. */
  readonly postingWeight: Uint32Array;
}

/** Documents as lists of terms: one of the two directions. */
export interface TermLists extends Pick<FlatIndex, 'lengths' | 'entryStart' | 'entries'> {
  readonly entryWeight: Uint32Array;
}

/**
 * Returns the memory of an index, in bytes: its arrays, and its terms, packed or at about 60 bytes each for a
 * string and its place in a map.
 */
export function flatIndexBytes(index: FlatIndex): number {
  const arrays = [
    index.lengths,
    index.entryStart,
    index.entries,
    index.postingStart,
    index.postingDocument,
    index.postingWeight,
  ];
  const { terms } = index;
  const termBytes = terms instanceof TextTable ? terms.bytes : terms.length * 60;
  return arrays.reduce((sum, array) => sum + array.byteLength, termBytes);
}
