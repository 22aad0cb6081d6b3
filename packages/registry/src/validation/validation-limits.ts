/** How much validating looks at. */
export const VALIDATION_LIMITS = {
  /** Largest value, as JSON in UTF-8. */
  maxBytes: 64 * 1024,
  /** Deepest nesting of a value. */
  maxDepth: 32,
  /** Schemas applied to values, those reached again included. */
  maxVisits: 10_000,
  /** Work beside visits, in characters compared and members gone through: some tenths of a second. */
  maxCost: 4_000_000,
  /** Schemas applied inside one another; references without a value between them end here. */
  maxNesting: 256,
  /** Most errors that are listed. */
  maxErrors: 20,
} as const;
