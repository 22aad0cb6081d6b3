/** What a heap may have grown before it is to be marked, in bytes: half of it may be young, which V8 collects by itself. */
const GROWTH_BYTES = 32 * 2 ** 20;
/** How long nothing is due after it was, in milliseconds: marking takes some 0.1 seconds of one core, most of it beside requests. */
const REST_MS = 2_000;
/** Larger ones are left to V8: marking them takes longer. In bytes. */
const SMALL_HEAP_BYTES = 192 * 2 ** 20;

/**
 * Decides when a small heap that grows slowly is to be marked ahead of V8's own time. Where there is much memory, V8 lets it grow to four times what lives, and under load that are
 * 60 MiB and more of nothing but garbage.
 */
export class HeapGrowth {
  #leastBytes = Number.POSITIVE_INFINITY;
  #dueAt = Number.NEGATIVE_INFINITY;

  /** Looks at what is used, garbage included; gives whether to mark it. Time only ever grows. */
  see(usedBytes: number, nowMs: number): boolean {
    this.#leastBytes = Math.min(this.#leastBytes, usedBytes);
    if (usedBytes - this.#leastBytes < GROWTH_BYTES || usedBytes > SMALL_HEAP_BYTES) return false;
    if (nowMs - this.#dueAt < REST_MS) return false;
    this.#dueAt = nowMs;
    this.#leastBytes = Number.POSITIVE_INFINITY;
    return true;
  }
}
