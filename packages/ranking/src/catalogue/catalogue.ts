import type { Tool } from '@winnow/contract';
import { NameIndex } from '../names/name-index.ts';
import { NameTable, type PackedNames } from '../names/name-table.ts';
import type { ComparePositions, PackedIndex, Ranker, RankerIndex } from '../ranker.ts';
import { DocumentTable, type PackedDocumentTable } from '../tools/document-table.ts';
import { toDocument } from '../tools/to-document.ts';
import type { ToolDocument } from '../tools/tool-document.ts';

/**
 * Tools, ready to be searched.
 *
 * Contract: immutable but for the name index, which is built at the first search; safe for concurrent searches; holds copies of the
 * tools' texts, not the tools.
 */
export interface Catalogue {
  /** Number of tools. */
  readonly size: number;
  /** Memory held, in bytes, roughly. */
  readonly bytes: number;
  readonly table: DocumentTable;
  readonly index: RankerIndex;
  readonly names: NameIndex;
  /** Positions are below this. The table and the names may go on behind it. */
  readonly positions: number;
  /**
   * By position: 1 where the table and the names hold a tool that this catalogue does not have. Undefined when there is none. To be read at once:
   * after a pause it may say something else.
   */
  readonly absent?: Uint8Array | undefined;
  /** Puts positions in the order of the catalogue. Undefined when they are in order. */
  readonly compare?: ComparePositions;
  /** By place: the tool's position. Undefined when positions are in order. */
  readonly order?: Uint32Array;
}

/** A catalogue as plain data, for another thread. */
export interface PackedCatalogue {
  readonly table: PackedDocumentTable;
  readonly index: PackedIndex;
  readonly names: PackedNames;
}

/** A catalogue of tools, indexed by a ranker. Takes tens of microseconds per tool, in one go: build large ones beside the main thread. */
export function buildCatalogue(tools: readonly Tool[], ranker: Ranker): Catalogue {
  return buildCatalogueOf(tools.map(toDocument), ranker);
}

/** The same, of documents. */
export function buildCatalogueOf(documents: readonly ToolDocument[], ranker: Ranker): Catalogue {
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

/**
 * A catalogue as data, with the buffers that `postMessage` may move instead of copying; the catalogue is of no use afterwards.
 * Undefined when the ranker's indexes cannot be packed.
 */
export function packCatalogue(
  catalogue: Catalogue,
): { packed: PackedCatalogue; transfer: ArrayBuffer[] } | undefined {
  const index = catalogue.index.pack?.();
  if (index === undefined) return undefined;
  const packed = { table: catalogue.table.pack(), index, names: catalogue.names.pack() };
  return {
    packed,
    transfer: [...new Set(buffersOf(packed))],
  };
}

/**
 * The catalogue that was packed, ready for its first search. Makes some dozen objects, however many tools there are.
 *
 * @param ranker the one that it was built with.
 * @throws TypeError when that ranker cannot unpack: `packCatalogue` gave nothing for it.
 */
export function unpackCatalogue(packed: PackedCatalogue, ranker: Ranker): Catalogue {
  if (ranker.unpack === undefined)
    throw new TypeError(`the indexes of ranker "${ranker.name}" cannot be unpacked`);
  return catalogueOf({
    table: new DocumentTable(packed.table),
    index: ranker.unpack(packed.index),
    names: new NameIndex(new NameTable(packed.names)),
  });
}

/** The names are not indexed with the rest, as a catalogue may be built ahead of any search. */
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

/** What the name index holds per tool, roughly: its name of some 30 characters twice, and some numbers. Measured. */
const NAME_BYTES = 100;

/** A catalogue of these parts, whose table ends with its last position. */
export function catalogueOf(
  parts: Pick<Catalogue, 'table' | 'index' | 'names' | 'compare' | 'order'>,
): Catalogue {
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

/** Those that lie in plain data, however deep. */
function buffersOf(data: unknown): ArrayBuffer[] {
  if (ArrayBuffer.isView(data)) return data.buffer instanceof ArrayBuffer ? [data.buffer] : [];
  return typeof data === 'object' && data !== null ? Object.values(data).flatMap(buffersOf) : [];
}
