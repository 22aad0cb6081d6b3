/** Above this many changed ids, one pass over all ids is cheaper than one move for each. */
const MAX_INSERTED_SINGLY = 32;

/**
 * Ids in order of their code units.
 *
 * A change of a few ids costs one search and one memory move each; a change of many costs one pass over all ids.
 */
export class SortedIds {
  #ids: string[] = [];

  get size(): number {
    return this.#ids.length;
  }

  /** All ids; read-only, not a copy. */
  get all(): readonly string[] {
    return this.#ids;
  }

  /** Adds missing ids and removes present ones. */
  change(added: readonly string[], removed: readonly string[]): void {
    if (added.length + removed.length <= MAX_INSERTED_SINGLY) {
      for (const id of removed) this.#ids.splice(this.placeOf(id), 1);
      for (const id of added) this.#ids.splice(this.placeOf(id), 0, id);
      return;
    }
    const gone = new Set(removed);
    this.#ids = merge(
      this.#ids.filter((id) => !gone.has(id)),
      added.toSorted(),
    );
  }

  /** Returns the number of ids before this one, whether it is present or not. */
  placeOf(id: string): number {
    let [low, high] = [0, this.#ids.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#ids[middle]! < id) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Returns the place of the first id after this one. */
  placeAfter(id: string): number {
    const place = this.placeOf(id);
    return this.#ids[place] === id ? place + 1 : place;
  }
}

function merge(left: readonly string[], right: readonly string[]): string[] {
  const merged: string[] = [];
  let at = 0;
  for (const id of left) {
    while (at < right.length && right[at]! < id) merged.push(right[at++]!);
    merged.push(id);
  }
  return merged.concat(right.slice(at));
}
