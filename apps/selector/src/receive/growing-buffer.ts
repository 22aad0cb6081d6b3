import { overloaded } from '@winnow/service';

const SMALLEST_CAPACITY = 4096;

/**
 * Size from which blocks are resizable and so have their own mapping: the system gets all of it back on
 * release, and allocates only pages that are written.
 */
const MAPPED_BYTES = 2 ** 20;

/**
 * Bytes that arrive in pieces, in one block of memory.
 *
 * An outgrown block is released at once: blocks left to the garbage collector add up to several times the
 * live data. For the same reason it is not shared memory, which the collector does not even count. Throws
 * `overloaded` if there is no memory.
 */
export class GrowingBuffer {
  #block: Buffer<ArrayBuffer>;
  #length = 0;

  /** `expectedBytes` is a hint that saves growing; the actual length may differ. */
  constructor(expectedBytes: number) {
    this.#block = allocate(Math.max(expectedBytes, SMALLEST_CAPACITY));
  }

  /** Size of the block, in bytes. */
  get capacity(): number {
    return this.#block.length;
  }

  get length(): number {
    return this.#length;
  }

  /** Returns the bytes so far: a view, valid until the next `append`. */
  get bytes(): Buffer<ArrayBuffer> {
    return this.#block.subarray(0, this.#length);
  }

  append(piece: Buffer): void {
    const needed = this.#length + piece.length;
    if (needed > this.#block.length) this.#grow(needed);
    piece.copy(this.#block, this.#length);
    this.#length = needed;
  }

  /** Drops everything after the first `length` bytes. */
  truncate(length: number): void {
    this.#length = length;
  }

  /** Releases the memory and all views of it. */
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
    // Not from Node's pool, which other buffers share.
    return bytes < MAPPED_BYTES ? Buffer.allocUnsafeSlow(bytes) : mappedBlock(bytes);
  } catch {
    throw overloaded('There is not enough memory for the body.');
  }
}

/**
 * Allocates a block that returns to the system on release; of a `malloc` block, much stays with the process.
 * Throws a `RangeError` if there is no memory.
 */
function mappedBlock(bytes: number): Buffer<ArrayBuffer> {
  return Buffer.from(new ArrayBuffer(bytes, { maxByteLength: bytes }));
}

/** Detaches the buffer: https://tc39.es/ecma262/#sec-arraybuffer.prototype.transfertofixedlength */
function giveBack({ buffer }: Buffer<ArrayBuffer>): void {
  buffer.transferToFixedLength(0);
}
