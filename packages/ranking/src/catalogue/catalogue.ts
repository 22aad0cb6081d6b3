import type { Tool } from '@winnow/core';
import { NameIndex } from '../names/name-index.ts';
import type { ComparePositions, IndexChange, Pause, Ranker, RankerIndex } from '../ranker.ts';
import { bm25 } from '../rankers/bm25.ts';
import { DocumentTable } from '../tools/document-table.ts';
import { toDocument } from '../tools/to-document.ts';
import type { ToolDocument } from '../tools/tool-document.ts';

/**
 * Searchable tools.
 *
 * Contract: immutable except for the name index, which is built at the first search; safe for concurrent
 * searches; contains copies of the tools' texts, not the tools.
 */
export interface Catalogue {
  /** Number of tools. */
  readonly size: number;
  /** Approximate memory held, in bytes. */
  readonly bytes: number;
  readonly table: DocumentTable;
  readonly index: RankerIndex;
  readonly names: NameIndex;
  /** Upper bound of positions. The table and the names may contain further ones. */
  readonly positions: number;
  /**
   * By position: 1 if the table and the names contain a tool that this catalogue lacks. Undefined if there is
   * none. Read it immediately: it may change during a pause.
   */
  readonly absent?: Uint8Array | undefined;
  /** Compares positions by the order of the catalogue. Undefined if they are in order. */
  readonly compare?: ComparePositions;
}

/**
 * Builds a catalogue of tools, indexed by a ranker. Takes tens of microseconds per tool without a pause:
 * build large ones off the main thread.
 */
export function buildCatalogue(tools: readonly Tool[], ranker: Ranker = bm25): Catalogue {
  return buildCatalogueOf(tools.map(toDocument), ranker);
}

/** Builds a catalogue of documents. */
export function buildCatalogueOf(documents: readonly ToolDocument[], ranker: Ranker = bm25): Catalogue {
  const table = DocumentTable.of(documents);
  const aliases = documents.flatMap(({ aliases = [] }, position) =>
    aliases.map((alias) => ({ alias, position })),
  );
  return withNamesLater(table, ranker.build(documents), () => {
    const names = new NameIndex(namesOf(table));
    for (const { alias, position } of aliases) names.add(alias, position);
    return names;
  });
}

/** Defers the name index, because a catalogue may be built ahead of any search. */
function withNamesLater(table: DocumentTable, index: RankerIndex, nameAll: () => NameIndex): Catalogue {
  let names: NameIndex | undefined;
  return {
    size: table.size,
    positions: table.size,
    bytes: table.bytes + index.bytes + table.size * NAME_BYTES,
    table,
    index,
    get names() {
      names ??= nameAll();
      return names;
    },
  };
}

/**
 * Approximate memory of the name index per tool: a name of some 30 characters twice, and some numbers.
 * Measured.
 */
const NAME_BYTES = 100;

/** Returns a catalogue of these parts, whose table ends with its last position. */
export function catalogueOf(parts: Pick<Catalogue, 'table' | 'index' | 'names' | 'compare'>): Catalogue {
  const { table, index, names } = parts;
  const bytes = table.bytes + index.bytes + names.bytes;
  return {
    ...parts,
    size: index.size,
    positions: table.size,
    bytes,
    get absent() {
      return index.absent;
    },
  };
}

function namesOf(table: DocumentTable): string[] {
  return Array.from({ length: table.size }, (_, position) => table.name(position));
}

/** A change under a key: a document to add or replace, or undefined to remove it. */
export interface LiveChange {
  readonly key: string;
  readonly document: ToolDocument | undefined;
}

/** One immutable state of a live catalogue. Keep it while a search runs. */
export interface LiveSnapshot {
  /**
   * The catalogue for `findTools` or `selectTools`. Equal scores are in the order of the keys' UTF-16 code
   * units.
   */
  readonly catalogue: Catalogue;
  /** Returns the key of the document at a position. Keeping this function does not keep the rest alive. */
  readonly keyAt: (position: number) => string;
  /**
   * Returns `excluded` for a search: all documents whose keys are not allowed. Takes one call per document.
   */
  excluding(isAllowed: (key: string) => boolean): Uint8Array;
}

