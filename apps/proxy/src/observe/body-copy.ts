import type { ByteBudget } from '@winnow/service';

/** Limits of a copy. */
export interface BodyCopyOptions {
  /** Shared by all copies. */
  readonly budget: ByteBudget;
  /** The limit of this copy. */
  readonly limitBytes: number;
}

/** Initial size for a small body; it doubles when full. */
const FIRST_BYTES = 4_096;

/**
 * A copy of a response's body as it passes.
 *
 * Keeps one growing buffer instead of the pieces: a stream has thousands of pieces, each part of a larger
 * buffer, and holding them would keep all these buffers in the serving thread's memory. A copy that exceeds a
 * limit is dropped at once and uses no more memory.
 */
export class BodyCopy {
  readonly #options: BodyCopyOptions;
  #buffer = new ArrayBuffer(0);
  #size = 0;
  #taken = 0;
  #isGivenUp = false;

  constructor(options: BodyCopyOptions) {
    this.#options = options;
  }

  /** Whether a part of the body is missing. */
  get isGivenUp(): boolean {
    return this.#isGivenUp;
  }

  add(piece: Uint8Array): void {
    if (this.#isGivenUp) return;
    const size = this.#size + piece.length;
    if (size > this.#buffer.byteLength && !this.#grow(size)) {
      this.giveUp();
      return;
    }
    new Uint8Array(this.#buffer).set(piece, this.#size);
    this.#size = size;
  }

  /** Drops the copy, ignores later pieces, and returns its share of the budget. */
  giveUp(): void {
    this.#isGivenUp = true;
    this.#buffer = new ArrayBuffer(0);
    this.#size = 0;
    this.#options.budget.give(this.#taken);
    this.#taken = 0;
  }

  /**
   * Returns the copied bytes; only the caller may use them. Their share of the budget stays taken until the
   * copy is given up.
   */
  bytes(): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.#buffer, 0, this.#size);
  }

  #grow(size: number): boolean {
    const { budget, limitBytes } = this.#options;
    if (size > limitBytes) return false;
    const capacity = Math.min(limitBytes, Math.max(size, 2 * this.#buffer.byteLength, FIRST_BYTES));
    if (!budget.take(capacity - this.#taken)) return false;
    this.#taken = capacity;
    try {
      this.#buffer = this.#buffer.transfer(capacity);
      return true;
    } catch {
      // The system has no more memory. This must not end the stream being copied.
      return false;
    }
  }
}
