/** Limits of a registry. Each name gives the unit: bytes or characters. */
export const REGISTRY_LIMITS = {
  /** Most tools of one scope: the largest number that was measured. */
  tools: 200_000,
  /** Most tools in one change. */
  batchTools: 1_000,
  /** Most backends of one tool. */
  backends: 32,
  /** Longest name of a tool. */
  nameChars: 128,
  /** Longest name of a namespace. */
  namespaceChars: 64,
  /** Largest definition, as JSON in UTF-8. */
  definitionBytes: 256 * 1024,
  /** Deepest nesting of a definition, counting the definition itself. */
  definitionDepth: 64,
  /** Longest version of a tool, and longest field of a backend. */
  fieldChars: 256,
  tags: 20,
  tagChars: 64,
  /** Most problems that one refusal lists. */
  problems: 100,
  /** Most examples of one tool. */
  examples: 5,
  /** Largest example, as JSON in UTF-8. */
  exampleBytes: 8 * 1024,
  /** Most examples that a tool's details show. */
  shownExamples: 3,
  /** Most tools in one expansion. */
  expansion: 50,
  /** Most rows of one page, and the default. */
  pageSize: 100,
  defaultPageSize: 10,
  /** Most results of one search, over all its pages. */
  searchResults: 1_000,
} as const;

/** The limits that an operator may set. */
export interface RegistryLimits {
  readonly tools: number;
}
