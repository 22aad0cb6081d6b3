import type { UsedSearchType } from '@winnow/core';
import type { Certainty, LaterHits } from '@winnow/ranking';
import type { SearcherHit, TextResult } from './searcher.ts';

/** The whole result of one search, over all its pages. */
export interface ResultList {
  readonly hits: readonly SearcherHit[];
  /** The hits after these, when they have not been requested yet. */
  readonly later?: LaterHits<SearcherHit>;
  readonly totalMatches: number;
  readonly searchType: UsedSearchType;
  readonly certainty: Certainty;
  readonly unknownWords: readonly string[];
  readonly nearestNamespaces: readonly string[];
  readonly byText?: readonly TextResult[];
}

const MAX_LISTS = 200;
const MAX_BYTES = 8 * 1024 * 1024;
const MAX_AGE_MS = 60_000;

/** Memory of a list, of a hit and of a later hit, in bytes; ids are shared with the tools. */
const LIST_BYTES = 400;
const HIT_BYTES = 96;
const LATER_HIT_BYTES = 16;

/**
 * Recent search results by version and query, for further pages and for equal searches.
 *
 * Bounded in number, bytes and age; evicts the least recently used one first.
 */
export class KeptLists {
  readonly #lists = new Map<string, { list: ResultList; bytes: number; until: number }>();
  readonly #now: () => number;
  #bytes = 0;

  /** @param now Milliseconds of a monotonic clock. */
  constructor(now: () => number) {
    this.#now = now;
  }

  get size(): number {
    return this.#lists.size;
  }

  get(version: number, key: string): ResultList | undefined {
    const name = `${version} ${key}`;
    const kept = this.#lists.get(name);
    if (kept === undefined) return undefined;
    if (kept.until <= this.#now()) {
      this.#drop(name);
      return undefined;
    }
    // Moved to the end: most recently used.
    this.#lists.delete(name);
    this.#lists.set(name, kept);
    return kept.list;
  }

  put(version: number, key: string, list: ResultList): void {
    const name = `${version} ${key}`;
    this.#drop(name);
    const bytes = LIST_BYTES + list.hits.length * HIT_BYTES + (list.later?.count ?? 0) * LATER_HIT_BYTES;
    this.#lists.set(name, { list, bytes, until: this.#now() + MAX_AGE_MS });
    this.#bytes += bytes;
    for (const oldest of this.#lists.keys()) {
      if (this.#lists.size <= MAX_LISTS && this.#bytes <= MAX_BYTES) return;
      this.#drop(oldest);
    }
  }

  #drop(name: string): void {
    this.#bytes -= this.#lists.get(name)?.bytes ?? 0;
    this.#lists.delete(name);
  }
}
