import type { SearchFailure, Tool } from '@winnow/contract';

/** Tools that are searched again and again. */
export interface SearchableTools {
  /** Hash over the tools: equal for equal tools, and for no others. */
  readonly id: string;
  /** Each name once. */
  readonly tools: readonly Tool[];
}

/** What a search came to. */
export type SearchOutcome =
  | {
      readonly ok: true;
      /** Names of the tools that were searched, most relevant first, each once. */
      readonly names: readonly string[];
      /** Nothing matched: the names, if any, are there only to be kept. */
      readonly isNoMatch: boolean;
    }
  | { readonly ok: false; readonly reason: SearchFailure };
