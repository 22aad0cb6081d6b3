import type { Tool } from '@winnow/core';
import { NameIndex } from '../names/name-index.ts';
import type { ComparePositions, Ranker, RankerIndex } from '../ranker.ts';
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
