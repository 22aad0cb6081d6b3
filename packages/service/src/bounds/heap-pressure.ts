/** What a collection may leave to grow before the next one is due: a third, which costs a collection for every third of what lives. */
const GROWTH = 4 / 3;
/** Where a collection is due so soon after another one, V8 throws away more than it expects to. In milliseconds. */
const SOON_MS = 5_000;
/** How long none may have been due until time counts more than memory again, in milliseconds. */
const CALM_MS = 10_000;
/** Collecting more than this at once would hold all requests up for longer than reading a large body does; V8 does it in steps. In bytes. */
export const MOST_COLLECTED_BYTES = 384 * 2 ** 20;

/**
 * Decides when a heap is to be collected ahead of V8's own time, and when V8 is to spare memory. V8 lets a heap grow to four times what lives where a machine has much memory.
 *
 * Nothing happens below the bound. Above it a collection is due when the heap has grown by a third over the least that it has been since the last one; where two are due within
 * five seconds, the heap is to be kept lean until none was due for ten. What is very large is left to V8.
 *
 * Contract: each `see` that gave true is followed by one `collected`; time only ever grows.
 */
export class HeapPressure {
  readonly #boundBytes: number;
  #leastBytes = Number.POSITIVE_INFINITY;
  #isCollecting = false;
  #isLean = false;
  #collectedAt = Number.NEGATIVE_INFINITY;
  #dueAt = Number.NEGATIVE_INFINITY;

  constructor(boundBytes: number) {
    this.#boundBytes = boundBytes;
  }

  /** Whether V8 is to spare memory, at the cost of time. */
  get isLean(): boolean {
    return this.#isLean;
  }

  /** Looks at what is used, garbage included; gives whether to collect it. */
  see(usedBytes: number, nowMs: number): boolean {
    this.#leastBytes = Math.min(this.#leastBytes, usedBytes);
    const isDue = usedBytes >= Math.max(this.#boundBytes, GROWTH * this.#leastBytes);
    if (!isDue || usedBytes > MOST_COLLECTED_BYTES) {
      if (nowMs - this.#dueAt > CALM_MS) this.#isLean = false;
      return false;
    }
    this.#dueAt = nowMs;
    if (this.#isCollecting) return false;
    if (nowMs - this.#collectedAt < SOON_MS) this.#isLean = true;
    this.#isCollecting = true;
    return true;
  }

  /** A collection has left so much. */
  collected(usedBytes: number, nowMs: number): void {
    this.#isCollecting = false;
    this.#leastBytes = usedBytes;
    this.#collectedAt = nowMs;
  }
}
