import type { LiveSnapshot } from '@winnow/ranking';

/** Filters whose outcome is remembered. */
const MAX_FILTERS = 64;

interface Known {
  /** By position: 1 for a tool that the filter leaves out. Has room to grow. */
  excluded: Uint8Array;
  /** Positions below are decided. */
  decided: number;
}

/**
 * What filters leave out, by position.
 *
 * A tool keeps its position until it changes, and then gets a new one behind all others: so a filter that was asked before decides on what
 * came since, not on everything again. A table that was packed anew begins anew.
 */
export class ExcludedPositions {
  readonly #byTable = new WeakMap<object, Map<string, Known>>();

  /** For `findTools`. @param filterKey equal for filters that allow the same. */
  of(snapshot: LiveSnapshot, filterKey: string, isAllowed: (id: string) => boolean): Uint8Array {
    const { table, positions, absent } = snapshot.catalogue;
    const filters = this.#byTable.get(table) ?? new Map<string, Known>();
    this.#byTable.set(table, filters);
    const known = filters.get(filterKey) ?? { excluded: new Uint8Array(positions), decided: 0 };
    if (known.excluded.length < positions) known.excluded = grown(known.excluded, positions);
    for (let position = known.decided; position < positions; position++) {
      // What is gone already is left out by the catalogue itself, and whose id it had may be another tool's now.
      const isOut = absent?.[position] !== 1 && !isAllowed(snapshot.keyAt(position));
      known.excluded[position] = isOut ? 1 : 0;
    }
    known.decided = Math.max(known.decided, positions);
    // Behind all others, so that the one that was asked for longest ago goes first.
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
