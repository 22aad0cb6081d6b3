import { type Span, textOf } from './json-splice.ts';

/** An array of JSON that was read before. */
export interface KnownArray {
  /** The array as it was written, from bracket to bracket. */
  readonly text: string;
  /** The same, parsed. Frozen to the last leaf, as requests share it. */
  readonly values: readonly unknown[];
  /** Where each element is in `text`. */
  readonly elements: readonly Span[];
}

/** An array to remember: where it is in a text, where its elements are, and what they say. */
export interface ReadArray {
  readonly text: string;
  readonly span: Span;
  readonly elements: readonly Span[];
  readonly values: readonly unknown[];
}

/** How much is remembered. */
export interface KnownArrayLimits {
  /** Arrays. */
  readonly count: number;
  /** Characters of all arrays together. */
  readonly characters: number;
  /** Characters below which reading an array again costs less than looking for it. */
  readonly fewestCharacters: number;
}

/**
 * The arrays read last, each by its own exact text, so that one that comes again need not be read again.
 *
 * Contract: what `find` gives is equal to what reading the text at that place would give. `remember` freezes the values it
 * is given. What is over a limit is forgotten at once, the least recently used first; nothing of the text around an array is
 * retained.
 */
export class KnownArrays {
  readonly #limits: KnownArrayLimits;
  /** The most recently used first. */
  #arrays: readonly KnownArray[] = [];

  constructor(limits: KnownArrayLimits) {
    this.#limits = limits;
  }

  /**
   * The known array that begins at `start`. In a text that is JSON up to there it is the whole value: brackets pair up, so
   * that no array begins with another.
   */
  find(text: string, start: number): KnownArray | undefined {
    const found = this.#arrays.find((known) => standsAt(text, start, known.text));
    if (found !== undefined) this.#arrays = [found, ...this.#arrays.filter((known) => known !== found)];
    return found;
  }

  /** Remembers an array, unless it is known already. */
  remember({ text, span, elements, values }: ReadArray): void {
    const { fewestCharacters, characters } = this.#limits;
    const length = span.end - span.start;
    if (length < fewestCharacters || length > characters || this.find(text, span.start) !== undefined) return;
    freezeDeeply(values);
    const known = {
      text: copyOf(textOf(text, span)),
      values,
      elements: elements.map(({ start, end }) => ({ start: start - span.start, end: end - span.start })),
    };
    this.#arrays = this.#withinLimits([known, ...this.#arrays]);
  }

  #withinLimits(arrays: readonly KnownArray[]): KnownArray[] {
    let characters = 0;
    return arrays.slice(0, this.#limits.count).filter(({ text }) => {
      characters += text.length;
      return characters <= this.#limits.characters;
    });
  }
}

/** The last character tells most arrays apart before anything is compared. */
function standsAt(text: string, start: number, array: string): boolean {
  const end = start + array.length;
  return text.charCodeAt(end - 1) === CLOSING_BRACKET && text.slice(start, end) === array;
}

const CLOSING_BRACKET = 0x5d;

/** A slice keeps the text that it was cut from, which may be megabytes; a text decoded anew keeps nothing. */
function copyOf(slice: string): string {
  return Buffer.from(slice).toString();
}

/** Freezes a parsed value and all within. A list instead of recursion, as JSON may nest deeper than the stack. */
function freezeDeeply(value: unknown): void {
  const pending = [value];
  while (pending.length > 0) {
    const next = pending.pop();
    if (typeof next !== 'object' || next === null) continue;
    Object.freeze(next);
    for (const part of Object.values(next)) {
      if (typeof part === 'object' && part !== null) pending.push(part);
    }
  }
}
