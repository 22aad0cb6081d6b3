/**
 * Numbers by hash, for tables that store their keys elsewhere: open addressing with linear probing. To find a
 * key, probe up to `MAX_PROBES` slots and compare the keys of those with its hash.
 *
 * Each slot holds the hash, and the number plus 1, or 0. The number of slots is a power of two, at most half
 * of them used.
 */
export class HashSlots {
  #slots = new Int32Array(1 << 15);
  #used = 0;

  first(hash: number): number {
    return (spread(hash) * 2) & (this.#slots.length - 1);
  }

  next(slot: number): number {
    return (slot + 2) & (this.#slots.length - 1);
  }

  hashAt(slot: number): number {
    return this.#slots[slot]!;
  }

  /** Returns the number at a slot; negative if it is free. */
  numberAt(slot: number): number {
    return this.#slots[slot + 1]! - 1;
  }

  /** Stores a number in the first free slot for its hash. */
  add(hash: number, number: number): void {
    if (++this.#used * 4 > this.#slots.length) this.#grow();
    this.#put(hash, number);
  }

  #put(hash: number, number: number): void {
    let slot = this.first(hash);
    // A key beyond MAX_PROBES is added once more, which changes no result.
    while (this.numberAt(slot) >= 0) slot = this.next(slot);
    this.#slots[slot] = hash;
    this.#slots[slot + 1] = number + 1;
  }

  #grow(): void {
    const old = this.#slots;
    this.#slots = new Int32Array(old.length * 2);
    for (let slot = 0; slot < old.length; slot += 2)
      if (old[slot + 1] !== 0) this.#put(old[slot]!, old[slot + 1]! - 1);
  }
}

/** Far more than half-full tables need, except with keys constructed to collide. */
export const MAX_PROBES = 64;

/** Spreads the hash of a short text, whose entropy is in the low bits. */
function spread(hash: number): number {
  return Math.imul(hash, 0x9e3779b1) >>> 12;
}
