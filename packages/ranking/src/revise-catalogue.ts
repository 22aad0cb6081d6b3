import { type Catalogue, catalogueOf } from './catalogue.ts';
import type { ToolDocument } from './document.ts';
import type { DocumentTable } from './document-table.ts';
import type { NameIndex } from './name-index.ts';
import type { RankerIndex } from './ranker.ts';

/**
 * A catalogue that consists of documents of another one and of new ones, in the given order; numbers are places in `base`, each at most once.
 *
 * Costs time in the new documents, and a little for the others. Searches give the same as in one that was built of the same documents, to the last
 * digit of a score; only positions differ, so that what is found is known by its place or name. `base` stays as it is, and
 * shares its memory with the revision.
 *
 * Undefined when the ranker's indexes cannot be revised, or so much differs from what was once built that building anew pays.
 */
export function reviseCatalogue(
  base: Catalogue,
  order: readonly (number | ToolDocument)[],
): Catalogue | undefined {
  const { revisions } = base.index;
  if (revisions === undefined) return undefined;
  const added = order.filter((item) => typeof item !== 'number');
  if (isWorn(base.table, added.length, order.length)) return undefined;
  let next = revisions.nextPosition;
  const positions = Uint32Array.from(order, (item) =>
    typeof item === 'number' ? (base.order?.[item] ?? item) : next++,
  );
  return revise(base, positions, added);
}

/**
 * The same, by positions: those of new documents count up from the `nextPosition` of the index. Packs everything anew when that
 * pays, so that it now and then takes as long as some thousand documents.
 *
 * @throws TypeError when the ranker's indexes cannot be revised.
 */
export function revise(base: Catalogue, order: Uint32Array, added: readonly ToolDocument[]): Catalogue {
  const { table, names, index } = base;
  if (index.revisions === undefined) throw new TypeError('the indexes of this ranker cannot be revised');
  const first = index.revisions.nextPosition;
  const pays = isWorn(table, added.length, order.length);
  const { absent, places } = placesOf(order, first + added.length);
  const removed: number[] = [];
  for (let position = 0; position < first; position += 1) {
    if (absent[position] === 1) removed.push(position);
  }
  const revised = index.revisions.revise({ removed, added });
  table.append(added);
  added.forEach((document, at) => {
    for (const name of [document.name, ...(document.aliases ?? [])]) names.add(name, first + at);
  });
  const parts = { table, names, index: revised };
  return pays ? compact(parts, order) : catalogueOf({ ...parts, absent, places, order });
}

function placesOf(order: Uint32Array, size: number): { absent: Uint8Array; places: Uint32Array } {
  const absent = new Uint8Array(size).fill(1);
  const places = new Uint32Array(size);
  for (let place = 0; place < order.length; place += 1) {
    absent[order[place]!] = 0;
    places[order[place]!] = place;
  }
  return { absent, places };
}

/** Whether a quarter will have been added since everything was packed, or half will be gone. */
function isWorn(table: DocumentTable, added: number, size: number): boolean {
  const tail = table.size - table.packedSize + added;
  return tail > Math.max(MIN_WORN, size / 4) || table.size + added - size > Math.max(MIN_WORN, size);
}

const MIN_WORN = 256;

interface Parts {
  readonly table: DocumentTable;
  readonly names: NameIndex;
  readonly index: RankerIndex;
}

function compact({ table, names, index }: Parts, order: Uint32Array): Catalogue {
  return catalogueOf({
    table: table.copy(order),
    names: names.copy(order),
    index: index.revisions!.compact(order),
  });
}
