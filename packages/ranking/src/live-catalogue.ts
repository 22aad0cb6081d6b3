import { buildCatalogueOf, type Catalogue } from './catalogue.ts';
import type { ToolDocument } from './document.ts';
import type { Ranker } from './ranker.ts';
import { bm25 } from './rankers/bm25.ts';
import { revise } from './revise-catalogue.ts';

/** A document that comes, takes the place of the one with its key, or, when it is undefined, goes. */
export interface LiveChange {
  readonly key: string;
  readonly document: ToolDocument | undefined;
}

/** One state of a live catalogue. Never changes; keep it for as long as a search runs. */
export interface LiveSnapshot {
  /** To be searched with `findTools` or `selectTools`. Equal scores are in the order of the keys' UTF-16 code units. */
  readonly catalogue: Catalogue;
  /** The key of what was found at a position. May be kept without keeping the rest alive. */
  readonly keyAt: (position: number) => string;
  /** For `excluded` of a search: all documents whose keys are not allowed. Costs a call per document. */
  excluding(isAllowed: (key: string) => boolean): Uint8Array;
}

/**
 * Documents that come and go, each under a key, searchable at any moment.
 *
 * A change of k documents costs k documents, whatever their number: it is taken down at once, and read by the next `snapshot`, which all
 * searches share until something changes again. Scores are those of an index that is built of all documents at once.
 *
 * Contract: synchronous; a snapshot is not touched by later changes; documents are kept.
 */
export class LiveCatalogue {
  readonly #pending = new Map<string, ToolDocument | undefined>();
  readonly #ranker: Ranker;
  #catalogue: Catalogue;
  /** By position; only grows, until everything is packed anew and there is another one. */
  #keys: string[] = [];
  /** Of the documents that are there. */
  readonly #positions = new Map<string, number>();
  /** Positions in the order of their keys. */
  #order = new Uint32Array(0);

  /** @param ranker one whose indexes can be revised. */
  constructor(ranker: Ranker = bm25) {
    this.#ranker = ranker;
    this.#catalogue = buildCatalogueOf([], ranker);
  }

  /** Takes changes down, in order; the last one for a key counts. */
  apply(changes: Iterable<LiveChange>): void {
    for (const { key, document } of changes) this.#pending.set(key, document);
  }

  /** The state after all changes so far. */
  snapshot(): LiveSnapshot {
    if (this.#pending.size > 0) this.#readPending();
    const [catalogue, keys] = [this.#catalogue, this.#keys];
    return {
      catalogue,
      keyAt: readerOf(keys),
      excluding: (isAllowed) =>
        Uint8Array.from({ length: catalogue.positions }, (_, position) =>
          isAllowed(keys[position]!) ? 0 : 1,
        ),
    };
  }

  #readPending(): void {
    const changes = [...this.#pending].sort(([left], [right]) => (left < right ? -1 : 1));
    this.#pending.clear();
    const added = changes.filter((change): change is [string, ToolDocument] => change[1] !== undefined);
    const documents = added.map(([, document]) => document);
    if (this.#positions.size === 0)
      this.#begin(
        added.map(([key]) => key),
        documents,
      );
    else
      this.#revise(
        changes.map(([key]) => key),
        added.map(([key]) => key),
        documents,
      );
  }

  #begin(keys: string[], documents: readonly ToolDocument[]): void {
    this.#catalogue = buildCatalogueOf(documents, this.#ranker);
    this.#keys = keys;
    this.#number(Uint32Array.from(keys, (_, position) => position));
  }

  #revise(changed: readonly string[], added: readonly string[], documents: readonly ToolDocument[]): void {
    const places = changed
      .filter((key) => this.#positions.has(key))
      .map((key) => placeOf(key, this.#order, 0, this.#keys));
    for (const key of changed) this.#positions.delete(key);
    const left = without(this.#order, places);
    const first = this.#keys.length;
    this.#keys.push(...added);
    const order = merge(left, first, this.#keys);
    const revised = revise(this.#catalogue, order, documents);
    if (revised.table === this.#catalogue.table) {
      this.#order = order;
      for (const [at, key] of added.entries()) this.#positions.set(key, first + at);
    } else {
      this.#keys = Array.from(order, (position) => this.#keys[position]!);
      this.#number(order.map((_, place) => place));
    }
    this.#catalogue = revised;
  }

  #number(order: Uint32Array<ArrayBuffer>): void {
    this.#order = order;
    this.#positions.clear();
    for (const [position, key] of this.#keys.entries()) this.#positions.set(key, position);
  }
}

/** Apart from other functions, whose surroundings it would keep alive with its own. */
function readerOf(keys: readonly string[]): (position: number) => string {
  return (position) => keys[position]!;
}

/** The positions but for those at some places, which rise. */
function without(positions: Uint32Array, places: readonly number[]): Uint32Array {
  const left = new Uint32Array(positions.length - places.length);
  let from = 0;
  for (const [gone, place] of places.entries()) {
    left.set(positions.subarray(from, place), from - gone);
    from = place + 1;
  }
  left.set(positions.subarray(from), from - places.length);
  return left;
}

/** Positions in the order of their keys: some that are in order, and those from `first` on, which are too. */
function merge(positions: Uint32Array, first: number, keys: readonly string[]): Uint32Array<ArrayBuffer> {
  const merged = new Uint32Array(positions.length + keys.length - first);
  let from = 0;
  for (let added = first; added < keys.length; added += 1) {
    const to = placeOf(keys[added]!, positions, from, keys);
    merged.set(positions.subarray(from, to), from + added - first);
    merged[to + added - first] = added;
    from = to;
  }
  merged.set(positions.subarray(from), from + keys.length - first);
  return merged;
}

/** The first place, from `from` on, at which the key is not above the one that is looked for. */
function placeOf(key: string, positions: Uint32Array, from: number, keys: readonly string[]): number {
  let [low, high] = [from, positions.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (keys[positions[middle]!]! < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
