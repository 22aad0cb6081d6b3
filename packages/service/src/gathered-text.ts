/** The most bytes of a UTF-16 code unit in UTF-8. */
const MOST_BYTES_PER_UNIT = 3;

/** Number of buffers that wait to be used again. */
const MOST_SPARE = 4;

/**
 * Gathers texts as bytes of UTF-8, in buffers that are used again: texts and buffers that wait for a write would
 * survive collections of young objects, and bring on a full one several times a second under load.
 */
export class GatheredText {
  readonly #usual: number;
  readonly #spare: Buffer[] = [];
  #bytes: Buffer;
  #length = 0;

  /**
   * `usual` is the size of the buffers in bytes: take the bytes well before, as there must be room for a text of any
   * script. A longer one gets a buffer of its own, which is not used again.
   */
  constructor(usual: number) {
    this.#usual = usual;
    this.#bytes = Buffer.allocUnsafeSlow(usual);
  }

  /** The number of bytes gathered. */
  get length(): number {
    return this.#length;
  }

  add(text: string): void {
    const most = this.#length + MOST_BYTES_PER_UNIT * text.length;
    if (most > this.#bytes.length) this.#makeRoom(most);
    this.#length += this.#bytes.write(text, this.#length);
  }

  /** Returns what is gathered as text, which stays gathered. */
  toString(): string {
    return this.#bytes.toString('utf8', 0, this.#length);
  }

  /** Returns the bytes, and begins anew. `release` them once they are not needed any more. */
  take(): Buffer {
    const taken = this.#bytes.subarray(0, this.#length);
    this.#bytes = this.#spare.pop() ?? Buffer.allocUnsafeSlow(this.#usual);
    this.#length = 0;
    return taken;
  }

  /** Uses the memory of bytes that were taken again: no one may read them any more. */
  release(taken: Buffer): void {
    const bytes = Buffer.from(taken.buffer);
    if (bytes.length === this.#usual && this.#spare.length < MOST_SPARE) this.#spare.push(bytes);
  }

  #makeRoom(most: number): void {
    const grown = Buffer.allocUnsafeSlow(2 * most);
    this.#bytes.copy(grown, 0, 0, this.#length);
    this.#bytes = grown;
  }
}
