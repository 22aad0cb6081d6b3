/**
 * The bytes of a body in the pieces in which they arrived, joined only on demand: the known part of a large
 * body need not be copied or held twice.
 *
 * Contract: the bytes never change.
 */
export class BodyBytes {
  readonly length: number;
  #held: readonly Buffer[] | undefined;
  #make: () => readonly Buffer[] = () => [];

  constructor(pieces: readonly Uint8Array[]) {
    const held = pieces.map(toBuffer);
    this.#held = held;
    this.length = held.reduce((length, piece) => length + piece.length, 0);
  }

  /** All bytes; the same buffer each time. */
  get whole(): Buffer {
    return this.join();
  }

  /** Joins the pieces in advance: copying about 50 MB takes as long as reading them. */
  join(): Buffer {
    const [first, ...others] = this.#pieces;
    if (first !== undefined && others.length === 0) return first;
    const whole = Buffer.concat(this.#pieces, this.length);
    this.#held = [whole];
    return whole;
  }

  /**
   * Lets go of the pieces, so that they are not held while a model responds. `make` returns the same bytes if they are
   * needed again: a body that was read is mostly edited, and not sent as it came.
   */
  letGo(make: () => readonly Buffer[]): void {
    this.#held = undefined;
    this.#make = make;
  }

  get #pieces(): readonly Buffer[] {
    this.#held ??= this.#make();
    return this.#held;
  }

  /**
   * Returns the bytes from `start` up to, but not including, `end`; without a copy when they are in one
   * piece.
   */
  slice(start: number, end = this.length): Buffer {
    const parts: Buffer[] = [];
    let offset = 0;
    for (const piece of this.#pieces) {
      const part = piece.subarray(Math.max(0, start - offset), Math.max(0, end - offset));
      if (part.length > 0) parts.push(part);
      offset += piece.length;
    }
    return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
  }

  /** Returns the byte at a position; undefined after the end. */
  at(position: number): number | undefined {
    let offset = 0;
    for (const piece of this.#pieces) {
      if (position < offset + piece.length) return piece[position - offset];
      offset += piece.length;
    }
    return undefined;
  }

  /**
   * Returns the first position at or after `from` where these bytes occur within one piece; -1 when there is
   * none.
   */
  indexOf(bytes: Buffer, from = 0): number {
    let offset = 0;
    for (const piece of this.#pieces) {
      const found = from < offset + piece.length ? piece.indexOf(bytes, Math.max(0, from - offset)) : -1;
      if (found !== -1) return offset + found;
      offset += piece.length;
    }
    return -1;
  }

  /** Whether these bytes are at `start`. */
  holds(bytes: Buffer, start: number): boolean {
    if (start + bytes.length > this.length) return false;
    let offset = 0;
    for (const piece of this.#pieces) {
      const from = Math.max(start, offset);
      const to = Math.min(start + bytes.length, offset + piece.length);
      const isEqual =
        from >= to || piece.compare(bytes, from - start, to - start, from - offset, to - offset) === 0;
      if (!isEqual) return false;
      offset += piece.length;
    }
    return true;
  }
}

function toBuffer(bytes: Uint8Array): Buffer {
  if (Buffer.isBuffer(bytes)) return bytes;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
