/** The bytes of an unfinished frame, in the pieces in which they arrived. At most `limitBytes`. */
export class HeldBytes {
  /** Whether an unfinished frame exceeded the limit; its bytes are dropped. */
  isOverflown = false;
  readonly #limitBytes: number;
  #pieces: Buffer[] = [];
  #length = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  /** Holds more bytes. Take complete frames before the next piece: all held bytes count against the limit. */
  hold(bytes: Uint8Array): void {
    if (this.isOverflown || bytes.length === 0) return;
    this.#pieces.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    this.#length += bytes.length;
  }

  /** Returns the first bytes, which stay held; undefined while there are too few. */
  peek(length: number): Buffer | undefined {
    if (this.isOverflown || this.#length < length) return undefined;
    if (this.#pieces[0]!.length < length) this.#pieces = [Buffer.concat(this.#pieces)];
    return this.#pieces[0]!.subarray(0, length);
  }

  /** Removes and returns the first bytes; undefined while there are too few. */
  take(length: number): Buffer | undefined {
    if (this.isOverflown) return undefined;
    if (this.#length < length) {
      this.isOverflown = this.#length > this.#limitBytes;
      if (this.isOverflown) this.#pieces = [];
      return undefined;
    }
    const whole = this.#pieces.length === 1 ? this.#pieces[0]! : Buffer.concat(this.#pieces);
    this.#pieces = whole.length === length ? [] : [whole.subarray(length)];
    this.#length -= length;
    return whole.subarray(0, length);
  }
}
