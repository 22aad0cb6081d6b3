import type { IndexChange } from '../ranker.ts';
import type { DocumentTable } from '../tools/document-table.ts';
import type { ToolDocument } from '../tools/tool-document.ts';
import { type Catalogue, catalogueOf } from './catalogue.ts';

/**
 * Returns a catalogue of documents from another one and new ones, in the given order; numbers are places in
 * `base`, each at most once.
 *
 * Takes time in the new documents, and a little for the others. Searches give the same results as in a
 * catalogue built from the same documents, to the last digit of a score; only positions differ, so results
 * must be identified by place or name. `base` is unchanged and shares its memory with the revision.
 *
 * Undefined if the ranker's indexes cannot be revised, or if so much has changed since the last full build
 * that building again is cheaper.
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

/** Revises by positions: new documents count up from the index's `nextPosition`. */
function revise(base: Catalogue, order: Uint32Array, added: readonly ToolDocument[]): Catalogue {
  const end = base.index.revisions!.nextPosition + added.length;
  const places = new Uint32Array(end).fill(GONE);
  for (let place = 0; place < order.length; place += 1) places[order[place]!] = place;
  const removed: number[] = [];
  for (let position = 0; position < end; position += 1) if (places[position] === GONE) removed.push(position);
  const revised = replaceDocuments(base, { removed, added });
  const compare = (left: number, right: number) => places[left]! - places[right]!;
  return catalogueOf({ ...revised, compare, order });
}

const GONE = 2 ** 32 - 1;

export type CatalogueParts = Pick<Catalogue, 'table' | 'names' | 'index'>;

/**
 * Returns the parts of a catalogue after documents were removed and added, at the cost of these. New ones get
 * the next positions.
 *
 * @throws TypeError if the ranker's indexes cannot be revised.
 */
export function replaceDocuments(
  { table, names, index }: CatalogueParts,
  change: IndexChange,
): CatalogueParts {
  if (index.revisions === undefined) throw new TypeError('the indexes of this ranker cannot be revised');
  const first = index.revisions.nextPosition;
  const revised = index.revisions.revise(change);
  table.append(change.added);
  change.added.forEach((document, at) => {
    for (const name of [document.name, ...(document.aliases ?? [])]) names.add(name, first + at);
  });
  return { table, names, index: revised };
}

/**
 * Whether a quarter will have been added since the last full build, or half removed.
 *
 * @param share the share of documents that may have been added, a quarter by default.
 */
export function isWorn(table: DocumentTable, added: number, size: number, share = 1 / 4): boolean {
  const tail = table.size - table.packedSize + added;
  return tail > Math.max(MIN_WORN, size * share) || table.size + added - size > Math.max(MIN_WORN, size);
}

const MIN_WORN = 256;

/**
 * Returns an independent catalogue of some of the documents, in the given order. Takes as long as adding some
 * thousand documents.
 */
export function packAnew({ table, names, index }: CatalogueParts, order: Uint32Array): Catalogue {
  return catalogueOf({
    table: table.copy(order),
    names: names.copy(order),
    index: index.revisions!.compact(order),
  });
}
