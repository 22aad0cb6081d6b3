/** The longest part of a piece that is copied instead of keeping the piece in memory, in bytes. */
const COPIED_BYTES = 64 * 1024;

/**
 * The bytes of a body in the pieces in which they arrived, joined only on demand: the known part of a large
 * body need not be copied or held twice.
 *
 * Contract: the pieces never change.
 */
export class BodyBytes {
  readonly length: number;
  #pieces: readonly Buffer[];

  constructor(pieces: readonly Uint8Array[]) {
    this.#pieces = pieces.map(toBuffer);
    this.length = this.#pieces.reduce((length, piece) => length + piece.length, 0);
  }

  /** All bytes; the same buffer each time. */
  get whole(): Buffer {
    this.join();
    return this.#pieces[0]!;
  }

  /** Joins the pieces in advance: copying about 50 MB takes as long as reading them. */
  join(): void {
    if (this.#pieces.length !== 1) this.#pieces = [Buffer.concat(this.#pieces, this.length)];
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

  /**
   * Replaces the body's own copy of the bytes at `start` by `bytes`, a buffer with the same content that is
   * in memory anyway, so that the copy is not held while a model responds.
   */
  share(bytes: Buffer, start: number): void {
    const pieces: Buffer[] = [];
    const end = start + bytes.length;
    let offset = 0;
    for (const piece of this.#pieces) {
      const before = Math.max(0, start - offset);
      const behind = Math.max(0, end - offset);
      offset += piece.length;
      pieces.push(ownPart(piece, 0, before));
      if (before < piece.length && start >= offset - piece.length) pieces.push(bytes);
      pieces.push(ownPart(piece, behind, piece.length));
    }
    this.#pieces = pieces.filter(({ length }) => length > 0);
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

/** Returns a part of a piece. A short part is copied so that it does not keep the rest in memory. */
function ownPart(piece: Buffer, start: number, end: number): Buffer {
  const part = piece.subarray(start, end);
  return part.length === piece.length || part.length > COPIED_BYTES ? part : Buffer.from(part);
}

function toBuffer(bytes: Uint8Array): Buffer {
  if (Buffer.isBuffer(bytes)) return bytes;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
