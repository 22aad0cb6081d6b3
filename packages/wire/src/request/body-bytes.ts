/** A part of a piece that is no longer than this is copied rather than that it keeps the piece, in bytes. */
const COPIED_BYTES = 64 * 1024;

/**
 * The bytes of a body in the pieces in which they came, put together only when somebody needs them as one: what is known of a large body need
 * not be copied, and need not be held twice.
 *
 * Contract: the pieces are not changed any more.
 */
export class BodyBytes {
  readonly length: number;
  #pieces: readonly Buffer[];

  constructor(pieces: readonly Uint8Array[]) {
    this.#pieces = pieces.map(toBuffer);
    this.length = this.#pieces.reduce((length, piece) => length + piece.length, 0);
  }

  /** All of them; the same buffer each time. */
  get whole(): Buffer {
    this.join();
    return this.#pieces[0]!;
  }

  /** Puts the pieces together ahead of their use: copying some 50 MB takes as long as reading them. */
  join(): void {
    if (this.#pieces.length !== 1) this.#pieces = [Buffer.concat(this.#pieces, this.length)];
  }

  /** Those from `start` to before `end`, without a copy where they lie in one piece. */
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
   * Holds `bytes`, which stand at `start`, in place of its own copy of them: what others hold anyway need not be held for as long as a model takes to answer. The bytes of the
   * body are the same.
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

  /** The byte at a position, undefined behind the end. */
  at(position: number): number | undefined {
    let offset = 0;
    for (const piece of this.#pieces) {
      if (position < offset + piece.length) return piece[position - offset];
      offset += piece.length;
    }
    return undefined;
  }

  /** The first place at or behind `from` where these bytes stand within one piece, -1 when there is none. */
  indexOf(bytes: Buffer, from = 0): number {
    let offset = 0;
    for (const piece of this.#pieces) {
      const found = from < offset + piece.length ? piece.indexOf(bytes, Math.max(0, from - offset)) : -1;
      if (found !== -1) return offset + found;
      offset += piece.length;
    }
    return -1;
  }

  /** Whether these bytes stand at `start`. */
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

/** A part of a piece that does not keep the rest of it, unless it is most of it anyway or too long to be copied. */
function ownPart(piece: Buffer, start: number, end: number): Buffer {
  const part = piece.subarray(start, end);
  return part.length === piece.length || part.length > COPIED_BYTES ? part : Buffer.from(part);
}

function toBuffer(bytes: Uint8Array): Buffer {
  if (Buffer.isBuffer(bytes)) return bytes;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