/**
 * Changing documents under keys, searchable at any moment.
 *
 * A change of k documents takes time in k, whatever the total: it is recorded at once and applied by the next
 * `snapshot`, which all searches share until the next change. Scores equal those of an index built from all
 * documents at once.
 *
 * Contract: synchronous; later changes do not affect a snapshot; documents are retained.
 */
export class LiveCatalogue {
  readonly #pending = new Map<string, ToolDocument | undefined>();
  readonly #ranker: Ranker;
  #catalogue: Catalogue;
  /** By position; only grows, until everything is repacked under a new array. */
  #keys: string[] = [];
  /** Positions of the present documents. */
  readonly #positions = new Map<string, number>();

  /** @param ranker a ranker with revisable indexes. */
  constructor(ranker: Ranker = bm25) {
    this.#ranker = ranker;
    this.#catalogue = buildCatalogueOf([], ranker);
  }

  /** Records changes, in order; the last one per key wins. */
  apply(changes: Iterable<LiveChange>): void {
    for (const { key, document } of changes) this.#pending.set(key, document);
  }

  /** Returns the state after all changes so far. */
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
    if (isWorn(parts.table, this.#positions.size)) this.#packAnew(parts);
    else this.#catalogue = catalogueOf({ ...parts, compare: compareBy(this.#keys) });
  }

  /** Repacks everything; happens rarely, and takes time in all documents. */
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

/** A separate function, because a closure within another one would keep that one's variables alive. */
function compareBy(keys: readonly string[]): ComparePositions {
  return (left, right) => {
    const [leftKey, rightKey] = [keys[left]!, keys[right]!];
    return leftKey < rightKey ? -1 : leftKey > rightKey ? 1 : 0;
  };
}

/** A separate function for the same reason. */
function readerOf(keys: readonly string[]): (position: number) => string {
  return (position) => keys[position]!;
}

type CatalogueParts = Pick<Catalogue, 'table' | 'names' | 'index'>;

/**
 * Returns the parts of a catalogue after documents were removed and added, at the cost of these. New ones get
 * the next positions.
 *
 * @throws TypeError if the ranker's indexes cannot be revised.
 */
function replaceDocuments({ table, names, index }: CatalogueParts, change: IndexChange): CatalogueParts {
  if (index.revisions === undefined) throw new TypeError('the indexes of this ranker cannot be revised');
  const first = index.revisions.nextPosition;
  const revised = index.revisions.revise(change);
  table.append(change.added);
  change.added.forEach((document, at) => {
    for (const name of [document.name, ...(document.aliases ?? [])]) names.add(name, first + at);
  });
  return { table, names, index: revised };
}

/** Whether more than half of the documents were removed since the last repacking. */
function isWorn(table: DocumentTable, size: number): boolean {
  return table.size - size > Math.max(MIN_WORN, size);
}

const MIN_WORN = 256;

/**
 * Returns an independent catalogue of some of the documents, in the given order. Takes as long as adding some
 * thousand documents.
 */
function packAnew({ table, names, index }: CatalogueParts, order: Uint32Array): Catalogue {
  return catalogueOf({
    table: table.copy(order),
    names: names.copy(order),
    index: index.revisions!.compact(order),
  });
}

/** Number of tools to index between two pauses: one to three milliseconds. */
const SLICE = 64;

/**
 * Builds the catalogue of tools in slices, so that other requests have their turns; at once with a ranker whose
 * indexes cannot be revised.
 */
export async function buildInTurns(
  tools: readonly Tool[],
  pause: Pause,
  ranker: Ranker = bm25,
): Promise<Catalogue> {
  const isRevisable = ranker.build([]).revisions !== undefined;
  if (tools.length <= SLICE || !isRevisable) return buildCatalogue(tools, ranker);
  const live = new LiveCatalogue(ranker);
  for (let start = 0; start < tools.length; start += SLICE) {
    if (start > 0) await pause();
    const slice = tools.slice(start, start + SLICE);
    live.apply(slice.map((tool, at) => ({ key: keyOf(start + at), document: toDocument(tool) })));
    live.snapshot();
  }
  return live.snapshot().catalogue;
}

/** Returns the key of a tool: keys order ties, so they are in the order of the tools. */
function keyOf(place: number): string {
  return String(place).padStart(8, '0');
}
