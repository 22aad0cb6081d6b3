/** Bytes that everything that takes from it may hold together. */
export class ByteBudget {
  #left: number;

  constructor(limitBytes: number) {
    this.#left = limitBytes;
  }

  /** Takes so many bytes; gives false, and takes none, when they are not there. */
  take(bytes: number): boolean {
    if (bytes > this.#left) return false;
    this.#left -= bytes;
    return true;
  }

  /** Gives back bytes that were taken. */
  give(bytes: number): void {
    this.#left += bytes;
  }
}
