/** A limit on the bytes that several holders may hold together. */
export class ByteBudget {
  #left: number;

  constructor(limitBytes: number) {
    this.#left = limitBytes;
  }

  /** Takes a number of bytes; returns false, and takes none, when too few are left. */
  take(bytes: number): boolean {
    if (bytes > this.#left) return false;
    this.#left -= bytes;
    return true;
  }

  /** Returns taken bytes to the budget. */
  give(bytes: number): void {
    this.#left += bytes;
  }
}
