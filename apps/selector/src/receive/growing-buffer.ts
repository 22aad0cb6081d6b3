import { overloaded } from '@winnow/json-api';

/**
 * Bodies from this size on are held in shared memory, so that a worker can read them in place.
 *
 * Below it a request is parsed and indexed on the main thread: 128 KiB are some 200 tools with their schemas and take
 * about 10 ms, in the range of what a round trip to a worker costs on a busy machine.
 */
export const SHARED_FROM_BYTES = 128 * 1024;

const SMALLEST_CAPACITY = 4096;

/**
 * Bytes that arrive in pieces, in one block of memory.
 *
 * The block is shared memory from `SHARED_FROM_BYTES` on, also when it grows past that mark. Throws `overloaded` when there is none.
 */
export class GrowingBuffer {
  #block: Buffer;
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
  get bytes(): Buffer {
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

  #grow(needed: number): void {
    const larger = allocate(Math.max(needed, this.#block.length * 2));
    this.bytes.copy(larger);
    this.#block = larger;
  }
}

function allocate(bytes: number): Buffer {
  // A shared block is zeroed by the operating system page by page as it is touched, not here.
  try {
    return bytes < SHARED_FROM_BYTES ? Buffer.allocUnsafe(bytes) : Buffer.from(new SharedArrayBuffer(bytes));
  } catch {
    throw overloaded('There is no memory for the body.');
  }
}
