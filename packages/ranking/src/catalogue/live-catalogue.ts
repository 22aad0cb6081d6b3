import type { ComparePositions, Ranker } from '../ranker.ts';
import { bm25 } from '../rankers/bm25.ts';
import type { ToolDocument } from '../tools/tool-document.ts';
import { buildCatalogueOf, type Catalogue, catalogueOf } from './catalogue.ts';
import { type CatalogueParts, isWorn, packAnew, replaceDocuments } from './revise-catalogue.ts';

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
    const keys = added.map(([key]) => key);
    if (this.#positions.size === 0) this.#begin(keys, documents);
    else
      this.#revise(
        changes.map(([key]) => key),
        keys,
        documents,
      );
  }

  #begin(keys: string[], documents: readonly ToolDocument[]): void {
    this.#catalogue = buildCatalogueOf(documents, this.#ranker);
    this.#number(keys);
  }

  #revise(changed: readonly string[], added: readonly string[], documents: readonly ToolDocument[]): void {
    const removed = changed.flatMap((key) => this.#positions.get(key) ?? []);
    for (const key of changed) this.#positions.delete(key);
    for (const key of added) this.#positions.set(key, this.#keys.push(key) - 1);
    const parts = replaceDocuments(this.#catalogue, { removed, added: documents });
    // Where many come, more will: each time that all are packed anew costs as much as all.
    const share = changed.length < MANY ? 1 / 4 : 1 / 2;
    if (isWorn(parts.table, 0, this.#positions.size, share)) this.#packAnew(parts);
    else this.#catalogue = catalogueOf({ ...parts, compare: compareBy(this.#keys) });
  }

  /** Now and then, at the cost of some thousand documents. */
  #packAnew(parts: CatalogueParts): void {
    const sorted = [...this.#positions].sort(([left], [right]) => (left < right ? -1 : 1));
    this.#catalogue = packAnew(
      parts,
      Uint32Array.from(sorted, ([, position]) => position),
    );
    this.#number(sorted.map(([key]) => key));
  }

  #number(keys: string[]): void {
    this.#keys = keys;
    this.#positions.clear();
    for (const [position, key] of keys.entries()) this.#positions.set(key, position);
  }
}

/** Changes at once that are part of something large. */
const MANY = 64;

/** Apart from other functions, whose surroundings it would keep alive with its own. */
function compareBy(keys: readonly string[]): ComparePositions {
  return (left, right) => {
    const [leftKey, rightKey] = [keys[left]!, keys[right]!];
    return leftKey < rightKey ? -1 : leftKey > rightKey ? 1 : 0;
  };
}

/** Apart for the same reason. */
function readerOf(keys: readonly string[]): (position: number) => string {
  return (position) => keys[position]!;
}
