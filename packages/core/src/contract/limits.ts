/** Limits of requests to the selector, in bytes or characters as the name says. */
export const LIMITS = {
  /** Largest `top_k`. */
  topK: 1_000,
  /** Most tools in one request or catalogue; a request with more fails with `payload_too_large`. */
  tools: 20_000,
  /**
   * Longest `pattern` that is tried as a regular expression, in UTF-16 code units; a longer one is read as
   * keywords.
   */
  regexPatternChars: 512,
  /** Number of characters of a `pattern` that are read as keywords; the rest is ignored. */
  keywordPatternChars: 16_384,
  /** Most `patterns` of one search. */
  patterns: 16,
  /** Most names that one search can explain. */
  explainedNames: 20,
  /** Most components of a vector; the largest embedding models of 2026 have 4,096. */
  vectorDimensions: 8_192,
  /** Longest `catalog_id`. */
  catalogIdChars: 256,
} as const;

/** Number of names in a response if the request does not set `top_k`. */
export const DEFAULT_TOP_K = 5;
