/** Bytes of a stream that belong to a frame whose end has not come, in the pieces that they came in. At most `limitBytes`. */
export class HeldBytes {
  /** More bytes than allowed have come without an end; they are dropped. */
  isOverflown = false;
  readonly #limitBytes: number;
  #pieces: Buffer[] = [];
  #length = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  /** Holds more bytes. Frames that are complete should be taken before the next piece: all that is held counts. */
  hold(bytes: Uint8Array): void {
    if (this.isOverflown || bytes.length === 0) return;
    this.#pieces.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    this.#length += bytes.length;
  }

  /** The first bytes, which stay held; undefined as long as there are fewer. */
  peek(length: number): Buffer | undefined {
    if (this.isOverflown || this.#length < length) return undefined;
    if (this.#pieces[0]!.length < length) this.#pieces = [Buffer.concat(this.#pieces)];
    return this.#pieces[0]!.subarray(0, length);
  }

  /** The first bytes, which are held no more; undefined as long as there are fewer. */
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
