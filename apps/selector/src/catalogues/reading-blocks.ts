/** Larger blocks are let go when they come back. */
const MOST_KEPT_BYTES = 4 * 2 ** 20;
const SMALLEST_BYTES = 2 ** 20;

/**
 * Blocks of memory for copies of bodies that workers read byte by byte: plain ones, as V8 reads a block that could be resized, as bodies are held in, at an eighth of the speed
 * (29 ms against 3.5 ms for the brackets of 1.5 MB).
 *
 * A block goes to a worker and comes back with what it has built, for the next body: memory that was written to before takes a copy of 1.5 MB in 0.1 ms, fresh memory
 * takes 0.8 ms of CPU. There are as many as are out at a time, at most.
 */
export class ReadingBlocks {
  readonly #spare: ArrayBuffer[] = [];

  /** So many bytes of memory, which hold anything. Throws a `RangeError` when there is none. */
  take(bytes: number): Buffer<ArrayBuffer> {
    const spare = bytes > MOST_KEPT_BYTES ? undefined : this.#spare.pop();
    if (spare !== undefined && spare.byteLength >= bytes) return Buffer.from(spare, 0, bytes);
    if (spare !== undefined) free(spare);
    return Buffer.allocUnsafeSlow(Math.max(bytes, SMALLEST_BYTES)).subarray(0, bytes);
  }

  /** The memory of what was taken, which nobody uses any more. */
  giveBack(block: ArrayBuffer): void {
    if (block.byteLength > MOST_KEPT_BYTES) free(block);
    else this.#spare.push(block);
  }
}

/** At once: the garbage collector would take its time. */
function free(block: ArrayBuffer): void {
  block.transferToFixedLength(0);
}
