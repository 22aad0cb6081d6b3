import type { Pause } from '../pause.ts';

/** About a millisecond. */
const TERMS_PER_SLICE = 2_048;

const ALIKE_LENGTHS = 64;
const NONE: readonly number[] = [];

/** Longer terms are identifiers, of which every slip makes another: nothing is near them. */
export const MAX_NEAR_CHARS = 40;

/**
 * The terms of an index, numbered as they come. Only grows, so that several states of an index may share one.
 *
 * What is needed to find a term by its text, or by its looks, is made when it is asked for.
 */
export class TermTable {
  readonly #texts: string[];
  #numberOf: Map<string, number> | undefined;
  /** Of the first `#shapedCount` terms: see `lettersOf`, and those that begin with the same code unit and are as long. */
  #letters = new Uint32Array(0);
  readonly #alike = new Map<number, number[]>();
  readonly #firstCodes = new Set<number>();
  #shapedCount = 0;

  /** The table keeps the array, and adds to it. */
  constructor(texts: string[], numberOf?: Map<string, number>) {
    this.#texts = texts;
    this.#numberOf = numberOf;
  }

  /** The same, ready to be searched, letting others go first now and then. */
  static async inSlices(texts: string[], pause: Pause): Promise<TermTable> {
    const numberOf = new Map<string, number>();
    for (let number = 0; number < texts.length; number++) {
      if (number % TERMS_PER_SLICE === TERMS_PER_SLICE - 1) await pause();
      numberOf.set(texts[number]!, number);
    }
    return new TermTable(texts, numberOf);
  }

  /** By number. Not to be changed. */
  get texts(): readonly string[] {
    return this.#texts;
  }

  find(text: string): number | undefined {
    return this.#numbers().get(text);
  }

  /** The number of a term, new or known. */
  add(text: string): number {
    const numbers = this.#numbers();
    const known = numbers.get(text);
    if (known !== undefined) return known;
    numbers.set(text, this.#texts.length);
    return this.#texts.push(text) - 1;
  }

  /** The number of a term that the table does not have: cheaper than `add`, and wrong for one that it has. */
  addNew(text: string): number {
    this.#numberOf?.set(text, this.#texts.length);
    return this.#texts.push(text) - 1;
  }

  /** Numbers of the terms that begin with a code unit and have a length of up to `MAX_NEAR_CHARS`, rising. Not to be changed. */
  alike(firstCode: number, length: number): readonly number[] {
    this.#shape();
    return this.#alike.get(firstCode * ALIKE_LENGTHS + length) ?? NONE;
  }

  /** The code units that terms begin with. */
  firstCodes(): ReadonlySet<number> {
    this.#shape();
    return this.#firstCodes;
  }

  /** Which letters occur in a term: see `lettersOf`. */
  lettersIn(term: number): number {
    this.#shape();
    return this.#letters[term]!;
  }

  #shape(): void {
    const count = this.#texts.length;
    if (this.#shapedCount === count) return;
    if (count > this.#letters.length) {
      const larger = new Uint32Array(this.#shapedCount === 0 ? count : count + (count >> 1));
      larger.set(this.#letters);
      this.#letters = larger;
    }
    for (; this.#shapedCount < count; this.#shapedCount++) this.#shapeTerm(this.#shapedCount);
  }

  #shapeTerm(term: number): void {
    const text = this.#texts[term]!;
    this.#letters[term] = lettersOf(text);
    if (text.length > MAX_NEAR_CHARS) return;
    const firstCode = text.charCodeAt(0);
    this.#firstCodes.add(firstCode);
    const key = firstCode * ALIKE_LENGTHS + text.length;
    const known = this.#alike.get(key);
    if (known === undefined) this.#alike.set(key, [term]);
    else known.push(term);
  }

  #numbers(): Map<string, number> {
    this.#numberOf ??= new Map(this.#texts.map((text, number) => [text, number]));
    return this.#numberOf;
  }
}

/** Which letters occur in a word, as bits; others than a to z share the remaining six. */
export function lettersOf(word: string): number {
  let bits = 0;
  for (let at = 0; at < word.length; at++) {
    const letter = word.charCodeAt(at) - 97;
    bits |= 1 << (letter >= 0 && letter < 26 ? letter : 26 + ((letter & 0xffff) % 6));
  }
  return bits;
}
