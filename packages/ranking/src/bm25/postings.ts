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
