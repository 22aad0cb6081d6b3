import type { SearchFailure, Tool } from '@winnow/core';

/** Tools for repeated searches. */
export interface SearchableTools {
  /** Hash of the tools: equal for equal tools only. */
  readonly id: string;
  /** Each name once. */
  readonly tools: readonly Tool[];
  /** The length of each definition, by name; absent if definitions are not loaded. */
  readonly sizes?: ReadonlyMap<string, number>;
}

export type SearchOutcome =
  | {
      readonly ok: true;
      /** Names of the searched tools, most relevant first, each once. */
      readonly names: readonly string[];
      /** For each name, its relevance as a share of the best one's; absent if the selector gives none. */
      readonly scores?: readonly number[];
      /** Whether nothing matched: any names are there only because they are always kept. */
      readonly isNoMatch: boolean;
      /** Set if all matches are so weak that none of them may be what was meant. */
      readonly isWeak?: true;
      /** Words of the query that no tool contains in any form, if the search was weak or found nothing. */
      readonly unknownWords?: readonly string[];
    }
  | { readonly ok: false; readonly reason: SearchFailure };
