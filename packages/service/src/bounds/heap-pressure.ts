/** What a collection may leave to grow before the next one is due: a third, which costs a collection for every third of what lives. */
const GROWTH = 4 / 3;
/** Collecting more than this at once would hold all requests up for longer than reading a large body does; V8 does it in steps. In bytes. */
const MOST_COLLECTED_BYTES = 384 * 2 ** 20;

/**
 * Decides when a heap is to be collected ahead of V8's own time. V8 lets a heap grow to four times what lives where a machine has much memory.
 *
 * Nothing happens below the bound. Above it a collection is due when the heap has grown by a third over the least that it has been since the last one. What is very large is left to
 * V8.
 *
 * Contract: each `see` that gave true is followed by one `collected`.
 */
export class HeapPressure {
  readonly #boundBytes: number;
  #leastBytes = Number.POSITIVE_INFINITY;
  #isCollecting = false;

  constructor(boundBytes: number) {
    this.#boundBytes = boundBytes;
  }

  /** Looks at what is used, garbage included; gives whether to collect it. */
  see(usedBytes: number): boolean {
    this.#leastBytes = Math.min(this.#leastBytes, usedBytes);
    const isDue = usedBytes >= Math.max(this.#boundBytes, GROWTH * this.#leastBytes);
    if (this.#isCollecting || !isDue || usedBytes > MOST_COLLECTED_BYTES) return false;
    this.#isCollecting = true;
    return true;
  }

  /** A collection has left so much. */
  collected(usedBytes: number): void {
    this.#isCollecting = false;
    this.#leastBytes = usedBytes;
  }
}
