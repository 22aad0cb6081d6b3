import type { BodyCopyOptions } from './body-copy.ts';

/** What a piece takes in addition to its bytes, roughly: bodies that come in single bytes are bounded by it. */
const PIECE_BYTES = 256;

/**
 * The pieces of a request's body that passes by, kept as they came: the server reads each into a buffer of its own, so that keeping one
 * costs nothing while the request is on its way. A body that does not fit is given up at once, and takes nothing any more.
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

  /** The body, in order. What it takes of the budget stays taken until it is given up. */
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

  /** Drops what was kept and everything that is still to come, and gives back what it takes of the budget. */
  giveUp(): void {
    this.#isGivenUp = true;
    this.#pieces = [];
    this.#options.budget.give(this.#taken);
    this.#taken = 0;
  }
}
