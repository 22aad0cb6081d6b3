import { TextTable } from '../text/text-table.ts';
import type { TermTexts } from './term-table.ts';

/** Where in a document a term stands, as bits of a posting. */
export const FIELD_BITS = {
  /** In the name, as one of the words that a query can cover it by. */
  namePart: 1,
  /** In the name otherwise (a stop word, an ending that says nothing, or several parts joined), or in the namespace. */
  name: 2,
  /** In the first sentence of the description, as one of the words that a query can cover it by. */
  lead: 4,
  /** Anywhere else in the description, in the title or in a tag. */
  description: 8,
  parameters: 16,
} as const;

/** A posting's `weight << FIELD_SHIFT | FIELD_BITS`. */
export const FIELD_SHIFT = 5;
export const FIELD_MASK = (1 << FIELD_SHIFT) - 1;

/**
 * Weights and lengths are counted in these parts of one occurrence of a word at weight 1, as integers: their sums are exact, in whatever
 * order documents come and go.
 */
export const WEIGHT_UNITS = 100;
/** Of one term in one document: far above what DOCUMENT_LIMITS let come together. */
export const MAX_WEIGHT = 2 ** 26;

/** What an entry of a document says beside its term: `term << ENTRY_SHIFT | ENTRY_BITS`. */
export const ENTRY_BITS = { namePart: 1, lead: 2 } as const;
export const ENTRY_SHIFT = 2;

/**
 * Documents as terms, in flat arrays and both ways round: the distinct terms of each document, and the postings of each term.
 * Nothing in it depends on the other documents, so that it stays right when some of them go or others come.
 */
export interface FlatIndex {
  readonly documentCount: number;
  readonly terms: TermTexts;
  /** Sum of the weights of all words of each document. */
  readonly lengths: Uint32Array;
  /**
   * Entries of document d are those from `entryStart[d]` up to `entryStart[d + 1]`: those with any ENTRY_BITS first, and otherwise in the order in
   * which its terms first stand.
   */
  readonly entryStart: Uint32Array;
  readonly entries: Uint32Array;
  /** Postings of term t are those from `postingStart[t]` up to `postingStart[t + 1]`, one for each document that has it. */
  readonly postingStart: Uint32Array;
  readonly postingDocument: Uint32Array;
  /** The weights of a term's occurrences in the document together, and the fields that hold them. */
  readonly postingWeight: Uint32Array;
}

/** Documents as lists of terms: one of the two ways round. */
export interface TermLists extends Pick<FlatIndex, 'lengths' | 'entryStart' | 'entries'> {
  /** Of each entry. */
  readonly entryWeight: Uint32Array;
}

/** Memory of an index, in bytes: its arrays, and its terms, packed or with about 60 for each one's string and place in a map. */
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
