import type { ExchangeRecord } from '@winnow/core';
import { readFetchOptions, winnowFetch } from '@winnow/proxy';

export type { ExchangeRecord } from '@winnow/core';

/** A function that works like the global `fetch`. */
export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** Options of Winnow in process. Each but the callback is a setting of the proxy. */
export interface WinnowOptions {
  /** Names of tools that are never held back, or globs such as `mcp__github__*`; default none. */
  readonly alwaysKeep?: readonly string[];
  /**
   * `balanced`, the default, leaves agents alone whose bill deferring would raise by more than 5 %; `cost` also those
   * whose bill it would not lower by 5 %; `context` none.
   */
  readonly goal?: 'balanced' | 'cost' | 'context';
  /** The way in which found tools become callable; by default, known facts about provider and model decide. */
  readonly load?: 'auto' | 'native' | 'bridge' | 'swap';
  /** Maximum number of tools that a search finds; default 5. */
  readonly maxSearchResults?: number;
  /** Maximum number of tools shown from the start because they fit the user's first message; default 5. */
  readonly preload?: number;
  /** Receives the record of each request to a model when it is over. Its errors are logged. */
  readonly onRecord?: (record: ExchangeRecord) => void;
}

/**
 * Returns a function that works like `fetch`, and shows models only the tools that they need.
 *
 * ```ts
 * const client = new OpenAI({ fetch: winnow(fetch) });
 * ```
 *
 * Requests to models are found by their path; all other calls go to `fetch` as they are, and so do requests
 * that are signed for AWS. Create one function per process and share it: it remembers conversations, in
 * memory and within bounds. Safe for concurrent calls.
 *
 * @throws TypeError for an unknown option or a wrong value.
 */
export function winnow(fetch: Fetch, { onRecord, ...options }: WinnowOptions = {}): Fetch {
  return winnowFetch(fetch, { ...readFetchOptions(options), onRecord });
}
