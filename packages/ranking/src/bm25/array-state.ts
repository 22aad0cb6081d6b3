type Numbers = Uint8Array | Uint32Array;

/** Sets one number of a state under construction. */
export type SetNumber = (place: number, value: number) => void;

/**
 * One state of an array with small changes: deriving the next state costs the changes, not a copy.
 *
 * The newest state holds the array. An older one holds the values overwritten since, and copies the array
 * when it is read. Source: Baker 1991, "Shallow binding makes functional arrays fast".
 *
 * Contract: a state never changes. Places that were never set hold 0.
 */
export class ArrayState<Of extends Numbers> {
  #array: Of | undefined;
  #newer: ArrayState<Of> | undefined;
  /** Places that differ in the newer state, each followed by its old value, in order of writing. */
  #overwritten: number[] = [];

  /** Takes over the array; successors modify it. */
  constructor(array: Of) {
    this.#array = array;
  }

  /** The array, at least as long as requested. Read it immediately: making the next state overwrites it. */
  get array(): Of {
    this.#array ??= this.#recall();
    return this.#array;
  }

  /**
   * Returns the next state, equal to this one until its setter is called. Do not call the setter after the
   * state is read.
   */
  next(length: number): readonly [ArrayState<Of>, SetNumber] {
    const array = withRoom(this.array, length);
    const newer = new ArrayState(array);
    const overwritten: number[] = [];
    this.#array = undefined;
    this.#newer = newer;
    this.#overwritten = overwritten;
    return [
      newer,
      (place, value) => {
        overwritten.push(place, array[place]!);
        array[place] = value;
      },
    ];
  }

  #recall(): Of {
    const outdated: ArrayState<Of>[] = [];
    let state: ArrayState<Of> = this;
    for (; state.#array === undefined; state = state.#newer!) outdated.push(state);
    const array = state.#array.slice() as Of;
    for (const older of outdated.reverse()) {
      const overwritten = older.#overwritten;
      for (let at = overwritten.length - 2; at >= 0; at -= 2) array[overwritten[at]!] = overwritten[at + 1]!;
    }
    this.#newer = undefined;
    this.#overwritten = [];
    return array;
  }
}

function withRoom<Of extends Numbers>(array: Of, length: number): Of {
  if (length <= array.length) return array;
  const larger = new (array.constructor as new (length: number) => Of)(length + (length >> 2));
  larger.set(array);
  return larger;
}
