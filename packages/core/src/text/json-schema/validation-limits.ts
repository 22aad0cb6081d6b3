export const VALIDATION_LIMITS = {
  /** Largest value, as JSON in UTF-8. */
  maxBytes: 64 * 1024,
  /** Deepest nesting of a value. */
  maxDepth: 32,
  /** Schemas applied to values, counting repeated visits. */
  maxVisits: 10_000,
  /** Work other than visits, in compared characters and iterated members: some tenths of a second. */
  maxCost: 4_000_000,
  /** Nested schemas; ends reference loops that consume no value. */
  maxNesting: 256,
  /** Most reported errors. */
  maxErrors: 20,
} as const;
