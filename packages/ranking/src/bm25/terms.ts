import { hashText } from '../text/hash-text.ts';
import { wordVectors } from '../word-vectors/word-vectors.ts';

/**
 * The terms of an index, numbered in order of arrival. Only grows, so that several states of an index can
 * share one. Shapes and vectors of terms are looked up on first use.
 */
export class TermTable {
  readonly #texts: string[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #shapes = new TermShapes();
  readonly #filter = new TermFilter();
  readonly #vectors = new Map<number, number | undefined>();

  /** Number of terms. */
  get size(): number {
    return this.#texts.length;
  }

  text(term: number): string {
    return this.#texts[term]!;
  }

  find(text: string): number | undefined {
    return this.#numbers.get(text);
  }

  /** Returns the number of a term and adds the term if it is new. */
  add(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    const term = this.#texts.push(text) - 1;
    this.#numbers.set(text, term);
    return term;
  }

  /** Returns the shapes of all terms. */
  shapes(): TermShapes {
    for (let term = this.#shapes.count; term < this.#texts.length; term++)
      this.#shapes.add(this.#texts[term]!);
    return this.#shapes;
  }

  /** Whether a text with this hash may be among the terms: false for most that are not. */
  mayHave(hash: number): boolean {
    this.#filter.addNew(this.#texts);
    return this.#filter.mayHave(hash);
  }

  /** Returns the number of the word vector of a term; undefined if it has none. */
  vectorOf(term: number): number | undefined {
    if (!this.#vectors.has(term)) this.#vectors.set(term, wordVectors().find(this.#texts[term]!));
    return this.#vectors.get(term);
  }
}

/** The hashes of terms as bits. Source: Bloom 1970, with a single hash. */
class TermFilter {
  /** A power of two of bytes. */
  #bits = new Uint8Array(64);
  #count = 0;

  /** Adds the terms from the last call on. */
  addNew(texts: readonly string[]): void {
    if (this.#count === texts.length) return;
    if (texts.length * BITS_PER_TERM > this.#bits.length * 8) {
      this.#bits = new Uint8Array(2 ** Math.ceil(Math.log2((texts.length * BITS_PER_TERM) / 8) + 0.5));
      this.#count = 0;
    }
    for (; this.#count < texts.length; this.#count++) {
      const bit = hashText(texts[this.#count]!);
      this.#bits[this.#placeOf(bit)]! |= 1 << (bit & 7);
    }
  }

  mayHave(hash: number): boolean {
    return (this.#bits[this.#placeOf(hash)]! & (1 << (hash & 7))) !== 0;
  }

  #placeOf(hash: number): number {
    return ((hash ^ (hash >>> 16)) >>> 3) & (this.#bits.length - 1);
  }
}

const BITS_PER_TERM = 16;

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
  readonly #firstCodes: number[] = [];
  readonly #hasFirstCode = new Set<number>();
  #count = 0;

  /** Number of terms. */
  get count(): number {
    return this.#count;
  }

  /** First code units of terms with up to `MAX_NEAR_CHARS`. */
  get firstCodes(): readonly number[] {
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
    if (!this.#hasFirstCode.has(firstCode)) {
      this.#hasFirstCode.add(firstCode);
      this.#firstCodes.push(firstCode);
    }
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
