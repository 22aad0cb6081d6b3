import { overloaded } from '@winnow/service';

const SMALLEST_CAPACITY = 4096;

/** Blocks from this size on are mapped by themselves, as resizable ones are: the system has all of one back when it is given back, and gives only what is written to. */
const MAPPED_BYTES = 2 ** 20;

/**
 * Bytes that arrive in pieces, in one block of memory.
 *
 * A block that has become too small is given back at once: blocks that only the garbage collector gives back come to several times what is held.
 * It is no shared memory for the same reason, which the collector does not even count. Throws `overloaded` when there is no memory.
 */
export class GrowingBuffer {
  #block: Buffer<ArrayBuffer>;
  #length = 0;

  /** `expectedBytes` is a hint that saves growing: what is appended may be more or less. */
  constructor(expectedBytes: number) {
    this.#block = allocate(Math.max(expectedBytes, SMALLEST_CAPACITY));
  }

  /** Bytes of its memory. */
  get capacity(): number {
    return this.#block.length;
  }

  get length(): number {
    return this.#length;
  }

  /** What was appended so far: a view, valid until the next `append`. */
  get bytes(): Buffer<ArrayBuffer> {
    return this.#block.subarray(0, this.#length);
  }

  append(piece: Buffer): void {
    const needed = this.#length + piece.length;
    if (needed > this.#block.length) this.#grow(needed);
    piece.copy(this.#block, this.#length);
    this.#length = needed;
  }

  /** Forgets what stands behind the first `length` bytes. */
  truncate(length: number): void {
    this.#length = length;
  }

  /** Gives the memory back, with all views of it. */
  release(): void {
    giveBack(this.#block);
    this.#block = NOTHING;
    this.#length = 0;
  }

  #grow(needed: number): void {
    const larger = allocate(Math.max(needed, this.#block.length * 2));
    this.bytes.copy(larger);
    giveBack(this.#block);
    this.#block = larger;
  }
}

const NOTHING = Buffer.from(new ArrayBuffer(0));

function allocate(bytes: number): Buffer<ArrayBuffer> {
  try {
    // Not from Node's pool, which others hold parts of.
    return bytes < MAPPED_BYTES ? Buffer.allocUnsafeSlow(bytes) : mappedBlock(bytes);
  } catch {
    throw overloaded('There is no memory for the body.');
  }
}

/** A block of memory that the system has back as soon as it is given back; of one that `malloc` gave, much stays with the process. Throws a `RangeError` when there is none. */
function mappedBlock(bytes: number): Buffer<ArrayBuffer> {
  return Buffer.from(new ArrayBuffer(bytes, { maxByteLength: bytes }));
}

/** https://tc39.es/ecma262/#sec-arraybuffer.prototype.transfertofixedlength: nothing is left of the old one. */
function giveBack({ buffer }: Buffer<ArrayBuffer>): void {
  buffer.transferToFixedLength(0);
}
