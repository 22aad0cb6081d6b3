import type { Pause } from '../pause.ts';
import { editDistance } from './edit-distance.ts';

/** A known term, and how far it is from what was asked: 1 for one slip, up to 2. */
export interface NearTerm {
  readonly term: number;
  readonly distance: number;
}

/** What the terms look like, by their numbers: enough to tell most of them from a word. */
interface TermShapes {
  /** See `lettersOf`. */
  readonly letters: Uint32Array;
  /** In UTF-16 code units; longer than `MAX_NEAR_CHARS` is one more than that. */
  readonly lengths: Uint8Array;
}

/**
 * The terms of an index, to be found by their text and by what is near it.
 *
 * What the near searches need is made at the first of them. They pass over all terms, and compare the few that look alike.
 */
export class Vocabulary {
  readonly #terms: readonly string[];
  readonly #numberOf: ReadonlyMap<string, number>;
  #shapes: TermShapes | undefined;

  constructor(terms: readonly string[], numberOf = new Map(terms.map((term, number) => [term, number]))) {
    this.#terms = terms;
    this.#numberOf = numberOf;
  }

  /** The same, for many terms, letting others go first now and then. */
  static async inSlices(terms: readonly string[], pause: Pause): Promise<Vocabulary> {
    const numberOf = new Map<string, number>();
    for (const [number, term] of terms.entries()) {
      if (number % TERMS_PER_SLICE === TERMS_PER_SLICE - 1) await pause();
      numberOf.set(term, number);
    }
    return new Vocabulary(terms, numberOf);
  }

  find(text: string): number | undefined {
    return this.#numberOf.get(text);
  }

  /**
   * The terms nearest to a misspelt word: within one slip (a letter lost, added, changed, or swapped with its neighbour),
   * or two in a word of 8 letters and more; all that are equally near, at most `MAX_NEAREST`. A different first letter
   * counts half a slip more, since people rarely miss it.
   */
  nearest(word: string): NearTerm[] {
    if (word.length < MIN_CORRECTABLE_CHARS || word.length > MAX_NEAR_CHARS || HAS_DIGIT.test(word))
      return [];
    const limit = word.length >= MIN_TWO_SLIPS_CHARS ? 2 : 1;
    const { letters, lengths } = this.#shape();
    const lettersOfWord = lettersOf(word);
    let best: NearTerm[] = [];
    let bestDistance: number = limit;
    for (let term = 0; term < lengths.length; term++) {
      const length = lengths[term]!;
      if (length < MIN_NEAR_CHARS || length - word.length > limit || word.length - length > limit) continue;
      // Each slip changes at most two of the letters that occur, so most terms need no comparison.
      if (bitCount(letters[term]! ^ lettersOfWord) > 2 * limit) continue;
      const text = this.#terms[term]!;
      const distance = editDistance(word, text, limit) + (text[0] === word[0] ? 0 : 0.5);
      if (distance > bestDistance) continue;
      if (distance < bestDistance) best = [];
      bestDistance = distance;
      best.push({ term, distance });
    }
    return best.length > MAX_NEAREST ? [] : best;
  }

  #shape(): TermShapes {
    this.#shapes ??= {
      letters: Uint32Array.from(this.#terms, lettersOf),
      lengths: Uint8Array.from(this.#terms, (term) => Math.min(term.length, MAX_NEAR_CHARS + 1)),
    };
    return this.#shapes;
  }

  /** Terms that start with a text, or that a long text starts with; shortest first, at most `MAX_PREFIXED`. */
  withPrefix(prefix: string): number[] {
    const found: number[] = [];
    this.#terms.forEach((term, number) => {
      if (term.startsWith(prefix) || (term.length >= MIN_CORRECTABLE_CHARS && prefix.startsWith(term)))
        found.push(number);
    });
    return found
      .sort((a, b) => this.#terms[a]!.length - this.#terms[b]!.length || a - b)
      .slice(0, MAX_PREFIXED);
  }

  /** Terms that share at least half of their letter triples with a text (Dice's coefficient), with that share. */
  similar(text: string): { term: number; similarity: number }[] {
    const wanted = triplesOf(text);
    const marks = markTriples(text);
    const found: { term: number; similarity: number }[] = [];
    this.#terms.forEach((term, number) => {
      if (term.length * 3 < text.length || term.length > text.length * 3) return;
      // With s triples shared, 4s ≥ |term| + |wanted| ≥ s + |wanted|: less than a third of those wanted is never enough.
      if (countMarked(term, marks) * 3 < wanted.size) return;
      const triples = triplesOf(term);
      let shared = 0;
      for (const triple of triples) if (wanted.has(triple)) shared++;
      const similarity = (2 * shared) / (triples.size + wanted.size);
      if (similarity >= MIN_SIMILARITY) found.push({ term: number, similarity });
    });
    return found.sort((a, b) => b.similarity - a.similarity || a.term - b.term).slice(0, MAX_PREFIXED);
  }
}

/** About a millisecond. */
const TERMS_PER_SLICE = 2_048;

/** Below this a slip makes another word of it, not a misspelt one. */
const MIN_CORRECTABLE_CHARS = 4;
const MIN_TWO_SLIPS_CHARS = 8;
const MIN_NEAR_CHARS = 3;
/** Longer ones are identifiers, of which every slip makes another. */
const MAX_NEAR_CHARS = 40;
/** More equally near terms than this say nothing. */
const MAX_NEAREST = 8;
const MAX_PREFIXED = 16;
const MIN_SIMILARITY = 0.5;
const HAS_DIGIT = /\d/;

/** Which letters occur in a word, as bits; others than a to z share the remaining six. */
function lettersOf(word: string): number {
  let bits = 0;
  for (let at = 0; at < word.length; at++) {
    const letter = word.charCodeAt(at) - 97;
    bits |= 1 << (letter >= 0 && letter < 26 ? letter : 26 + ((letter & 0xffff) % 6));
  }
  return bits;
}

function bitCount(bits: number): number {
  let count = bits - ((bits >>> 1) & 0x55555555);
  count = (count & 0x33333333) + ((count >>> 2) & 0x33333333);
  return Math.imul((count + (count >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** Which letter triples a text holds, by a hash of each: a quick sieve for `similar`, which lets too many pass but none too few. */
function markTriples(text: string): Uint8Array {
  const marks = new Uint8Array(TRIPLE_HASHES);
  eachTripleHash(text, (hash) => {
    marks[hash] = 1;
  });
  return marks;
}

function countMarked(text: string, marks: Uint8Array): number {
  let count = 0;
  eachTripleHash(text, (hash) => {
    count += marks[hash]!;
  });
  return count;
}

const TRIPLE_HASHES = 4_096;

/** The triples of `triplesOf`, with zero for the marks at both ends. */
function eachTripleHash(text: string, take: (hash: number) => void): void {
  let first = 0;
  let second = text.charCodeAt(0);
  for (let at = 1; at <= text.length; at++) {
    const third = at < text.length ? text.charCodeAt(at) : 0;
    take((first * 961 + second * 31 + third) % TRIPLE_HASHES);
    first = second;
    second = third;
  }
}

function triplesOf(text: string): Set<string> {
  const padded = `^${text}$`;
  const triples = new Set<string>();
  for (let at = 0; at + 3 <= padded.length; at++) triples.add(padded.slice(at, at + 3));
  return triples;
}
