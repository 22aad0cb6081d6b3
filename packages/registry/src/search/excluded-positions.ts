import type { LiveSnapshot } from '@winnow/ranking';

/** Most cached filters. */
const MAX_FILTERS = 64;

interface Known {
  /** By position: 1 for a tool that the filter leaves out. Has room to grow. */
  excluded: Uint8Array;
  /** Positions below are decided. */
  decided: number;
}

/**
 * The positions that filters exclude.
 *
 * A tool keeps its position until it changes, and then gets a new one after all others. So a cached filter only checks
 * tools added since its last use. A repacked table starts over.
 */
export class ExcludedPositions {
  readonly #byTable = new WeakMap<object, Map<string, Known>>();

  /** Returns the excluded positions for `findTools`. @param filterKey A key that is equal for equal filters. */
  of(snapshot: LiveSnapshot, filterKey: string, isAllowed: (id: string) => boolean): Uint8Array {
    const { table, positions, absent } = snapshot.catalogue;
    const filters = this.#byTable.get(table) ?? new Map<string, Known>();
    this.#byTable.set(table, filters);
    const known = filters.get(filterKey) ?? { excluded: new Uint8Array(positions), decided: 0 };
    if (known.excluded.length < positions) known.excluded = grown(known.excluded, positions);
    for (let position = known.decided; position < positions; position++) {
      // The catalogue itself excludes removed tools, whose ids may now belong to others.
      const isOut = absent?.[position] !== 1 && !isAllowed(snapshot.keyAt(position));
      known.excluded[position] = isOut ? 1 : 0;
    }
    known.decided = Math.max(known.decided, positions);
    // Moved to the end, so that the least recently used filter is evicted first.
    filters.delete(filterKey);
    filters.set(filterKey, known);
    if (filters.size > MAX_FILTERS) filters.delete(filters.keys().next().value!);
    return known.excluded;
  }
}

function grown(array: Uint8Array, least: number): Uint8Array {
  const larger = new Uint8Array(Math.ceil(least * 1.25));
  larger.set(array);
  return larger;
}
