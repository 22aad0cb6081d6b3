import { editDistance } from '@winnow/core';
import { lettersOf, MAX_NEAR_CHARS, type TermTable } from './terms.ts';

/** A known term, with its distance from the query's word: 1 for one slip, at most 2. */
export interface NearTerm {
  readonly term: number;
  readonly distance: number;
}

/**
 * The current terms of an index, found by their text or by similarity.
 *
 * The table may contain others: terms of documents that are removed or not added yet. Ties are broken by the
 * terms' letters, not by their numbers, so that the same documents give the same terms, whatever their
 * history. The similarity searches scan all terms and compare the few of similar shape.
 */
export class Vocabulary {
  readonly #table: TermTable;
  readonly #frequencies: { readonly array: ArrayLike<number> };

  /** @param frequencies by term: the number of documents that contain it. Terms beyond its end have none. */
  constructor(table: TermTable, frequencies: { readonly array: ArrayLike<number> }) {
    this.#table = table;
    this.#frequencies = frequencies;
  }

  find(text: string): number | undefined {
    const term = this.#table.find(text);
    return term !== undefined && this.#has(term) ? term : undefined;
  }

  /** Whether a text with this hash (see `hashText`) may be a term: false for most that are none. */
  mayHave(hash: number): boolean {
    return this.#table.mayHave(hash);
  }

  /**
   * Returns the terms nearest to a misspelt word: within one slip (a letter lost, added, changed, or swapped
   * with its neighbour), or two in a word of 8 letters or more; all equally near terms, at most
   * `MAX_NEAREST`. A different first letter counts half a slip more, because people rarely miss it.
   */
  nearest(word: string): NearTerm[] {
    if (word.length < MIN_CORRECTABLE_CHARS || word.length > MAX_NEAR_CHARS || HAS_DIGIT.test(word))
      return [];
    const limit = word.length >= MIN_TWO_SLIPS_CHARS ? 2 : 1;
    const search = new NearSearch(word, limit);
    const first = word.charCodeAt(0);
    this.#searchAlike(search, first, limit);
    // A different first letter costs half a slip: one allowed slip leaves no room for it, two leave room for
    // one more slip.
    if (limit === 2) {
      for (const other of this.#table.shapes().firstCodes)
        if (other !== first) this.#searchAlike(search, other, 1);
    }
    const { best } = search;
    return best.length > MAX_NEAREST ? [] : best.sort((a, b) => this.#compare(a.term, b.term));
  }

  /** Compares the terms with a first letter whose length and letters are within some slips of the word's. */
  #searchAlike(search: NearSearch, firstCode: number, slips: number): void {
    const { word, letters } = search;
    const shapes = this.#table.shapes();
    for (
      let length = Math.max(word.length - slips, MIN_NEAR_CHARS);
      length <= word.length + slips;
      length++
    ) {
      for (let term = shapes.latestAlike(firstCode, length); term >= 0; term = shapes.previousAlike(term)) {
        // Each slip changes at most two of the occurring letters, so most terms need no comparison.
        if (bitCount(shapes.lettersIn(term) ^ letters) > 2 * slips || !this.#has(term)) continue;
        search.compare(term, this.#text(term));
      }
    }
  }

  /**
   * Returns terms that start with a text, or that a long text starts with; shortest first, at most
   * `MAX_PREFIXED`.
   */
  withPrefix(prefix: string): number[] {
    const found: number[] = [];
    for (let term = 0; term < this.#frequencies.array.length; term++) {
      if (!this.#has(term)) continue;
      const text = this.#text(term);
      if (text.startsWith(prefix) || (text.length >= MIN_CORRECTABLE_CHARS && prefix.startsWith(text)))
        found.push(term);
    }
    return found
      .sort((a, b) => this.#text(a).length - this.#text(b).length || this.#compare(a, b))
      .slice(0, MAX_PREFIXED);
  }

  /**
   * Returns terms that share at least half of their letter triples with a text, with their similarity (Dice's
   * coefficient).
   */
  similar(text: string): { term: number; similarity: number }[] {
    const wanted = triplesOf(text);
    const marks = markTriples(text);
    const found: { term: number; similarity: number }[] = [];
    for (let term = 0; term < this.#frequencies.array.length; term++) {
      if (!this.#has(term)) continue;
      const other = this.#text(term);
      if (other.length * 3 < text.length || other.length > text.length * 3) continue;
      // With s shared triples, 4s ≥ |other| + |wanted| ≥ s + |wanted|: less than a third of the wanted ones
      // never suffices.
      if (countMarked(other, marks) * 3 < wanted.size) continue;
      const triples = triplesOf(other);
      let shared = 0;
      for (const triple of triples) if (wanted.has(triple)) shared++;
      const similarity = (2 * shared) / (triples.size + wanted.size);
      if (similarity >= MIN_SIMILARITY) found.push({ term, similarity });
    }
    return found
      .sort((a, b) => b.similarity - a.similarity || this.#compare(a.term, b.term))
      .slice(0, MAX_PREFIXED);
  }

  #has(term: number): boolean {
    return (this.#frequencies.array[term] ?? 0) > 0;
  }

  #text(term: number): string {
    return this.#table.text(term);
  }

  #compare(a: number, b: number): number {
    const [left, right] = [this.#text(a), this.#text(b)];
    return left < right ? -1 : left > right ? 1 : 0;
  }
}

/** The terms nearest to a word among those compared. */
class NearSearch {
  readonly word: string;
  readonly letters: number;
  readonly #limit: number;
  #bestDistance: number;
  best: NearTerm[] = [];

  constructor(word: string, limit: number) {
    this.word = word;
    this.letters = lettersOf(word);
    this.#limit = limit;
    this.#bestDistance = limit;
  }

  compare(term: number, text: string): void {
    const distance = editDistance(this.word, text, this.#limit) + (text[0] === this.word[0] ? 0 : 0.5);
    if (distance > this.#bestDistance) return;
    if (distance < this.#bestDistance) this.best = [];
    this.#bestDistance = distance;
    this.best.push({ term, distance });
  }
}

/** Length below which a slip makes another word, not a misspelt one. */
const MIN_CORRECTABLE_CHARS = 4;
const MIN_TWO_SLIPS_CHARS = 8;
const MIN_NEAR_CHARS = 3;
/** Limit above which equally near terms are meaningless. */
const MAX_NEAREST = 8;
const MAX_PREFIXED = 16;
const MIN_SIMILARITY = 0.5;
const HAS_DIGIT = /\d/;

function bitCount(bits: number): number {
  let count = bits - ((bits >>> 1) & 0x55555555);
  count = (count & 0x33333333) + ((count >>> 2) & 0x33333333);
  return Math.imul((count + (count >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/**
 * Marks the letter triples of a text by their hashes: a fast filter for `similar`, with false positives but
 * no false negatives.
 */
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

/** Visits the triples of `triplesOf`, with zero for the marks at both ends. */
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
