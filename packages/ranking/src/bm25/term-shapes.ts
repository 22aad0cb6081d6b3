/** Longer terms are identifiers, of which every slip makes another: nothing is near them. */
export const MAX_NEAR_CHARS = 40;

const LENGTHS = 64;
const NO_TERM = -1;

/**
 * Terms by their looks: those that begin with the same code unit and are as long, and which letters occur in each. Terms come in the order of their
 * numbers, from 0 on.
 *
 * Those that look alike are a chain from one term to the one before: numbers in one array, however many chains there are.
 */
export class TermShapes {
  #letters = new Uint32Array(0);
  /** By term: the one before that looks alike. */
  #previous = new Int32Array(0);
  readonly #latest = new Map<number, number>();
  readonly #firstCodes = new Set<number>();
  #count = 0;

  /** Number of terms. */
  get count(): number {
    return this.#count;
  }

  /** The code units that terms of up to `MAX_NEAR_CHARS` begin with. */
  get firstCodes(): ReadonlySet<number> {
    return this.#firstCodes;
  }

  /** Which letters occur in a term: see `lettersOf`. */
  lettersIn(term: number): number {
    return this.#letters[term]!;
  }

  /** The term with the highest number of those that begin with a code unit and have a length of up to `MAX_NEAR_CHARS`; below 0 when there is none. */
  latestAlike(firstCode: number, length: number): number {
    return this.#latest.get(firstCode * LENGTHS + length) ?? NO_TERM;
  }

  /** The one before a term that begins with the same code unit and is as long; below 0 when it is the first. */
  previousAlike(term: number): number {
    return this.#previous[term]!;
  }

  /** Adds the next term, which stands in a source from `start` up to `end`. */
  add(source: string, start: number, end: number): void {
    const term = this.#count++;
    if (term >= this.#letters.length) this.makeRoom(this.#count + (this.#count >> 1));
    this.#letters[term] = lettersOf(source, start, end);
    const length = end - start;
    if (length > MAX_NEAR_CHARS) return;
    const firstCode = source.charCodeAt(start);
    this.#firstCodes.add(firstCode);
    this.#previous[term] = this.latestAlike(firstCode, length);
    this.#latest.set(firstCode * LENGTHS + length, term);
  }

  /** Makes room for so many terms at once, where they are known to come. */
  makeRoom(count: number): void {
    if (count <= this.#letters.length) return;
    const letters = new Uint32Array(count);
    letters.set(this.#letters);
    const previous = new Int32Array(count);
    previous.set(this.#previous);
    [this.#letters, this.#previous] = [letters, previous];
  }
}

/** Which letters occur in a word, as bits; others than a to z share the remaining six. */
export function lettersOf(source: string, start = 0, end = source.length): number {
  let bits = 0;
  for (let at = start; at < end; at++) {
    const letter = source.charCodeAt(at) - 97;
    bits |= 1 << (letter >= 0 && letter < 26 ? letter : 26 + ((letter & 0xffff) % 6));
  }
  return bits;
}
