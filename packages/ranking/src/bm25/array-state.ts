type Numbers = Uint8Array | Uint32Array;

/** Sets one number of a state that is being made. */
export type SetNumber = (place: number, value: number) => void;

/**
 * One state of an array that changes at a few places at a time: the next state costs what changes, not a copy.
 *
 * The newest state has the array. An older one knows what was overwritten since, and gets an array of its own only when somebody reads it.
 * Source: Baker 1991, "Shallow binding makes functional arrays fast".
 *
 * Contract: what a state says never changes. Places behind those that were ever set hold 0.
 */
export class ArrayState<Of extends Numbers> {
  #array: Of | undefined;
  #newer: ArrayState<Of> | undefined;
  /** Where the newer state differs, and what stood there, in turn, as they were written. */
  #overwritten: number[] = [];

  /** The state keeps the array, and its successors change it. */
  constructor(array: Of) {
    this.#array = array;
  }

  /** At least as long as it was asked to be. To be read at once: it is overwritten when the next state is made. */
  get array(): Of {
    this.#array ??= this.#recall();
    return this.#array;
  }

  /** The next state, equal to this one until its setter is called, which nobody may do once it is read. */
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
