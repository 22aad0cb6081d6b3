import { STOP_WORDS } from '../stop-words.ts';
import { tokenizeWord } from '../tokenize.ts';

/** What is known of one written word. */
export interface LexiconEntry {
  readonly word: string;
  /** Numbers of its tokens in the lexicon: its parts, and the identifiers they make up (see `tokenizeWord`). */
  readonly partIds: readonly number[];
  readonly wholeIds: readonly number[];
  readonly isStopWord: boolean;
}

/**
 * Remembers the tokens of every word that was read, and gives each token a number. Tool texts repeat a few thousand words
 * over and over; splitting and stemming each once is most of what makes building an index cheap.
 *
 * A hash table of its own, because it is asked for a place in a text: a `Map` would need a string of every word, which
 * costs more than all the rest of the look-up.
 *
 * Contract: the same word always gives the same entry; token numbers count up from 0 and are never reused.
 */
export class Lexicon {
  readonly tokens: string[] = [];
  readonly #entries: LexiconEntry[] = [];
  readonly #idByToken = new Map<string, number>();
  /** Open addressing with linear probing: number of an entry plus 1, or 0; its length is a power of two, at most half is used. */
  #slots = new Int32Array(1 << 14);
  #hashes = new Int32Array(1 << 14);

  /** Words that found no place near theirs: none in practice, unless somebody chooses words for their hash. */
  readonly #crowded = new Map<string, LexiconEntry>();

  get wordCount(): number {
    return this.#entries.length + this.#crowded.size;
  }

  /** The entry of the word at a place in a text, given its hash by `forEachWord`. */
  entryAt(source: string, start: number, end: number, hash: number): LexiconEntry {
    const mask = this.#slots.length - 1;
    let slot = spread(hash) & mask;
    for (let probe = 0; probe < MAX_PROBES; probe++) {
      const number = this.#slots[slot]!;
      if (number === 0) return this.#add(this.#read(source.slice(start, end)), hash, slot);
      if (this.#hashes[slot] === hash) {
        const entry = this.#entries[number - 1]!;
        if (isAt(entry.word, source, start, end)) return entry;
      }
      slot = (slot + 1) & mask;
    }
    return this.#crowdedEntry(source.slice(start, end));
  }

  #crowdedEntry(word: string): LexiconEntry {
    const known = this.#crowded.get(word);
    if (known !== undefined) return known;
    const entry = this.#read(word);
    this.#crowded.set(word, entry);
    return entry;
  }

  #read(word: string): LexiconEntry {
    const { parts, wholes } = tokenizeWord(word);
    return {
      word,
      partIds: this.#idsOf(parts),
      wholeIds: this.#idsOf(wholes),
      isStopWord: word.length <= MAX_STOP_WORD_CHARS && STOP_WORDS.has(word.toLowerCase()),
    };
  }

  #add(entry: LexiconEntry, hash: number, slot: number): LexiconEntry {
    this.#slots[slot] = this.#entries.push(entry);
    this.#hashes[slot] = hash;
    if (this.#entries.length * 2 > this.#slots.length) this.#grow();
    return entry;
  }

  #idsOf(tokens: readonly string[]): readonly number[] {
    return tokens.length === 0 ? NO_IDS : tokens.map((token) => this.#idOf(token));
  }

  #idOf(token: string): number {
    const known = this.#idByToken.get(token);
    if (known !== undefined) return known;
    this.#idByToken.set(token, this.tokens.length);
    return this.tokens.push(token) - 1;
  }

  #grow(): void {
    const [oldSlots, oldHashes] = [this.#slots, this.#hashes];
    this.#slots = new Int32Array(oldSlots.length * 2);
    this.#hashes = new Int32Array(oldSlots.length * 2);
    const mask = this.#slots.length - 1;
    oldSlots.forEach((number, oldSlot) => {
      if (number === 0) return;
      const hash = oldHashes[oldSlot]!;
      let slot = spread(hash) & mask;
      // Should this end beyond MAX_PROBES, the word is read once more, with the same result.
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
      this.#slots[slot] = number;
      this.#hashes[slot] = hash;
    });
  }
}

const NO_IDS: readonly number[] = [];

const MAX_STOP_WORD_CHARS = 16;

/** Far more than half-full tables need. */
const MAX_PROBES = 64;

/** Spreads the hash of a short word, which differs in its low bits only. */
function spread(hash: number): number {
  return Math.imul(hash, 0x9e3779b1) >>> 12;
}

function isAt(word: string, source: string, start: number, end: number): boolean {
  if (word.length !== end - start) return false;
  for (let at = 0; at < word.length; at++) {
    if (word.charCodeAt(at) !== source.charCodeAt(start + at)) return false;
  }
  return true;
}

/** Bounds the memory. Ordinary catalogues together stay far below; texts full of ids do not. */
const MAX_WORDS = 200_000;

let shared = new Lexicon();

/** The lexicon of this thread, to be asked for anew with each build: one that has grown too large is replaced. */
export function sharedLexicon(): Lexicon {
  if (shared.wordCount >= MAX_WORDS) shared = new Lexicon();
  return shared;
}
