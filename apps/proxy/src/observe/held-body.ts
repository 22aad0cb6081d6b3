import type { BodyCopyOptions } from './body-copy.ts';

/** Approximate memory per piece in addition to its bytes; it limits bodies that arrive in single bytes. */
const PIECE_BYTES = 256;

/**
 * The pieces of a request's body as it passes, kept without copying: the server reads each into a buffer of
 * its own, so keeping them delays nothing. A body that exceeds a limit is dropped at once and uses no more
 * memory.
 */
export class HeldBody {
  readonly #options: BodyCopyOptions;
  #pieces: Uint8Array[] = [];
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

  /** The pieces in order. Their share of the budget stays taken until the body is given up. */
  get pieces(): readonly Uint8Array[] {
    return this.#pieces;
  }

  add(piece: Uint8Array): void {
    if (this.#isGivenUp) return;
    const { budget, limitBytes } = this.#options;
    const cost = piece.length + PIECE_BYTES;
    this.#size += piece.length;
    if (this.#size > limitBytes || !budget.take(cost)) {
      this.giveUp();
      return;
    }
    this.#taken += cost;
    this.#pieces.push(piece);
  }

  /** Drops the pieces, ignores later ones, and returns their share of the budget. */
  giveUp(): void {
    this.#isGivenUp = true;
    this.#pieces = [];
    this.#options.budget.give(this.#taken);
    this.#taken = 0;
  }
}
