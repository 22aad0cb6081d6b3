import type { UsedSearchType } from '@winnow/contract';
import type { LaterHits } from '@winnow/ranking';
import type { SearcherHit } from './searcher.ts';

/** The whole result of one search, over all its pages. */
export interface ResultList {
  readonly hits: readonly SearcherHit[];
  /** The hits behind these, where nobody has asked for them yet. */
  readonly later?: LaterHits<SearcherHit>;
  readonly totalMatches: number;
  readonly searchType: UsedSearchType;
  readonly nearestNamespaces: readonly string[];
}

const MAX_LISTS = 200;
const MAX_BYTES = 8 * 1024 * 1024;
const MAX_AGE_MS = 60_000;

/** What a list takes, a hit of it, and one that is left for later, in bytes; ids are shared with the tools. */
const LIST_BYTES = 400;
const HIT_BYTES = 96;
const LATER_HIT_BYTES = 16;

/**
 * The newest results of searches by version and query: where further pages come from, and equal searches.
 *
 * Bounded in number, bytes and age; the one that was used longest ago goes first.
 */
export class KeptLists {
  readonly #lists = new Map<string, { list: ResultList; bytes: number; until: number }>();
  readonly #now: () => number;
  #bytes = 0;

  /** @param now milliseconds that only ever grow. */
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
    // Behind all others again.
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
