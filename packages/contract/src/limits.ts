/** What the selector accepts at most. Sizes are in bytes or characters as the name says. */
export const LIMITS = {
  /** Largest `top_k`. */
  topK: 1_000,
  /** Most tools in one request or catalogue; more is `payload_too_large`. */
  tools: 20_000,
  /** Longest `pattern` that is tried as a regular expression, in UTF-16 code units; a longer one is keywords. */
  regexPatternChars: 512,
  /** How much of a `pattern` is read as keywords; what stands behind it is not looked at. */
  keywordPatternChars: 16_384,
  /** Most names that one search explains. */
  explainedNames: 20,
  /** Most numbers of a vector; the largest embedding models of today have 4,096. */
  vectorDimensions: 8_192,
  /** Longest `catalog_id`. */
  catalogIdChars: 256,
} as const;

/** How many names a response holds when the request does not say. */
export const DEFAULT_TOP_K = 5;
