import type { ByteBudget } from '@winnow/service';

/** Limits of a body that is kept. */
export interface KeptBodyOptions {
  /** Shared by all bodies. */
  readonly budget: ByteBudget;
  /** The limit of this body. */
  readonly limitBytes: number;
}

/** A body that is kept as it passes. One that exceeds a limit is dropped at once and uses no more memory. */
export abstract class KeptBody {
  protected readonly limitBytes: number;
  readonly #budget: ByteBudget;
  #taken = 0;
  #isGivenUp = false;

  constructor({ budget, limitBytes }: KeptBodyOptions) {
    this.#budget = budget;
    this.limitBytes = limitBytes;
  }

  /** Whether a part of the body is missing. */
  get isGivenUp(): boolean {
    return this.#isGivenUp;
  }

  add(piece: Uint8Array): void {
    if (!this.#isGivenUp && !this.keep(piece)) this.giveUp();
  }

  /** Drops the body, ignores later pieces, and returns its share of the budget. */
  giveUp(): void {
    this.#isGivenUp = true;
    this.drop();
    this.#budget.give(this.#taken);
    this.#taken = 0;
  }

  /** Keeps a piece; returns false if it exceeds a limit. */
  protected abstract keep(piece: Uint8Array): boolean;

  protected abstract drop(): void;

  /** Takes this many bytes of the budget in all; returns false if they are not left. */
  protected take(bytes: number): boolean {
    if (!this.#budget.take(bytes - this.#taken)) return false;
    this.#taken = bytes;
    return true;
  }
}

/** Initial size for a small body; it doubles when full. */
const FIRST_BYTES = 4_096;

/**
 * A copy of a response's body as it passes.
 *
 * Keeps one growing buffer instead of the pieces: a stream has thousands of pieces, each part of a larger
 * buffer, and holding them would keep all these buffers in the serving thread's memory.
 */
export class BodyCopy extends KeptBody {
  #buffer = new ArrayBuffer(0);
  #size = 0;

  /**
   * Returns the copied bytes; only the caller may use them. Their share of the budget stays taken until the
   * copy is given up.
   */
  bytes(): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.#buffer, 0, this.#size);
  }

  protected keep(piece: Uint8Array): boolean {
    const size = this.#size + piece.length;
    if (size > this.#buffer.byteLength && !this.#grow(size)) return false;
    new Uint8Array(this.#buffer).set(piece, this.#size);
    this.#size = size;
    return true;
  }

  protected drop(): void {
    this.#buffer = new ArrayBuffer(0);
    this.#size = 0;
  }

  #grow(size: number): boolean {
    const { limitBytes } = this;
    if (size > limitBytes) return false;
    const capacity = Math.min(limitBytes, Math.max(size, 2 * this.#buffer.byteLength, FIRST_BYTES));
    if (!this.take(capacity)) return false;
    try {
      this.#buffer = this.#buffer.transfer(capacity);
      return true;
    } catch {
      // The system has no more memory. This must not end the stream being copied.
      return false;
    }
  }
}

/** Approximate memory per piece in addition to its bytes; it limits bodies that arrive in single bytes. */
const PIECE_BYTES = 256;

/**
 * The pieces of a request's body as it passes, kept without copying: the server reads each into a separate
 * buffer, so keeping them delays nothing.
 */
export class HeldBody extends KeptBody {
  #pieces: Uint8Array[] = [];
  #size = 0;

  /** The pieces in order. Their share of the budget stays taken until the body is given up. */
  get pieces(): readonly Uint8Array[] {
    return this.#pieces;
  }

  protected keep(piece: Uint8Array): boolean {
    this.#size += piece.length;
    const count = this.#pieces.push(piece);
    return this.#size <= this.limitBytes && this.take(this.#size + count * PIECE_BYTES);
  }

  protected drop(): void {
    this.#pieces = [];
  }
}
