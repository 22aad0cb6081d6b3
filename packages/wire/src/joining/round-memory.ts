import { type Keep, keepUpTo } from '../format/response-joiner.ts';

/**
 * The most characters of a response that is kept: more than any model writes. A longer response is only
 * passed on.
 */
const RESPONSE_CHARS = 32 * 1024 * 1024;

/** The most parts that may begin once memory has run out: a response has a few. */
const MOST_LATE_PARTS = 1_000;

/** The memory that a part or a call takes in addition to its text, in characters. */
export const PART_CHARS = 500;

/** The memory for one response. When it has run out, nothing more of the response is kept. */
export class RoundMemory {
  readonly #keep: Keep;
  #isShort = false;
  #lateParts = 0;

  constructor(keep: Keep = keepUpTo(RESPONSE_CHARS)) {
    this.#keep = keep;
  }

  /** Whether it has run out, so that the response cannot be sent back to the upstream. */
  get isShort(): boolean {
    return this.#isShort;
  }

  /** Whether too many parts began after it had run out: even their names add up. */
  get isOverfull(): boolean {
    return this.#lateParts > MOST_LATE_PARTS;
  }

  /** Reserves so many characters more; returns false if they cannot be kept. */
  mayKeep(chars: number): boolean {
    this.#isShort ||= !this.#keep(chars);
    return !this.#isShort;
  }

  /** Counts a part that begins. */
  begin(): void {
    if (this.#isShort) this.#lateParts += 1;
  }
}
