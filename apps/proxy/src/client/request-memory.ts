import { ByteBudget } from '@winnow/service';

/** How much memory the requests in flight may take. */
export interface RequestMemoryLimits {
  /** Bodies of all requests together, as they came and decoded. */
  readonly maxBytes: number;
  /** How much of the heap that there may be is in use, 0..1. */
  readonly heapShare: () => number;
}

/** Above this, what is left of the heap is for the requests that are being handled already. */
const MAX_HEAP_SHARE = 0.7;

/**
 * The memory that requests share. Who finds no room forwards its request as it comes: that holds nothing, and nobody is refused.
 *
 * Bodies count by their bytes, which live outside of the heap. What is made of them in the heap may be a hundred times as large, and
 * is not known before; so the heap itself is asked.
 */
export class RequestMemory {
  readonly #budget: ByteBudget;
  readonly #heapShare: () => number;

  constructor({ maxBytes, heapShare }: RequestMemoryLimits) {
    this.#budget = new ByteBudget(maxBytes);
    this.#heapShare = heapShare;
  }

  /** The part of one request, empty at first. */
  open(): MemoryHold {
    return new MemoryHold(this.#budget);
  }

  /** Whether there is room on the heap to read one more request. */
  get hasHeap(): boolean {
    return this.#heapShare() < MAX_HEAP_SHARE;
  }
}

/** What one request holds. */
export class MemoryHold {
  readonly #budget: ByteBudget;
  #bytes = 0;

  constructor(budget: ByteBudget) {
    this.#budget = budget;
  }

  /** Takes so many bytes more; gives false, and takes none, when they are not there. */
  take(bytes: number): boolean {
    if (!this.#budget.take(bytes)) return false;
    this.#bytes += bytes;
    return true;
  }

  /** Gives everything back; may be called again. */
  release(): void {
    this.#budget.give(this.#bytes);
    this.#bytes = 0;
  }
}
