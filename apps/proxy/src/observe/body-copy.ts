import type { ByteBudget } from '@winnow/service';

/** What a copy may take. */
export interface BodyCopyOptions {
  /** Shared by all copies. */
  readonly budget: ByteBudget;
  /** Of this one. */
  readonly limitBytes: number;
}

/** Room for a small body; it is doubled when it is full. */
const FIRST_BYTES = 4_096;

/**
 * A copy of a response's body that passes by.
 *
 * One buffer that grows, and not the pieces themselves: a stream has thousands of them, each part of a larger buffer, and all would be
 * kept from the garbage collector of the thread that serves streams. A body that does not fit is given up at once, and takes nothing
 * any more.
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

  /** Drops what was copied and everything that is still to come, and gives back what it takes of the budget. */
  giveUp(): void {
    this.#isGivenUp = true;
    this.#buffer = new ArrayBuffer(0);
    this.#size = 0;
    this.#options.budget.give(this.#taken);
    this.#taken = 0;
  }

  /** The copied bytes, for the caller alone. What they take of the budget stays taken until the copy is given up. */
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
      // The system has no more memory. That must not end the stream that passes by.
      return false;
    }
  }
}
