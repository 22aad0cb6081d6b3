import type { SearchFailure, Tool } from '@winnow/contract';

/** Tools for repeated searches. */
export interface SearchableTools {
  /** Hash of the tools: equal for equal tools only. */
  readonly id: string;
  /** Each name once. */
  readonly tools: readonly Tool[];
}

/** The outcome of a search. */
export type SearchOutcome =
  | {
      readonly ok: true;
      /** Names of the searched tools, most relevant first, each once. */
      readonly names: readonly string[];
      /** Whether nothing matched: any names are there only because they are always kept. */
      readonly isNoMatch: boolean;
    }
  | { readonly ok: false; readonly reason: SearchFailure };
