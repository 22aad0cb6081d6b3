/**
 * Maximum length of terms with near terms: longer ones are identifiers, in which every slip makes another
 * identifier.
 */
export const MAX_NEAR_CHARS = 40;

const LENGTHS = 64;
const NO_TERM = -1;

/**
 * Shapes of terms: chains of terms with the same first code unit and length, and the letters of each term.
 * Terms are added in the order of their numbers, from 0.
 *
 * Each chain links a term to the previous one: a single array of numbers, whatever the number of chains.
 */
export class TermShapes {
  #letters = new Uint32Array(0);
  /** By term: the previous term of the same shape. */
  #previous = new Int32Array(0);
  readonly #latest = new Map<number, number>();
  readonly #firstCodes = new Set<number>();
  #count = 0;

  /** Number of terms. */
  get count(): number {
    return this.#count;
  }

  /** First code units of terms with up to `MAX_NEAR_CHARS`. */
  get firstCodes(): ReadonlySet<number> {
    return this.#firstCodes;
  }

  /** Returns the letters that occur in a term: see `lettersOf`. */
  lettersIn(term: number): number {
    return this.#letters[term]!;
  }

  /**
   * Returns the last term with a first code unit and a length of up to `MAX_NEAR_CHARS`; negative if there is
   * none.
   */
  latestAlike(firstCode: number, length: number): number {
    return this.#latest.get(firstCode * LENGTHS + length) ?? NO_TERM;
  }

  /** Returns the previous term with the same first code unit and length; negative if there is none. */
  previousAlike(term: number): number {
    return this.#previous[term]!;
  }

  /** Adds the next term. */
  add(text: string): void {
    const term = this.#count++;
    if (term >= this.#letters.length) this.#makeRoom(this.#count + (this.#count >> 1));
    this.#letters[term] = lettersOf(text);
    const { length } = text;
    if (length > MAX_NEAR_CHARS) return;
    const firstCode = text.charCodeAt(0);
    this.#firstCodes.add(firstCode);
    this.#previous[term] = this.latestAlike(firstCode, length);
    this.#latest.set(firstCode * LENGTHS + length, term);
  }

  #makeRoom(count: number): void {
    const letters = new Uint32Array(count);
    letters.set(this.#letters);
    const previous = new Int32Array(count);
    previous.set(this.#previous);
    [this.#letters, this.#previous] = [letters, previous];
  }
}

/** Returns the letters that occur in a word, as bits; letters other than a to z share the remaining six. */
export function lettersOf(text: string): number {
  let bits = 0;
  for (let at = 0; at < text.length; at++) {
    const letter = text.charCodeAt(at) - 97;
    bits |= 1 << (letter >= 0 && letter < 26 ? letter : 26 + ((letter & 0xffff) % 6));
  }
  return bits;
}
